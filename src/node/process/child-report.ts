// Error messages about a server process: what happened, and what its user can do.

import { statSync } from 'node:fs'
import { quoteStderr } from '../../primitives/command-line.ts'
import { withHelp } from '../../primitives/help.ts'
import { TransportError } from '../../types/errors/failures.ts'
import type { Exit } from './child-process.ts'
import type { Program } from './program.ts'

/** The first sign that a process has ended, or is no MCP server. */
export type EndSign = 'exited' | 'output-closed' | 'input-closed' | 'lines-too-long' | 'not-json'

/** What is known about a server process that ended by itself. */
export interface ChildEnd {
  readonly command: string
  readonly sign: EndSign
  readonly exit: Exit | undefined
  /** Whether it ever wrote a message. */
  readonly sawMessage: boolean
  /** Whether it wrote lines that are not JSON. */
  readonly sawNonJsonOutput: boolean
  readonly stderr: readonly string[]
  readonly cause?: unknown
}

/** The message names the command and none of its arguments, which may contain secrets. It has no full stop: callers add to it. */
export function endFailure(end: ChildEnd): TransportError {
  const { exit, stderr, cause } = end
  const message = `The server process '${end.command}' ${whatHappened(end)}${whatToDo(end)}${quoteStderr(stderr)}`
  const isPolluted = end.sign === 'not-json' || (!end.sawMessage && end.sawNonJsonOutput)
  return withHelp(
    isPolluted ? 'stdout-polluted' : 'server-exited',
    new TransportError(message, {
      stderr,
      ...(cause !== undefined && { cause }),
      ...(exit?.code !== undefined && { exitCode: exit.code }),
      ...(exit?.signal !== undefined && { signal: exit.signal }),
    }),
  )
}

function whatHappened({ sign, exit, sawMessage }: ChildEnd): string {
  const when = sawMessage ? '' : ' before it sent a message'
  if (sign === 'not-json') return 'wrote only lines that are not JSON to its standard output, and was ended'
  if (sign === 'lines-too-long') return 'repeatedly wrote lines that are longer than the limit, and was ended'
  if (exit?.signal !== undefined) return `was killed by ${exit.signal}${when}`
  if (exit !== undefined) return `exited with code ${exit.code}${when}`
  if (sign === 'input-closed') return 'closed its standard input, so that it can receive no messages, and was ended'
  return 'closed its standard output, so that it can send no messages, and was ended'
}

function whatToDo({ sign, sawMessage, sawNonJsonOutput }: ChildEnd): string {
  if (sign === 'lines-too-long') return '. Set maxLineBytes to raise the limit'
  if (sawMessage) return ''
  if (sign === 'not-json') return `. ${CHECK_SERVER}`
  if (sawNonJsonOutput) return `. It wrote lines that are not JSON to its standard output. ${CHECK_SERVER}`
  return '. Check its arguments and its environment, which contains only a few default variables and those in env'
}

const CHECK_SERVER = 'Check that it is an MCP server, and that it logs to stderr'

/** Why a program could not be started, from the error of the system. */
export function startFailure(program: Program, cause: unknown): TransportError {
  const error = withoutArguments(cause)
  const code = error?.code
  const codeText = code === undefined ? '' : ` (${code})`
  const message = `Cannot start '${program.command}'${codeText}: ${startHint(program, code)}`
  return withHelp('command-not-found', new TransportError(message, error === undefined ? {} : { cause: error }))
}

/** Node puts all arguments into the error, and some of them may be secret. */
function withoutArguments(cause: unknown): NodeJS.ErrnoException | undefined {
  if (!(cause instanceof Error)) return undefined
  Reflect.deleteProperty(cause, 'spawnargs')
  return cause
}

function startHint({ command, cwd }: Program, code: string | undefined): string {
  if (cwd !== undefined && !isDirectory(cwd)) return 'cwd is not a directory'
  if (code === 'ENOENT' && /\s/.test(command.trim())) return COMMAND_HAS_ARGUMENTS
  return (code === undefined ? undefined : START_HINTS.get(code)) ?? 'the system could not start it'
}

const TOO_MANY_OPEN = 'too many processes or files are open. Close connections that you no longer use'

const COMMAND_HAS_ARGUMENTS =
  "not found. command is the program alone; put its arguments into args, as in { command: 'node', args: ['server.js'] }"

const START_HINTS: ReadonlyMap<string, string> = new Map([
  ['ENOENT', 'not found. Check that it is installed, and on the PATH that is passed to it'],
  ['EACCES', 'not executable. Check its permissions'],
  ['ENOEXEC', 'not executable. A script needs a first line that names its interpreter'],
  ['EINVAL', 'not executable. To run a script of the Windows command interpreter, install the package cross-spawn'],
  ['EAGAIN', TOO_MANY_OPEN],
  ['EMFILE', TOO_MANY_OPEN],
  ['ENFILE', TOO_MANY_OPEN],
  ['ENOMEM', 'there is not enough memory'],
  ['E2BIG', 'its arguments and environment are too long'],
])

function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory()
  } catch {
    return false
  }
}
