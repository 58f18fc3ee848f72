// Writes faults to the standard error, for servers without `onFault`.
import type { Fault, FaultKind, FaultReporter } from '../dispatcher/fault.ts'
import { toLine } from '../schema/json-schema.ts'

/** Faults of peers, which the author cannot fix. */
const OF_PEERS: ReadonlySet<FaultKind> = new Set(['unmatched-response', 'peer-error'])

/** Faults in the author's own code: their stack is shown. */
const OF_AUTHORS: ReadonlySet<FaultKind> = new Set(['handler-failed', 'notification-failed', 'callback-failed'])

const MAX_TEXT_LENGTH = 1_000
const MAX_FRAMES = 8

/** From here on the faults of a server without `onFault` go to the standard error, so that its author sees them. */
export function logFaultsOf(faults: FaultReporter): void {
  faults.listenInstead(logFault)
}

function logFault(fault: Fault): void {
  // The caller gets what was raised.
  if (!OF_PEERS.has(fault.kind) && fault.isRaised !== true) console.error(describeFault(fault))
}

/**
 * One line; below it the remedy, where one is known, and the stack of an error in the author's code. Line breaks in texts are
 * escaped, so that none can look like another line.
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

/** Any value can be thrown, also one that cannot be converted to text. */
function textOf(value: unknown): string {
  try {
    return String(value)
  } catch {
    return 'a value that cannot be shown'
  }
}

/** Without the message, which is shown already and could contain lines that look like frames. */
function framesOf(error: unknown): string[] {
  // In this order: V8 formats the stack from the message on first access.
  if (!(error instanceof Error) || typeof error.message !== 'string' || typeof error.stack !== 'string') return []
  const end = error.stack.indexOf(error.message) + error.message.length
  const lines = error.stack.slice(end).split('\n')
  return lines.slice(1, 1 + MAX_FRAMES).map((line) => `    ${show(line.trim())}`)
}

function show(text: string): string {
  return toLine(text, MAX_TEXT_LENGTH)
}
