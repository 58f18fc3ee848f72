// Where a command speaks: results to stdout, everything else to stderr. A reader who has gone ends the command quietly.
import { fstatSync } from 'node:fs'
import type { Writable } from 'node:stream'
import { createColors } from 'picocolors'
import { createDeferred } from './primitives.ts'

/** What a command writes with. Text of a server goes through `showText` or `showJSON` first: nothing here looks at it. */
export interface Output {
  /** For whoever asked: to stdout, with a line end. */
  print(text: string): void
  /** For the person who watches: to stderr, with a line end. */
  note(text: string): void
  readonly paint: Paint
  /** Resolves once nobody is there to read a result. */
  readonly readerGone: Promise<void>
  /** Why a result was not written, unless nobody wanted it. */
  readonly lostOutput: Error | undefined
}

export interface Paint {
  bold(text: string): string
  dim(text: string): string
}

export interface OutputStreams {
  stdout: Writable & { isTTY?: boolean }
  stderr: Writable & { isTTY?: boolean }
  env: NodeJS.ProcessEnv
}

export function createOutput({ stdout, stderr, env }: OutputStreams): Output {
  const gone = createDeferred<void>()
  let lost: Error | undefined
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    // Whoever reads `mcpwire inspect … | head` has all that was wanted.
    if (error.code !== 'EPIPE') lost = error
    gone.resolve()
  })
  stderr.on('error', () => {
    if (isOnePipe()) gone.resolve()
  })
  const write = (stream: Writable, text: string) => {
    if (stream.writable) stream.write(`${text}\n`)
  }
  return {
    print: (text) => write(stdout, text),
    note: (text) => write(stderr, text),
    paint: createColors(stdout.isTTY === true && !env['NO_COLOR'] && env['TERM'] !== 'dumb'),
    readerGone: gone.promise,
    get lostOutput() {
      return lost
    },
  }
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
