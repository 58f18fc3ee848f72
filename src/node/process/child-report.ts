// What went wrong with a server process, said so that its user knows what to do.
import { statSync } from 'node:fs'
import { quoteStderr } from '../../primitives/quote-stderr.ts'
import { TransportError } from '../../types/errors/failures.ts'
import type { Exit, Program } from './child-process.ts'

/** How the end of a process showed first. */
export type EndSign = 'exited' | 'output-closed' | 'input-closed' | 'hopeless' | 'babbling'

/** What is known of a server process that has ended unasked. */
export interface ChildEnd {
  readonly command: string
  readonly sign: EndSign
  readonly exit: Exit | undefined
  /** Whether there was ever a message from it. */
  readonly hasSpoken: boolean
  /** Whether it wrote lines that are no messages. */
  readonly hasBabbled: boolean
  readonly stderr: readonly string[]
  readonly cause?: unknown
}

/** Names the command but none of its arguments, which may hold secrets. */
export function endFailure(end: ChildEnd): TransportError {
  const { exit, stderr, cause } = end
  const message = `The server process '${end.command}' ${whatHappened(end)}${whatItMeans(end)}${quoteStderr(stderr)}`
  return new TransportError(message, {
    stderr,
    ...(cause !== undefined && { cause }),
    ...(exit?.code !== undefined && { exitCode: exit.code }),
    ...(exit?.signal !== undefined && { signal: exit.signal }),
  })
}

function whatHappened({ sign, exit, hasSpoken }: ChildEnd): string {
  if (sign === 'babbling') return 'wrote nothing to its standard output but lines that are no JSON, and was ended'
  if (sign === 'hopeless') return 'wrote lines that are longer than allowed, again and again, and was ended'
  if (exit?.signal !== undefined) return `was killed by ${exit.signal}${hasSpoken ? '' : ' before it answered'}`
  if (exit !== undefined) return `exited with code ${exit.code}${hasSpoken ? '' : ' before it answered'}`
  if (sign === 'input-closed') return 'has closed its standard input, so that nothing can be said to it, and was ended'
  return 'has closed its standard output, so that no answer can come from it, and was ended'
}

function whatItMeans({ sign, hasSpoken, hasBabbled }: ChildEnd): string {
  if (sign === 'hopeless') return '; maxLineBytes raises the limit'
  if (hasSpoken) return ''
  if (sign === 'babbling') return '; is it an MCP server, and does it log to stderr?'
  if (hasBabbled)
    return '; what it wrote to its standard output was no protocol: is it an MCP server, and does it log to stderr?'
  return '; check its arguments and the environment it needs, which holds only what env passes and a few defaults'
}

/** Why a program could not be started, from the error of the system. */
export function startFailure(program: Program, cause: unknown): TransportError {
  const error = withoutArguments(cause)
  const code = error?.code
  const about = code === undefined ? '' : ` (${code})`
  const message = `Cannot start '${program.command}'${about}: ${startHint(program, code)}`
  return new TransportError(message, error === undefined ? {} : { cause: error })
}

/** Node puts all arguments into the error, and some of them may be secret. */
function withoutArguments(cause: unknown): NodeJS.ErrnoException | undefined {
  if (!(cause instanceof Error)) return undefined
  Reflect.deleteProperty(cause, 'spawnargs')
  return cause
}

function startHint({ command, cwd }: Program, code: string | undefined): string {
  if (cwd !== undefined && !isDirectory(cwd)) return 'cwd is not a directory'
  if (code === 'ENOENT' && /\s/.test(command.trim())) return WITH_ARGUMENTS
  return (code === undefined ? undefined : START_HINTS.get(code)) ?? 'the system refused to start it'
}

const TOO_MANY = 'too many processes or files are open; close connections that are no longer used'

const WITH_ARGUMENTS =
  "not found; command is the program alone, and the words after it go into args, as in { command: 'node', args: ['server.js'] }"

const START_HINTS: ReadonlyMap<string, string> = new Map([
  ['ENOENT', 'not found; is it installed, and on the PATH that is passed to it?'],
  ['EACCES', 'not executable; check its permissions'],
  ['ENOEXEC', 'not executable; a script needs a first line that names its interpreter'],
  ['EINVAL', 'not executable as it is; a script for the Windows command interpreter needs the package cross-spawn'],
  ['EAGAIN', TOO_MANY],
  ['EMFILE', TOO_MANY],
  ['ENFILE', TOO_MANY],
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
