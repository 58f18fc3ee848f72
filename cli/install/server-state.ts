// Whether a configured server works now: tried as its host would start it, within a time limit.
import { explain } from '../errors/explain.ts'
import { showLine } from '../terminal/terminal-text.ts'
import { inCommonForm, isDisabled } from './common-form.ts'
import { checkServerEntry } from './server-entry.ts'
import { tryEntry } from './try-entry.ts'

export type ServerState = 'starts' | 'fails' | 'reachable' | 'login' | 'disabled' | 'invalid'

export interface StateReport {
  readonly state: ServerState
  /** Why it does not work. */
  readonly reason?: string
}

/** Never throws for what is wrong with the server; the signal ends it. */
export async function findState(
  value: unknown,
  place: { file: string; server: string },
  signal: AbortSignal,
): Promise<StateReport> {
  if (isDisabled(value)) return { state: 'disabled' }
  let entry: ReturnType<typeof checkServerEntry>['entry']
  try {
    entry = checkServerEntry(inCommonForm(value), place).entry
  } catch (error) {
    return { state: 'invalid', reason: firstLine((error as Error).message) }
  }
  try {
    const { needsLogin } = await tryEntry(entry, signal)
    return { state: needsLogin ? 'login' : 'url' in entry ? 'reachable' : 'starts' }
  } catch (error) {
    if (signal.aborted) throw error
    return { state: 'fails', reason: firstLine(explain(error).message) }
  }
}

function firstLine(message: string): string {
  return showLine(message.split('\n')[0] ?? '')
}
