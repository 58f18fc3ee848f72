// Prints why a command failed: one line of cause, one of remedy, or one line of JSON.
import { EXIT } from '../terminal/exit-codes.ts'
import { showJSONLine, showText } from '../terminal/terminal-text.ts'
import { explain } from './explain.ts'

export interface PrintFailureOptions {
  /** One line of JSON instead of sentences. */
  json?: boolean
  /** With the stack. Bugs of mcpwire always have theirs. */
  debug?: boolean
  /** Whether a person reads it: then the page about it is named too (default: whether stderr is a terminal). */
  isTerminal?: boolean
}

/** Returns the exit code. */
export function printFailure(
  thrown: unknown,
  write: (line: string) => void,
  { json = false, debug = false, isTerminal = process.stderr.isTTY }: PrintFailureOptions = {},
): number {
  const { slug, message, cause, fix, help, exitCode, stack } = explain(thrown)
  const shownStack = debug || exitCode === EXIT.bug ? stack : undefined
  if (json) {
    write(showJSONLine({ error: { slug, message, cause, fix, help, exitCode, stack: shownStack } }))
    return exitCode
  }
  // Only the first line is ours: what follows may quote a server, and must not look like another message.
  write(`mcpwire: ${showText(message).replaceAll('\n', '\n  ')}`)
  if (shownStack !== undefined) write(showText(shownStack).replace(/^/gm, '  '))
  if (fix !== undefined) write(showText(fix))
  if (help !== undefined && isTerminal) write(`More: ${help}`)
  return exitCode
}
