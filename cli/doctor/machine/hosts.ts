// The hosts of this user: installed or not, their file readable or not, and entries that cannot start.
import { existsSync } from 'node:fs'
import { displayNameOf, findHosts } from '../../install/hosts.ts'
import { hostFiles, type ListedFile, listEntries } from '../../install/listed-files.ts'
import { findState } from '../../install/server-state.ts'
import { Failure } from '../../terminal/failure.ts'
import { type Finding, fault, ok, skipped } from '../findings/step.ts'
import type { PrintedFinding } from '../print-report.ts'

/** Each takes a process. */
const AT_ONCE = 4

export async function checkHosts(signal: AbortSignal): Promise<PrintedFinding[]> {
  const installed = await findHosts()
  if (installed.length === 0) return [{ title: 'Hosts', ...skipped('No known host is installed for this user') }]
  const findings: PrintedFinding[] = []
  for (const name of installed) {
    const [file] = hostFiles([name])
    findings.push({ title: displayNameOf(name), ...(await checkHost(file, signal)) })
  }
  return findings
}

async function checkHost(file: ListedFile | undefined, signal: AbortSignal): Promise<Finding> {
  if (file === undefined) return skipped('Installed; its file has two layouts, which are not read here')
  if (!existsSync(file.file)) return ok('Installed, no servers configured')
  let entries: [string, unknown][]
  try {
    entries = Object.entries(await listEntries(file))
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return fault(error.message, 'file-cannot-load', {
      cause: 'The host cannot read its file either, and starts none of its servers.',
      fix: `Correct ${file.file}.`,
    })
  }
  const failing: string[] = []
  for (let at = 0; at < entries.length; at += AT_ONCE) {
    const states = entries.slice(at, at + AT_ONCE).map(async ([server, value]) => {
      const { state, reason = '' } = await findState(value, { file: file.file, server }, signal)
      return state === 'fails' || state === 'invalid' ? [`${server}: ${reason}`] : []
    })
    failing.push(...(await Promise.all(states)).flat())
  }
  const count = `${entries.length} ${entries.length === 1 ? 'server' : 'servers'} in ${file.file}`
  if (failing.length === 0) return ok(count)
  return fault(`${failing.length} of ${count} cannot start`, 'server-exited', {
    cause: 'The host starts these entries in the same way, and they fail there too.',
    fix: [
      'Run mcpwire doctor with the name of the server, as in: mcpwire doctor @name',
      'Or remove it with mcpwire uninstall.',
    ],
    details: failing,
  })
}
