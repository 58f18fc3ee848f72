// Keeps everything except the protocol off stdout while a server uses it: other output goes to stderr. If descriptor 1 can be
// replaced, that holds for all writers; otherwise for writes to `process.stdout`.
import type { LinePipe } from './line-writer.ts'
import { takeStdout } from './stdout-descriptor.ts'

export interface StdoutGuard {
  /** The real stdout, for the protocol alone. */
  readonly stream: LinePipe
  /** Ends the guard: stdout is for everyone again. */
  release(): void
}

/** The key of the guard on `globalThis`: it may be set before the server is loaded, by another copy of this package. */
const GUARD = Symbol.for('mcpwire.stdout-guard')

type Holder = { [GUARD]?: StdoutGuard | undefined }

export interface GuardOptions {
  /** Does not change the descriptors of the process. */
  inJavaScriptOnly?: boolean
}

/** Guards stdout, or returns the guard that exists already. */
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
    // Read here, because Node creates the stream at first access.
    const { stderr } = process
    if (!isNamed) {
      isNamed = true
      stderr.write(
        `mcpwire: stdout belongs to the protocol, so other output goes to stderr. First ${findCaller(divert)}\n`,
      )
    }
    return stderr.write(...args)
  }) as typeof stdout.write
  stdout.write = divert
  // A host that has disconnected must not end this process with an exception; the writer gets the error too.
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

/** Stays after the guard ends, for a write that fails late. Added once, even with several guards. */
function ignore(): void {}

/** Not a stream around a stream, which would double the cost of writing a line. */
class RealStdout implements LinePipe {
  readonly isLast = true
  // Cached: `process.stdout` is a getter.
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

  /** The stdout of a process can't be closed: calls `done` when everything is written. */
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
  return lines.find((line) => !line.includes('node:'))?.trim() ?? 'at an unknown place'
}
