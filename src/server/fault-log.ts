// Faults on the standard error: for servers in service whose author has not said where else they should go.
import type { Fault, FaultKind, FaultReporter } from '../dispatcher/fault.ts'
import { toLine } from '../schema/json-schema.ts'

/** Answers that nobody waits for are nothing that the author could mend. */
const OF_PEERS: ReadonlySet<FaultKind> = new Set(['unmatched-response', 'peer-error'])

/** Code of the author's, so that it is worth knowing where. */
const OF_AUTHORS: ReadonlySet<FaultKind> = new Set(['handler-failed', 'notification-failed', 'callback-failed'])

const MAX_TEXT_LENGTH = 1_000
const MAX_FRAMES = 8

/** From here on the faults of a server without `onFault` go to the standard error, so that its author sees them. */
export function logFaultsOf(faults: FaultReporter): void {
  faults.listenInstead(logFault)
}

function logFault(fault: Fault): void {
  // What was raised is told by whoever caught it.
  if (!OF_PEERS.has(fault.kind) && fault.isRaised !== true) console.error(describeFault(fault))
}

/**
 * One line; below it what to do, where that is known, and where in the author's code the error came from. No text of anybody's
 * can look like another line.
 */
export function describeFault({ kind, message, method, error, suppressed, remedy }: Fault): string {
  const facts = method === undefined ? kind : `${kind}, ${method}`
  const cause = error === undefined ? '' : `: ${describeError(error)}`
  const others = suppressed === undefined ? '' : `; ${suppressed} more like it are not shown`
  return [
    `mcpwire: ${show(message)} [${show(facts)}]${cause}${others}`,
    ...(remedy === undefined ? [] : [`  ${show(remedy)}`]),
    ...(OF_AUTHORS.has(kind) ? framesOf(error) : []),
  ].join('\n')
}

function describeError(error: unknown): string {
  const text = show(textOf(error))
  const cause = error instanceof Error ? error.cause : undefined
  return cause === undefined ? text : `${text} (because of ${show(textOf(cause))})`
}

/** Anything can be thrown, also what has no text. */
function textOf(value: unknown): string {
  try {
    return String(value)
  } catch {
    return 'something that cannot be shown'
  }
}

/** The message stands above, and could bring along lines that only look like these. */
function framesOf(error: unknown): string[] {
  // In this order: the stack is made of the message when it is first asked for.
  if (!(error instanceof Error) || typeof error.message !== 'string' || typeof error.stack !== 'string') return []
  const end = error.stack.indexOf(error.message) + error.message.length
  const lines = error.stack.slice(end).split('\n')
  return lines.slice(1, 1 + MAX_FRAMES).map((line) => `    ${show(line.trim())}`)
}

function show(text: string): string {
  return toLine(text, MAX_TEXT_LENGTH)
}
