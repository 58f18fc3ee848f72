// The command line of a child process: checked before anything is started, and shown in messages without secrets.
import { typeError } from './help.ts'

interface CommandWords {
  readonly command: string
  readonly args: readonly string[]
  readonly cwd: string | undefined
}

/** Throws `TypeError` for words that no program can be started with. */
export function checkCommand({ command, args, cwd }: CommandWords): void {
  if (typeof command !== 'string' || command === '')
    throw typeError('bad-command', 'command must be the name of a program')
  if (cwd !== undefined && typeof cwd !== 'string')
    throw typeError('bad-command', 'cwd must be the path of a directory')
  if (!Array.isArray(args) || args.some((argument) => typeof argument !== 'string')) {
    throw typeError('bad-command', 'args must be an array of strings')
  }
  const words: readonly string[] = [command, cwd ?? '', ...args]
  if (words.some((word) => word.includes('\0')))
    throw typeError('bad-command', 'command, args and cwd must not contain NUL')
}

/** Throws `TypeError` for what cannot be an environment. Says which variable is wrong, never its value. */
export function checkEnvironment(env: Readonly<Record<string, string | undefined>>): void {
  if (typeof env !== 'object' || env === null || Array.isArray(env)) {
    throw typeError('bad-command', "env must be an object of strings, as in { LOG_LEVEL: 'debug' }")
  }
  for (const [name, value] of Object.entries(env)) {
    if (name === '' || name.includes('=') || name.includes('\0')) {
      throw typeError(
        'bad-command',
        "The name of an environment variable must not be empty and has no '=' and no NUL in it",
      )
    }
    if (value !== undefined && (typeof value !== 'string' || value.includes('\0'))) {
      throw typeError('bad-command', `Environment variable '${name}' must be a string without NUL`)
    }
  }
}

const MASK = '***'
const TELLING_NAME = /key|token|secret|pass|auth|credential|bearer|pwd/i

/** As long and mixed as keys are, and nothing that names a file or a package. */
const TOKEN = /(?=[^\\/]*\d)(?=[^\\/]*[a-z])[\w+=.-]{20,}/i
/** A short option may have its value right behind it. */
const OPTION = /^(?:--[a-z][\w-]*|-\w|-[a-z]+)$/i
const OPTION_WITH_VALUE = /^(--?[\w-]+)=/
const PATH = /^(?:\.{1,2}|~|[a-z]:)?[\\/]|\.(?:[cm]?[jt]sx?|py|rb|sh|jar|php|exe|wasm)$/i
/** With a digit only in its version: passwords are made of such words too, but rarely without one. */
const PACKAGE = /^(?:@[a-z][\w.-]*\/)?[a-z_.-]+(?:@[\d.]+)?$/i
const SCOPED = /^@[a-z][\w.-]*\/[a-z][\w.-]*(?:@[\w.^~-]+)?$/i
const MAX_SHOWN_LENGTH = 300

/** Options keep their names and lose their values; what names a file or a package stays; the rest is hidden. */
export function maskCommand(command: string, args: readonly string[]): string {
  const words = args.map((word, index) => maskWord(word, args[index - 1]))
  const line = [command, ...words].join(' ')
  return line.length > MAX_SHOWN_LENGTH ? `${line.slice(0, MAX_SHOWN_LENGTH)}…` : line
}

function maskWord(word: string, before: string | undefined): string {
  // Longer than is shown, and than the patterns below are made for.
  if (word.length > MAX_SHOWN_LENGTH) return MASK
  if (OPTION.test(word)) return TOKEN.test(word) ? MASK : word
  const [, name] = OPTION_WITH_VALUE.exec(word) ?? []
  if (name !== undefined) return `${name}=${MASK}`
  const isAnnounced = before !== undefined && OPTION.test(before) && TELLING_NAME.test(before)
  if (isAnnounced) return MASK
  if (PATH.test(word) || SCOPED.test(word)) return word
  return PACKAGE.test(word) && !TOKEN.test(word) ? word : MASK
}

const MAX_STDERR_LINES = 10
const MAX_STDERR_LENGTH = 2_000
const ERROR_LINE = /^[\w.]*(?:Error|Exception)\b/

/** The last lines of the program's standard error, as the end of a message; empty where there are none. */
export function quoteStderr(lines: readonly string[]): string {
  if (lines.length === 0) return ''
  // The stack and the members of an error may be longer than what is shown, and its message stands above them.
  const at = lines.findLastIndex((line) => ERROR_LINE.test(line))
  const isAbove = at !== -1 && at < lines.length - MAX_STDERR_LINES
  const shown = isAbove ? [lines[at], ...lines.slice(1 - MAX_STDERR_LINES)] : lines.slice(-MAX_STDERR_LINES)
  const text = shown.join('\n  ')
  return `. The last lines of its stderr:\n  ${text.length > MAX_STDERR_LENGTH ? `…${text.slice(-MAX_STDERR_LENGTH)}` : text}`
}

const USER_INFO = /^([a-z][a-z0-9+.-]*:\/\/)[^/?#]*@/i
const QUERY_OR_FRAGMENT = /[?#].*$/s

/** A URI as it may be shown: without user and password, and without a query, which is an argument by another name. */
export function withoutSecrets(uri: string): string {
  return uri.replace(QUERY_OR_FRAGMENT, '').replace(USER_INFO, '$1')
}
