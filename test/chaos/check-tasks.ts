// The rules of tasks, checked on a history. Tasks are independent, so each is checked alone; only their order in the queue is not.
import type { Claim, NewTask, Task, TaskOutcome } from '../../src/backend/task-store.ts'
import type { Operation } from './history.ts'

/** One attempt, as the store has granted it. */
interface Attempt {
  readonly id: string
  readonly number: number
  readonly answers: Readonly<Record<string, string>>
  readonly begin: number
  readonly end: number
  readonly leaseMs: number
}

interface TaskHistory {
  readonly id: string
  readonly task: NewTask
  readonly created: Operation
  readonly attempts: Attempt[]
  readonly operations: Operation[]
}

const FINAL: ReadonlySet<string> = new Set(['completed', 'failed', 'cancelled'])

/** What is wrong, one sentence each. */
export function checkTasks(history: readonly Operation[]): string[] {
  const tasks = groupByTask(history)
  const problems = [...tasks.values()].flatMap((task) => [
    ...checkFound(task),
    ...checkStates(task),
    ...checkOutcome(task),
    ...checkAttempts(task),
    ...checkLeases(task),
    ...checkAnswers(task),
  ])
  return [...problems, ...checkOrder(history, tasks)]
}

/** What a run must have met for its rules to mean something. */
export function countEvents(history: readonly Operation[]): {
  attempts: number
  repeated: number
  refused: number
  answers: number
} {
  const tasks = [...groupByTask(history).values()]
  const attempts = tasks.flatMap((task) => task.attempts)
  const isRefused = ({ name, value }: Operation) => (name === 'renew' || name === 'finish') && value === 'lost'
  return {
    attempts: attempts.length,
    repeated: tasks.filter((task) => lostAttempts(task).length > 0).length,
    refused: history.filter(isRefused).length,
    answers: history.filter(({ name, value }) => name === 'answer' && value === 'taken').length,
  }
}

function groupByTask(history: readonly Operation[]): Map<string, TaskHistory> {
  const tasks = new Map<string, TaskHistory>()
  for (const operation of history) {
    const { name, args } = operation
    if (name === 'create') {
      const task = args[0] as NewTask
      const known = tasks.get(task.id)
      // A create that is repeated is the same task.
      if (known === undefined)
        tasks.set(task.id, { id: task.id, task, created: operation, attempts: [], operations: [] })
      const { claimFor } = (args[1] ?? {}) as { claimFor?: { leaseMs: number } }
      if (claimFor !== undefined && operation.outcome === 'ok') addAttempts(tasks, operation, claimFor.leaseMs)
    } else if (name === 'claim') {
      addAttempts(tasks, operation, (args[1] as { leaseMs: number }).leaseMs)
    } else {
      const id = typeof args[0] === 'string' ? args[0] : (args[0] as Claim | undefined)?.id
      tasks.get(id ?? '')?.operations.push(operation)
    }
  }
  for (const { attempts } of tasks.values()) attempts.sort((one, other) => one.number - other.number)
  return tasks
}

function addAttempts(tasks: Map<string, TaskHistory>, { value, begin, end }: Operation, leaseMs: number): void {
  for (const claim of [value ?? []].flat() as Claim[]) {
    const { id, attempt: number, answers } = claim
    tasks.get(id)?.attempts.push({ id, number, answers, begin, end, leaseMs })
  }
}

/** (1) What was created is found. */
function checkFound({ id, created, operations }: TaskHistory): string[] {
  if (created.outcome !== 'ok') return []
  const isDiscarded = operations.some(({ name }) => name === 'discard')
  const missing = operations.some(
    ({ name, outcome, value, begin }) =>
      name === 'get' && outcome === 'ok' && value === undefined && begin > created.end,
  )
  return missing && !isDiscarded ? [`1: the task ${id} was created and is not found`] : []
}

/** (2) The paths of its states, (3) the end is for ever, and no read is older than one before it. */
function checkStates({ id, operations }: TaskHistory): string[] {
  const reads = operations.filter(
    ({ name, outcome, value }) => name === 'get' && outcome === 'ok' && value !== undefined,
  )
  const problems: string[] = []
  let newest: { end: number; revision: number } | undefined
  for (const read of [...reads].sort((one, other) => one.end - other.end)) {
    const { revision } = read.value as Task
    if (newest !== undefined && read.begin > newest.end && revision < newest.revision) {
      problems.push(`2: the task ${id} was read at revision ${newest.revision}, and later at ${revision}`)
    }
    if (newest === undefined || revision > newest.revision) newest = { end: read.end, revision }
  }
  const byRevision = reads.map(({ value }) => value as Task).sort((one, other) => one.revision - other.revision)
  const end = byRevision.find(({ status }) => FINAL.has(status))
  if (end === undefined) return problems
  const text = endOf(end)
  for (const task of byRevision) {
    if (task.revision < end.revision) continue
    if (!FINAL.has(task.status)) problems.push(`2: the task ${id} had ended, and is ${task.status} again`)
    else if (endOf(task) !== text) problems.push(`3: the end of the task ${id} changed from ${text} to ${endOf(task)}`)
  }
  return problems
}

function endOf({ status, statusMessage, outcome }: Task): string {
  return JSON.stringify([status, statusMessage, outcome])
}

/** (4) One run commits, (5) what is kept is what it committed, and it had not lost its task before. */
function checkOutcome({ id, operations, attempts }: TaskHistory): string[] {
  const finishes = operations.filter(({ name }) => name === 'finish')
  const committed = finishes.filter(({ value }) => value === 'finished')
  const problems: string[] = []
  if (committed.length > 1)
    problems.push(`4: ${committed.length} runs of the task ${id} were told that they had ended it`)
  for (const { args, begin } of committed) {
    const { attempt } = args[0] as Claim
    const isTaken = attempts.some(({ number, end }) => number > attempt && end < begin)
    if (isTaken) problems.push(`4: attempt ${attempt} ended the task ${id}, which another one had by then`)
  }
  const ended = operations.map(({ value }) => value as Task | undefined).find((task) => task?.outcome !== undefined)
  if (ended === undefined) return problems
  const unsure = finishes.filter(({ outcome }) => outcome === 'unknown')
  // A client that sends what was in flight once more after a break hears of its own commit: `already`, and nobody hears `finished`.
  const sentAgain = committed.length === 0 ? finishes.filter(({ value }) => value === 'already') : []
  const possible = [...committed, ...unsure, ...sentAgain].map(({ args }) => (args[1] as TaskOutcome).text)
  if (!possible.includes(ended.outcome ?? ''))
    problems.push(`5: nobody has committed what the task ${id} has as its outcome`)
  return problems
}

/** (6) Runs are not more than `maxAttempts`, but for those that were parked or released, and each has its own number. */
function checkAttempts(history: TaskHistory): string[] {
  const { id, task, attempts } = history
  const problems: string[] = []
  const numbers = new Set(attempts.map(({ number }) => number))
  if (numbers.size < attempts.length) problems.push(`6: two claims of the task ${id} have the same number`)
  const counted = attempts.filter(({ number }) => !isGivenUp(history, number))
  if (counted.length > task.maxAttempts) {
    problems.push(`6: the task ${id} ran ${counted.length} times, and may run ${task.maxAttempts} times`)
  }
  return problems
}

function isGivenUp({ operations, attempts }: TaskHistory, attempt: number): boolean {
  const next = attempts.find(({ number }) => number > attempt)
  return operations.some(({ name, args, value, outcome, begin }) => {
    if ((name !== 'park' && name !== 'release') || (args[0] as Claim).attempt !== attempt) return false
    // Sent once more after a break, it is `false` where another run has the task by then, which the first time gave up.
    const wasSentAgain = value === false && next !== undefined && begin < next.end
    return value === true || outcome === 'unknown' || wasSentAgain
  })
}

/** Attempts that ended without a word, each with the time at which its lease had run out at the latest. */
function lostAttempts(
  history: TaskHistory,
): { attempt: Attempt; next: Attempt | undefined; earliest: number; latest: number }[] {
  const { attempts, operations } = history
  return attempts.flatMap((attempt, index) => {
    if (isGivenUp(history, attempt.number)) return []
    const own = operations.filter(({ args }) => (args[0] as Claim | undefined)?.attempt === attempt.number)
    if (own.some(({ name, value, outcome }) => name === 'finish' && (value === 'finished' || outcome === 'unknown')))
      return []
    const renewals = own.filter(({ name }) => name === 'renew')
    const held = renewals.filter(({ outcome, value }) => outcome === 'ok' && value !== 'lost')
    const grants = [attempt, ...held.map(({ begin, end, args }) => ({ begin, end, leaseMs: args[1] as number }))]
    const next = attempts[index + 1]
    // A renewal that was sent once more after a break may have been granted the first time, and be `lost` the second.
    const wasSentAgain = ({ value, begin }: Operation) => value === 'lost' && next !== undefined && begin < next.end
    const unsure = renewals.filter((renewal) => renewal.outcome === 'unknown' || wasSentAgain(renewal))
    const earliest = Math.max(...grants.map(({ begin, leaseMs }) => begin + leaseMs))
    const latest =
      unsure.length > 0 ? Number.POSITIVE_INFINITY : Math.max(...grants.map(({ end, leaseMs }) => end + leaseMs))
    return next === undefined ? [] : [{ attempt, next, earliest, latest }]
  })
}

/** The clocks of the engine and of this machine may differ by so much within a lease. */
const CLOCK_MS = 20

/** A store may look for lost tasks once a second. */
const FOUND_MS = 1_000 + CLOCK_MS

/** (7) The next attempt begins when the lease of the one before has run out. */
function checkLeases(history: TaskHistory): string[] {
  return lostAttempts(history).flatMap(({ attempt, next, earliest }) => {
    // A lease of one grant may replace a longer one before: only the last counts.
    if (next === undefined || next.end >= lastGrantEnd(history, attempt) - CLOCK_MS || next.end >= earliest - CLOCK_MS)
      return []
    return [`7: attempt ${next.number} of the task ${history.id} began while attempt ${attempt.number} had its lease`]
  })
}

function lastGrantEnd({ operations }: TaskHistory, attempt: Attempt): number {
  const renewals = operations.filter(
    ({ name, args, outcome, value }) =>
      name === 'renew' && (args[0] as Claim).attempt === attempt.number && outcome === 'ok' && value !== 'lost',
  )
  const last = renewals.at(-1)
  return last === undefined ? attempt.begin + attempt.leaseMs : last.begin + (last.args[1] as number)
}

/** (8) Every run sees the answers that were taken before it began, and always the same. */
function checkAnswers({ id, operations, attempts }: TaskHistory): string[] {
  const problems: string[] = []
  const seen = new Map<string, string>()
  for (const { answers, number } of attempts) {
    for (const [key, value] of Object.entries(answers)) {
      if ((seen.get(key) ?? value) !== value)
        problems.push(`8: attempt ${number} of the task ${id} sees another answer`)
      seen.set(key, seen.get(key) ?? value)
    }
  }
  for (const { name, value, args, end } of operations) {
    if (name !== 'answer' || value !== 'taken') continue
    for (const key of Object.keys(args[1] as object)) {
      const later = attempts.filter(({ begin }) => begin > end)
      if (later.some(({ answers }) => answers[key] === undefined))
        problems.push(`8: an answer to the task ${id} is not seen`)
    }
  }
  return problems
}

/**
 * (9) A task whose worker was lost goes before those that were created after it and have not run yet, once a claim has looked: nobody
 * waits while another one looks.
 */
function checkOrder(history: readonly Operation[], tasks: ReadonlyMap<string, TaskHistory>): string[] {
  const claims = history.filter(({ name, outcome }) => name === 'claim' && outcome === 'ok')
  const problems: string[] = []
  for (const lost of tasks.values()) {
    for (const { attempt, next, latest } of lostAttempts(lost)) {
      // An attempt between the two, whose claim nobody got to know, had a lease of its own.
      if (next?.number !== attempt.number + 1) continue
      const looks = claims.filter(({ begin }) => begin > latest + FOUND_MS)
      const lookedAt = Math.min(...looks.map(({ end }) => end))
      const overtaking = looks.find(
        ({ begin, end, value }) =>
          begin > lookedAt &&
          end < next.begin &&
          (value as Claim[]).some(
            ({ id, attempt }) => attempt === 1 && (tasks.get(id)?.created.begin ?? 0) > lost.created.end,
          ),
      )
      if (overtaking !== undefined)
        problems.push(`9: a newer task was claimed before attempt ${next.number} of the lost task ${lost.id}`)
    }
  }
  return problems
}
