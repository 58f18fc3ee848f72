// Why a server did not start, printed once: the message of `mcpwire run` in the child process, or that of the connection.
import { ConnectError } from 'mcpwire'
import { EXIT } from '../terminal/exit-codes.ts'
import { Failure } from '../terminal/failure.ts'
import { showLine } from '../terminal/terminal-text.ts'
import { classify } from './classify.ts'
import { inOwnWords } from './own-words.ts'

/** Every message of the command line begins with this, also in a child process. */
const OURS = 'mcpwire: '

/** The same with `--json`. */
const OUR_JSON = '{"error":{"slug":'

/** How the message of a `ConnectError` introduces the lines that are also in `stderr`. */
const QUOTED_STDERR = '. The last lines of its stderr:\n'

/** The page about it is for URLs, too. */
const CHECK_COMMAND = 'Check that the command is an MCP server. Run it by hand to see what it prints.'

export interface StartFailure {
  failure: Failure
  /** How many of the last lines of stderr it repeats. */
  repeatedLines: number
}

/**
 * Takes the words of `mcpwire run` as its own where the server was started that way; otherwise what is known of the connection,
 * without the lines of stderr, which have been shown. `undefined` for what is no failure to connect to a process. A `file` is named
 * in place of the command that runs it, which nobody has typed.
 */
export function explainStartFailure(thrown: unknown, isRunByUs: boolean, file?: string): StartFailure | undefined {
  if (!(thrown instanceof ConnectError) || thrown.stderr === undefined) return undefined
  const lines = thrown.stderr
  const start = isRunByUs ? lines.findLastIndex(isOurs) : -1
  if (start === -1) {
    const { slug, message: whole, fix, exitCode } = classify(thrown)
    const message = withoutStderr(whole)
    const own = file === undefined ? undefined : describeFile(thrown, file)
    const failure = new Failure(own === undefined ? message : inOwnWords(own.message ?? ''), {
      slug,
      hint: own?.fix ?? (slug === 'not-an-mcp-server' ? CHECK_COMMAND : fix),
      exitCode,
      cause: thrown,
    })
    return { failure, repeatedLines: 0 }
  }
  const said = readLine(lines[start] ?? '') ?? readSentences(lines.slice(start))
  const exitCode = thrown.exitCode === EXIT.usage ? EXIT.usage : EXIT.noConnection
  const failure = new Failure(said.message, { slug: said.slug, hint: said.fix, exitCode, cause: thrown })
  return { failure, repeatedLines: lines.length - start }
}

/** For what has shown those lines, or needs one line. */
export function withoutStderr(message: string): string {
  return message.split(QUOTED_STDERR)[0] ?? ''
}

function describeFile({ message, target, exitCode, signal }: ConnectError, file: string) {
  const shown = showLine(file)
  const end = exitCode !== undefined ? `ended with exit code ${exitCode}` : signal && `was ended by ${signal}`
  if (!end) return { message: message.split(QUOTED_STDERR)[0]?.replace(target, shown), fix: undefined }
  return {
    message: `${shown} ${end} before it served.`,
    fix: `Run \`mcpwire run ${shown}\` to see why. Use --env for variables that it needs.`,
  }
}

interface Said {
  slug: string
  message: string
  fix: string | undefined
}

/** The line of `mcpwire run --json`. */
function readLine(line: string): Said | undefined {
  if (!line.startsWith(OUR_JSON)) return undefined
  try {
    const { slug, message, fix } = (JSON.parse(line) as { error: Record<string, unknown> }).error
    return { slug: String(slug), message: String(message), fix: typeof fix === 'string' ? fix : undefined }
  } catch {
    return undefined
  }
}

/** Lines that belong to a message are indented; one that is not says what to do about it. */
function readSentences([first = '', ...more]: readonly string[]): Said {
  const words = [first.replace(OURS, ''), ...more]
  const hintAt = words.findIndex((line, index) => index > 0 && !line.startsWith('  '))
  const end = hintAt === -1 ? words.length : hintAt
  const message = words.slice(0, end).map((line) => line.replace(/^ {2}/, ''))
  return {
    slug: 'server-exited',
    message: message.join('\n'),
    fix: hintAt === -1 ? undefined : words.slice(hintAt).join('\n'),
  }
}

function isOurs(line: string): boolean {
  return line.startsWith(OURS) || line.startsWith(OUR_JSON)
}

/** Prints the stderr of a server as it comes, but holds back lines that a failure message may repeat. */
export class StderrLines {
  readonly #show: (line: string) => void
  #holds: boolean
  #held: string[] = []

  constructor(isRunByUs: boolean, show: (line: string) => void) {
    this.#holds = isRunByUs
    this.#show = show
  }

  readonly take = (line: string): void => {
    if (this.#holds && (this.#held.length > 0 || isOurs(line))) this.#held.push(line)
    else this.#showWords(line)
  }

  /** A program that fails after it has served is no failure to start: its message is shown in words. */
  #showWords(line: string): void {
    const said = readLine(line)
    if (said === undefined) this.#show(line)
    else for (const each of [`${OURS}${said.message}`, ...(said.fix === undefined ? [] : [said.fix])]) this.#show(each)
  }

  /** The server has started, or the failure message repeats its last lines. */
  release({ withoutLast = 0 }: { withoutLast?: number } = {}): void {
    this.#holds = false
    const shown = this.#held.slice(0, Math.max(0, this.#held.length - withoutLast))
    this.#held = []
    for (const line of shown) this.#showWords(line)
  }
}
