// Where a command speaks: results to stdout, everything else to stderr. A reader who has gone ends the command quietly.
import type { Writable } from 'node:stream'
import { createColors } from 'picocolors'

/** What a command writes with. Text of a server goes through `showText` or `showJSON` first: nothing here looks at it. */
export interface Output {
  /** For whoever asked: to stdout, with a line end. */
  print(text: string): void
  /** For the person who watches: to stderr, with a line end. */
  note(text: string): void
  readonly paint: Paint
}

export interface Paint {
  bold(text: string): string
  dim(text: string): string
  red(text: string): string
}

export interface OutputStreams {
  stdout: Writable & { isTTY?: boolean }
  stderr: Writable & { isTTY?: boolean }
  env: NodeJS.ProcessEnv
}

export function createOutput({ stdout, stderr, env }: OutputStreams): Output {
  // Writing to a pipe that is closed is no failure: whoever reads `mcpwire inspect … | head` has all that was wanted.
  stdout.on('error', () => {})
  stderr.on('error', () => {})
  const write = (stream: Writable, text: string) => {
    if (stream.writable) stream.write(`${text}\n`)
  }
  return {
    print: (text) => write(stdout, text),
    note: (text) => write(stderr, text),
    paint: createColors(stdout.isTTY === true && !env['NO_COLOR'] && env['TERM'] !== 'dumb'),
  }
}
