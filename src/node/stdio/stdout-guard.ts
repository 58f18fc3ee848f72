// While a server speaks over stdout nobody else does: what they write goes to stderr. Where descriptor 1 can be taken that holds
// for everyone; elsewhere for whoever writes to `process.stdout`.
import type { LinePipe } from './line-writer.ts'
import { takeStdout } from './stdout-descriptor.ts'

export interface StdoutGuard {
  /** The real stdout, for the protocol alone. */
  readonly stream: LinePipe
  /** Gives stdout back to everyone. */
  release(): void
}

/** Where a guard is kept that was set before the server was loaded, whichever copy of this package set it. */
const GUARD = Symbol.for('mcpwire.stdout-guard')

type Holder = { [GUARD]?: StdoutGuard | undefined }

export interface GuardOptions {
  /** Leaves the descriptors of the process alone. */
  inJavaScriptOnly?: boolean
}

/** Guards stdout, or takes over the guard that stands already. */
export function guardStdout(options: GuardOptions = {}): StdoutGuard {
  const holder = globalThis as Holder
  holder[GUARD] ??= createGuard(options, () => {
    holder[GUARD] = undefined
  })
  return holder[GUARD]
}

function createGuard({ inJavaScriptOnly = false }: GuardOptions, onRelease: () => void): StdoutGuard {
  const taken = inJavaScriptOnly ? undefined : takeStdout()
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

  const shared = taken === undefined ? new RealStdout(original) : undefined
  return {
    stream: (shared ?? taken?.stream) as LinePipe,
    release: () => {
      if (stdout.write === divert) stdout.write = original
      shared?.detach()
      taken?.restore()
      onRelease()
    },
  }
}

/** Stays after the guard has gone, for a write that fails late; once, however many guards there were. */
function ignore(): void {}

/** Not a stream around a stream: that would double what it costs to write a line. */
class RealStdout implements LinePipe {
  readonly isLast = true
  // Kept: the process looks for it each time that it is asked.
  readonly #stdout = process.stdout
  readonly #write: typeof process.stdout.write
  readonly #listeners: [event: string, listener: (error: Error) => void][] = []

  constructor(write: typeof process.stdout.write) {
    this.#write = write
  }

  get writable(): boolean {
    return this.#stdout.writable
  }

  get writableNeedDrain(): boolean {
    return this.#stdout.writableNeedDrain
  }

  get writableLength(): number {
    return this.#stdout.writableLength
  }

  get errored(): Error | null {
    return this.#stdout.errored
  }

  on(event: string, listener: (error: Error) => void): void {
    this.#listeners.push([event, listener])
    this.#stdout.on(event, listener)
  }

  once(event: string, listener: () => void): void {
    this.#listeners.push([event, listener])
    this.#stdout.once(event, listener)
  }

  write(chunk: string | Uint8Array): boolean {
    return this.#write.call(this.#stdout, chunk)
  }

  cork(): void {
    this.#stdout.cork()
  }

  uncork(): void {
    this.#stdout.uncork()
  }

  /** Nobody can close the stdout of a process: this is done when all has been written. */
  end(done: () => void): void {
    this.#write.call(this.#stdout, '', 'utf8', () => done())
  }

  detach(): void {
    for (const [event, listener] of this.#listeners.splice(0)) this.#stdout.off(event, listener)
  }
}

/** The first line of the stack below `divert` that is not Node's. */
function findCaller(divert: typeof process.stdout.write): string {
  const trace: { stack?: string } = {}
  Error.captureStackTrace(trace, divert)
  const lines = trace.stack?.split('\n').slice(1) ?? []
  return lines.find((line) => !line.includes('node:'))?.trim() ?? 'by someone unknown'
}
