// The standard error of a child: always read, so that the child never blocks; passed on as the option says; its end is kept.
import type { Readable } from 'node:stream'
import { stripVTControlCharacters } from 'node:util'
import { callBack } from '../../primitives/async/call-back.ts'
import { LineSplitter } from '../../primitives/lines.ts'
import { PipeReader, type TakeChunk } from './pipe-reader.ts'

const NEWLINE = 0x0a

/** The last `max` bytes of a stream. */
export class ByteTail {
  readonly #max: number
  #buffer: Uint8Array = new Uint8Array(0)
  #length = 0
  #isCut = false

  constructor(max: number) {
    this.#max = max
  }

  push(chunk: Uint8Array): void {
    // Twice the size, so that bytes are moved now and then and not with each chunk.
    if (this.#buffer.length === 0) this.#buffer = new Uint8Array(this.#max * 2)
    const piece = chunk.subarray(-this.#max)
    if (this.#length + piece.length > this.#buffer.length) this.#keepLast(this.#max - piece.length)
    this.#buffer.set(piece, this.#length)
    this.#length += piece.length
    if (this.#length > this.#max || piece.length < chunk.length) this.#isCut = true
  }

  /** All bytes; once some were dropped, the whole lines at the end, or the end of a single long line. */
  bytes(): Uint8Array {
    const bytes = this.#buffer.subarray(Math.max(0, this.#length - this.#max), this.#length)
    const lineStart = this.#isCut ? bytes.indexOf(NEWLINE) + 1 : 0
    return lineStart < bytes.length ? bytes.subarray(lineStart) : bytes
  }

  #keepLast(count: number): void {
    this.#buffer.copyWithin(0, this.#length - count, this.#length)
    this.#length = count
  }
}

/** Where the lines of stderr go: to the stderr of this process, nowhere, or to a function, one by one. */
export type StderrOption = 'inherit' | 'ignore' | ((line: string) => void)

const KEPT_BYTES = 64 * 1024
const CONTROL_CHARACTERS = /[^\P{Cc}\t]/gu

const decoder = new TextDecoder()

export class ChildStderr {
  readonly #reader: PipeReader
  readonly #tail = new ByteTail(KEPT_BYTES)

  /** `onFailure` gets the errors of the function for lines. */
  constructor(stream: Readable, option: StderrOption, onFailure: (error: unknown) => void) {
    const outlet = createOutlet(option, onFailure)
    this.#reader = new PipeReader(stream)
    this.#reader.start((chunk) => {
      this.#tail.push(chunk)
      return outlet.take(chunk)
    })
    void this.#reader.ended.then(() => outlet.end?.())
  }

  /** Waits for the last output of a child that has exited. */
  readRest(): Promise<void> {
    return this.#reader.readRest()
  }

  /** The last lines, without control characters. */
  lastLines(): string[] {
    return decoder
      .decode(this.#tail.bytes())
      .split('\n')
      .map((line) => stripVTControlCharacters(line).replace(CONTROL_CHARACTERS, ''))
      .filter((line) => line.trim() !== '')
  }
}

interface Outlet {
  readonly take: TakeChunk
  end?(): void
}

function createOutlet(option: StderrOption, onFailure: (error: unknown) => void): Outlet {
  if (option === 'ignore') return { take: () => undefined }
  if (option === 'inherit') return { take: writeToOurStderr }
  return createLineOutlet(option, onFailure)
}

function writeToOurStderr(chunk: Uint8Array): Promise<void> | undefined {
  const { stderr } = process
  if (!stderr.writable) return undefined
  let written = () => {}
  const hasRoom = stderr.write(chunk, (error) => {
    // The reader of our stderr is gone. An error event without a listener would end this process.
    if (error && stderr.listenerCount('error') === 0) stderr.once('error', () => {})
    written()
  })
  if (hasRoom) return undefined
  return new Promise((resolve) => {
    written = resolve
  })
}

function createLineOutlet(onLine: (line: string) => unknown, onFailure: (error: unknown) => void): Outlet {
  const splitter = new LineSplitter(KEPT_BYTES)
  const callOnLine = (line: string): void => callBack(onLine, line, onFailure)
  return {
    take: (chunk) => {
      splitter.push(chunk)
      for (let line = splitter.next(); line !== undefined; line = splitter.next()) {
        if (line instanceof Uint8Array) callOnLine(decoder.decode(line))
        else if (line.state === 'over') callOnLine(`${decoder.decode(line.head)}…`)
      }
      return undefined
    },
    end: () => {
      const rest = splitter.end()
      if (rest !== undefined) callOnLine(decoder.decode(rest))
    },
  }
}
