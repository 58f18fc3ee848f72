// While a server speaks over stdout nobody else in the process does: what they write goes to stderr.
import { Writable } from 'node:stream'

/** The real stdout, for the protocol alone. */
export interface StdoutGuard {
  readonly stream: Writable
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
  const ignore = () => {}
  stdout.on('error', ignore)

  const stream = new Writable({
    decodeStrings: false,
    write: (chunk: string | Uint8Array, encoding, done) => {
      original.call(stdout, chunk as string, encoding, (error) => done(error))
    },
    // In one go, so that a reader is not woken for each of them.
    writev: (chunks, done) => {
      const last = chunks.pop()
      stdout.cork()
      for (const { chunk, encoding } of chunks) original.call(stdout, chunk, encoding)
      original.call(stdout, last?.chunk, last?.encoding, (error) => done(error))
      stdout.uncork()
    },
  })
  return {
    stream,
    release: () => {
      if (stdout.write === divert) stdout.write = original
      onRelease()
    },
  }
}

/** The first line of the stack below `divert` that is not Node's. */
function findCaller(divert: typeof process.stdout.write): string {
  const trace: { stack?: string } = {}
  Error.captureStackTrace(trace, divert)
  const lines = trace.stack?.split('\n').slice(1) ?? []
  return lines.find((line) => !line.includes('node:'))?.trim() ?? 'by someone unknown'
}
