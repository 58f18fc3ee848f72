// Why a server did not start, printed once: the message of `mcpwire run` in the child process, or that of the connection.
import { ConnectError } from 'mcpwire'
import { Failure } from './failure.ts'

/** Every message of the command line begins with this, also in a child process. */
const OURS = 'mcpwire: '

/** How the message of a `ConnectError` introduces the lines that are also in `stderr`. */
const QUOTED_STDERR = '. The last lines of its stderr:\n'

export interface StartFailure {
  failure: Failure
  /** How many of the last lines of stderr it repeats. */
  repeatedLines: number
}

/**
 * Takes the words of `mcpwire run` as its own where the server was started that way; otherwise what is known of the connection,
 * without the lines of stderr, which have been shown. `undefined` for what is no failure to connect to a process.
 */
export function explainStartFailure(thrown: unknown, isRunByUs: boolean): StartFailure | undefined {
  if (!(thrown instanceof ConnectError) || thrown.stderr === undefined) return undefined
  const lines = thrown.stderr
  const start = isRunByUs ? lines.findLastIndex((line) => line.startsWith(OURS)) : -1
  if (start === -1) {
    const [message = ''] = thrown.message.split(QUOTED_STDERR)
    return { failure: new Failure(message, { cause: thrown }), repeatedLines: 0 }
  }
  const words = [(lines[start] ?? '').slice(OURS.length), ...lines.slice(start + 1)]
  // Lines that belong to a message are indented; one that is not says what to do about it.
  const hintAt = words.findIndex((line, index) => index > 0 && !line.startsWith('  '))
  const end = hintAt === -1 ? words.length : hintAt
  const message = words.slice(0, end).map((line) => line.replace(/^ {2}/, ''))
  const exitCode = thrown.exitCode === 2 ? 2 : 1
  const failure = new Failure(message.join('\n'), {
    exitCode,
    cause: thrown,
    ...(hintAt !== -1 && { hint: words.slice(hintAt).join('\n') }),
  })
  return { failure, repeatedLines: lines.length - start }
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
    if (this.#holds && (this.#held.length > 0 || line.startsWith(OURS))) this.#held.push(line)
    else this.#show(line)
  }

  /** The server has started, or the failure message repeats its last lines. */
  release({ withoutLast = 0 }: { withoutLast?: number } = {}): void {
    this.#holds = false
    const shown = this.#held.slice(0, Math.max(0, this.#held.length - withoutLast))
    this.#held = []
    for (const line of shown) this.#show(line)
  }
}
