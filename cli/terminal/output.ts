// The output of a command: results to stdout, everything else to stderr. A command whose reader has gone ends without an error.
import { fstatSync } from 'node:fs'
import type { Writable } from 'node:stream'
import { createColors } from 'picocolors'
import { createDeferred } from './primitives.ts'

/** Callers pass text of a server through `showText` or `showJSON` first: nothing here escapes it. */
export interface Output {
  /** The result: to stdout, with a line end. */
  print(text: string): void
  /** Notes for the user: to stderr, with a line end. */
  note(text: string): void
  readonly paint: Paint
  /** Resolves once nothing reads the result any more. */
  readonly readerGone: Promise<void>
  /** Why a result was not written; `undefined` if its reader had gone. */
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
    // `mcpwire inspect … | head` has read all that it wants.
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
