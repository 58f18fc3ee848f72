// The verdict on what the suite has stored: stricter than its exit code, which forgives warnings and empty runs.
import { waitsFor } from './waiting.js'

/** Checks that may be skipped: by their nature, or because a modern client does not send these messages. */
const MAY_BE_SKIPPED = [
  (scenario, check) => scenario === 'http-standard-headers' && /initialize/i.test(JSON.stringify(check)),
  (scenario) => scenario === 'tasks-status-notifications',
]

/** Scenarios in which the server misbehaves so that a client has to give up. */
const CLIENT_MAY_FAIL = [
  /^auth\/(scope-retry-limit|resource-mismatch|iss-supported-missing|iss-wrong-issuer|iss-unexpected|iss-normalized)$/,
  /^auth\/metadata-issuer-mismatch$/,
  /^http-invalid-tool-headers$/,
  /^sep-2640-client-verify-/,
]

/**
 * What is wrong with a scenario, as sentences. `checks` is undefined when the suite stored none; `exitCode` is that of the
 * suite for this scenario alone, where it ran alone.
 */
export function findProblems({ scenario, checks, exitCode, expectedIds = [] }) {
  if (checks === undefined) return ['stored no checks: it crashed or did not run']
  const problems = []
  for (const check of checks) {
    if (check.status === 'FAILURE' || check.status === 'WARNING') {
      problems.push(`${check.status.toLowerCase()} ${check.id}: ${check.errorMessage ?? check.description ?? ''}`)
    }
    if (check.status === 'SKIPPED' && !MAY_BE_SKIPPED.some((may) => may(scenario, check))) {
      problems.push(`skipped ${check.id}: ${check.errorMessage ?? check.description ?? ''}`)
    }
  }
  if (!checks.some(({ status }) => status === 'SUCCESS')) problems.push('nothing succeeded: an empty run is no pass')
  const seen = new Set(checks.map(({ id }) => id))
  for (const id of expectedIds) if (!seen.has(id)) problems.push(`the check ${id} was not made`)
  if (exitCode !== undefined && exitCode !== 0) problems.push(`the suite ended with exit code ${exitCode}`)
  return problems
}

/** Whether the suite lets the client of this scenario end with an error. */
export function clientMayFail(scenario) {
  return CLIENT_MAY_FAIL.some((pattern) => pattern.test(scenario))
}

/** A scenario's line in the report: `pass`, `waits` or `fail`, with what to say about it. */
export function judge(result) {
  const problems = findProblems(result)
  const reason = waitsFor(result.scenario)
  if (reason === undefined) return { ...result, verdict: problems.length === 0 ? 'pass' : 'fail', problems }
  if (problems.length > 0) return { ...result, verdict: 'waits', problems: [`waits for ${reason}`] }
  return { ...result, verdict: 'fail', problems: [`passes, but is listed as waiting for ${reason}`] }
}
