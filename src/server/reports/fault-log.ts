// Writes faults to the standard error, for servers without `onFault`.
import type { Fault, FaultKind, FaultReporter } from '../../dispatcher/fault.ts'
import { readableThrown } from '../../primitives/thrown.ts'
import { toLine } from '../../schema/json-schema.ts'

/** Faults of peers, which the author cannot fix. */
const OF_PEERS: ReadonlySet<FaultKind> = new Set(['unmatched-response', 'peer-error'])

/** Faults in the author's own code: their stack is shown. */
const OF_AUTHORS: ReadonlySet<FaultKind> = new Set(['handler-failed', 'notification-failed', 'callback-failed'])

const MAX_TEXT_LENGTH = 1_000
const MAX_FRAMES = 8
const OF_THE_PACKAGE = /[\\/]mcpwire[\\/]dist[\\/]|\bnode:internal\//

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
export function describeFault({ kind, message, method, error: thrown, suppressed, remedy }: Fault): string {
  const error = readableThrown(thrown)
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
  const text = show(String(error))
  const cause = error instanceof Error ? error.cause : undefined
  return cause === undefined ? text : `${text} (because of ${show(String(readableThrown(cause)))})`
}

/** Without the message, which is shown already and could contain lines that look like frames. */
function framesOf(error: unknown): string[] {
  // In this order: V8 formats the stack from the message on first access.
  if (!(error instanceof Error) || typeof error.message !== 'string') return []
  const stack = stackOf(error)
  const end = stack.indexOf(error.message) + error.message.length
  const lines = stack.slice(end).split('\n').slice(1)
  // The other frames are the same every time. Without any, as where a returned value is refused, the message says everything.
  const own = lines.filter((line) => !OF_THE_PACKAGE.test(line))
  return own.slice(0, MAX_FRAMES).map((line) => `    ${show(line.trim())}`)
}

/** A member that anybody can set, also to a getter that throws. */
function stackOf(error: Error): string {
  try {
    return typeof error.stack === 'string' ? error.stack : ''
  } catch {
    return ''
  }
}

function show(text: string): string {
  return toLine(text, MAX_TEXT_LENGTH)
}
