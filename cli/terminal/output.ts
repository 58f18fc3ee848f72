// The output of a command: results to stdout, everything else to stderr. A command whose reader has gone ends without an error.
import { fstatSync } from 'node:fs'
import type { Writable } from 'node:stream'
import { createColors } from 'picocolors'
import { fitLine } from './columns.ts'
import { createDeferred } from './primitives.ts'

/** Callers pass text of a server through `showText` or `showJSON` first: nothing here escapes it. */
export interface Output {
  /** The result: to stdout, with a line end. */
  print(text: string): void
  /** The result as bytes: to stdout, and nothing else. */
  printBytes(bytes: Uint8Array): void
  /** Notes for the user: to stderr, with a line end; not with `--quiet`. */
  note(text: string): void
  /** Notes that only `--verbose` shows. */
  detail(text: string): void
  /** Why the command failed: to stderr, always. */
  problem(text: string): void
  /** The line below all others on a terminal, such as a progress bar; `undefined` removes it. */
  status(line: string | undefined): void
  /** Colors for stdout. */
  readonly paint: Paint
  /** Colors for stderr. */
  readonly notePaint: Paint
  /** Whether a person reads stdout. */
  readonly isTerminal: boolean
  /** Whether `status` is shown. */
  readonly hasStatus: boolean
  /** Columns of stdout; 80 where it is not a terminal. */
  readonly width: number
  /** Columns of stderr. */
  readonly noteWidth: number
  /** Whether the result is printed as JSON. */
  readonly isJSON: boolean
  readonly isVerbose: boolean
  /** Resolves once nothing reads the result any more. */
  readonly readerGone: Promise<void>
  /** Resolves when all results are written, or nothing reads them. */
  flush(): Promise<void>
  /** Why a result was not written; `undefined` if its reader had gone. */
  readonly lostOutput: Error | undefined
}

export interface Paint {
  bold(text: string): string
  dim(text: string): string
  red(text: string): string
  green(text: string): string
  yellow(text: string): string
}

/** What `--json`, `--quiet`, `--verbose`, `--no-color` and `--debug` say. */
export interface OutputOptions {
  json?: boolean
  quiet?: boolean
  verbose?: boolean
  color?: boolean
  debug?: boolean
}

type OutputStream = Writable & { isTTY?: boolean; columns?: number }

export interface OutputStreams {
  stdout: OutputStream
  stderr: OutputStream
  env: NodeJS.ProcessEnv
}

const DEFAULT_WIDTH = 80
/** Back to the first column, and nothing to its right. */
const CLEAR_LINE = '\r\u001b[2K'

export function createOutput({ stdout, stderr, env }: OutputStreams, options: OutputOptions = {}): Output {
  const { json = false, quiet = false, verbose = false } = options
  const gone = createDeferred<void>()
  let lost: Error | undefined
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    // `mcpwire list … | head` has read all that it wants.
    if (error.code !== 'EPIPE') lost = error
    gone.resolve()
  })
  stderr.on('error', () => {
    if (isOnePipe()) gone.resolve()
  })
  const hasStatus = stderr.isTTY === true && env['TERM'] !== 'dumb' && !quiet
  let shown: string | undefined
  const draw = (text: string) => {
    if (stderr.writable) stderr.write(text)
  }
  const write = (stream: Writable, text: string) => {
    if (!stream.writable) return
    if (shown !== undefined) draw(CLEAR_LINE)
    stream.write(`${text}\n`)
    if (shown !== undefined) draw(shown)
  }
  return {
    print: (text) => write(stdout, text),
    printBytes(bytes) {
      if (stdout.writable) stdout.write(bytes)
    },
    note: quiet ? () => {} : (text) => write(stderr, text),
    detail: verbose && !quiet ? (text) => write(stderr, text) : () => {},
    problem: (text) => write(stderr, text),
    status(line) {
      if (!hasStatus) return
      const next = line === undefined ? undefined : fitLine(line, this.noteWidth - 1)
      if (next === shown) return
      draw(`${CLEAR_LINE}${next ?? ''}`)
      shown = next
    },
    paint: createColors(hasColors(stdout, env, options)),
    notePaint: createColors(hasColors(stderr, env, options)),
    isTerminal: stdout.isTTY === true,
    hasStatus,
    get width() {
      return (stdout.isTTY && stdout.columns) || DEFAULT_WIDTH
    },
    get noteWidth() {
      return (stderr.isTTY && stderr.columns) || DEFAULT_WIDTH
    },
    isJSON: json,
    isVerbose: verbose,
    readerGone: gone.promise,
    flush: async () => {
      if (stdout.writable) {
        await Promise.race([new Promise<void>((resolve) => stdout.write('', () => resolve())), gone.promise])
      }
      // Node reports a write that failed in the next turn.
      await new Promise((resolve) => setImmediate(resolve))
    },
    get lostOutput() {
      return lost
    },
  }
}

function hasColors({ isTTY }: OutputStream, env: NodeJS.ProcessEnv, { color, json }: OutputOptions): boolean {
  if (color === false || json === true || env['NO_COLOR']) return false
  if (env['FORCE_COLOR'] !== undefined) return env['FORCE_COLOR'] !== '0' && env['FORCE_COLOR'] !== 'false'
  return isTTY === true && env['TERM'] !== 'dumb'
}

/** `2>&1 | head`: the reader of the one is the reader of the other. */
function isOnePipe(): boolean {
  try {
    const [out, err] = [fstatSync(1), fstatSync(2)]
    return out.ino === err.ino && out.dev === err.dev
  } catch {
    return false
  }
}
