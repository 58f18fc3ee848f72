// While a server speaks over stdout nobody else in the process does: what they write goes to stderr.
import { EventEmitter } from 'node:events'
import type { LinePipe } from './line-writer.ts'

export interface StdoutGuard {
  /** The real stdout, for the protocol alone. */
  readonly stream: LinePipe
  /** Gives stdout back to everyone. */
  release(): void
}

/** Where a guard is kept that was set before the server was loaded, whichever copy of this package set it. */
const GUARD = Symbol.for('mcpwire.stdout-guard')

type Holder = { [GUARD]?: StdoutGuard | undefined }

/** Guards stdout, or takes over the guard that stands already. */
export function guardStdout(): StdoutGuard {
  const holder = globalThis as Holder
  holder[GUARD] ??= createGuard(() => {
    holder[GUARD] = undefined
  })
  return holder[GUARD]
}

function createGuard(onRelease: () => void): StdoutGuard {
  const { stdout } = process
  const original = stdout.write
  let isNamed = false
  const divert = ((...args: Parameters<typeof stdout.write>) => {
    // Taken only now: Node makes the stream when it is first asked for.
    const { stderr } = process
    if (!isNamed) {
      isNamed = true
      stderr.write(
        `mcpwire: stdout belongs to the protocol; what is written to it goes to stderr. First ${findCaller(divert)}\n`,
      )
    }
    return stderr.write(...args)
  }) as typeof stdout.write
  stdout.write = divert
  // A host that went away must not end us with an exception: the writer hears of it too.
  stdout.off('error', ignore).on('error', ignore)

  const stream = new RealStdout(original)
  return {
    stream,
    release: () => {
      if (stdout.write === divert) stdout.write = original
      stream.detach()
      onRelease()
    },
  }
}

/** Stays after the guard has gone, for a write that fails late; once, however many guards there were. */
function ignore(): void {}

/** Not a stream around a stream: that would double what it costs to write a line. */
class RealStdout extends EventEmitter implements LinePipe {
  readonly #write: typeof process.stdout.write
  readonly #tellError = (error: Error) => void (this.listenerCount('error') > 0 && this.emit('error', error))
  readonly #tellDrain = () => void this.emit('drain')

  constructor(write: typeof process.stdout.write) {
    super()
    this.#write = write
    process.stdout.on('error', this.#tellError).on('drain', this.#tellDrain)
  }

  get writable(): boolean {
    return process.stdout.writable
  }

  get writableNeedDrain(): boolean {
    return process.stdout.writableNeedDrain
  }

  get writableLength(): number {
    return process.stdout.writableLength
  }

  get errored(): Error | null {
    return process.stdout.errored
  }

  write(chunk: string | Uint8Array): boolean {
    return this.#write.call(process.stdout, chunk)
  }

  cork(): void {
    process.stdout.cork()
  }

  uncork(): void {
    process.stdout.uncork()
  }

  /** Nobody can close the stdout of a process: this is done when all has been written. */
  end(done: () => void): void {
    this.#write.call(process.stdout, '', 'utf8', () => done())
  }

  detach(): void {
    process.stdout.off('error', this.#tellError).off('drain', this.#tellDrain)
  }
}

/** The first line of the stack below `divert` that is not Node's. */
function findCaller(divert: typeof process.stdout.write): string {
  const trace: { stack?: string } = {}
  Error.captureStackTrace(trace, divert)
  const lines = trace.stack?.split('\n').slice(1) ?? []
  return lines.find((line) => !line.includes('node:'))?.trim() ?? 'by someone unknown'
}
