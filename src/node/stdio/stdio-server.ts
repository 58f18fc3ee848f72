// The server's side of stdio: one client, on the standard streams of this process.

import type { Readable, Writable } from 'node:stream'
import type { Channel } from '../../dispatcher/channel.ts'
import type { CloseOptions } from '../../dispatcher/dispatcher.ts'
import { MAX_TIMER_MS } from '../../primitives/async/timer.ts'
import { checkKeys, type KnownKeys } from '../../primitives/json/known-keys.ts'
import { type FaultSource, logFaultsOf } from '../../server/fault-log.ts'
import type { LinePipe } from './line-writer.ts'
import { findLauncher, openLaunchedPipe, takeLaunchedDescriptor } from './stdio-launched.ts'
import { guardStdout } from './stdout-guard.ts'
import { StreamChannel } from './stream-channel.ts'

/** Anything that can serve a client over a channel: `Server`, `MCPServer`. */
export interface StdioServer extends FaultSource {
  connect(channel: Channel): Promise<{ readonly ended: Promise<void>; close(options?: CloseOptions): Promise<void> }>
}

/**
 * What is kept away from the protocol on stdout. `auto`: everything, where descriptor 1 is a pipe or a file; where it is a
 * socket, as Node gives its children, whatever is written to `process.stdout`. `respawn`: everything, by starting the program
 * once more with a pipe of its own. `guard`: whatever is written to `process.stdout`, and the descriptors stay as they are.
 */
export type StdioIsolation = 'auto' | 'respawn' | 'guard'

export interface ServeStdioOptions {
  /** Instead of the standard streams. Then nothing of the process is touched: no guard, no signals. */
  input?: Readable
  output?: Writable
  /** How long calls under way may take to finish when the client has gone; 5 s unless given. */
  drainMs?: number
  /**
   * What is kept away from the protocol; `auto` unless given. With `respawn` the program runs up to here twice, and this process
   * exits with the code of the other one. Not for streams of your own.
   */
  isolate?: StdioIsolation
}

export const SERVE_STDIO_KEYS: KnownKeys<ServeStdioOptions> = {
  input: true,
  output: true,
  drainMs: true,
  isolate: true,
}

const ISOLATIONS: readonly unknown[] = ['auto', 'respawn', 'guard'] satisfies StdioIsolation[]
const CLAIM = Symbol.for('mcpwire.stdio-claim')
const SIGNALS = ['SIGINT', 'SIGTERM'] as const

/**
 * Serves one client, of either era, until it closes our input, goes away, or the process is told to end; calls under way may
 * finish within `drainMs`. Rejects where what the client writes has no lines. Meanwhile the protocol owns stdout, and everything else that is written to it goes to stderr.
 */
export async function serveStdio(server: StdioServer, options: ServeStdioOptions = {}): Promise<void> {
  checkKeys('serveStdio()', options, SERVE_STDIO_KEYS)
  const { isolate = 'auto' } = options
  checkIsolation(isolate, options)
  if (isolate === 'respawn' && findLauncher() !== 'ours') return respawn()
  logFaultsOf(server)
  if (options.input !== undefined && options.output !== undefined) {
    await serve(server, new StreamChannel(options.input, options.output), options.drainMs)
    return
  }
  const release = claimStdio()
  try {
    const launched = takeLaunchedDescriptor()
    // The guard stands before anyone else has a turn: only the pipe of a launcher may be waited for.
    await serveStreams(server, options, launched === undefined ? guardStreams(isolate) : await openPipe(launched))
  } finally {
    release()
  }
}

function checkIsolation(isolate: StdioIsolation, { input, output }: ServeStdioOptions): void {
  if (!ISOLATIONS.includes(isolate)) {
    throw new RangeError(`isolate is ${JSON.stringify(isolate)}. Use 'auto', 'respawn' or 'guard'.`)
  }
  if (isolate === 'respawn' && (input !== undefined || output !== undefined)) {
    throw new TypeError(`isolate: 'respawn' is for the standard streams. Remove it, or input and output.`)
  }
}

/** In another process. This one is over when that one is, and leaves with its code. */
async function respawn(): Promise<never> {
  const { respawnProgram } = await import('./stdio-launcher.ts')
  return process.exit(await respawnProgram())
}

async function serveStreams(server: StdioServer, options: ServeStdioOptions, streams: ProcessStreams): Promise<void> {
  const signal = hearSignal()
  // Handlers may wait for things that hold nothing open, and then the process would end in the middle of a connection.
  const presence = setInterval(() => {}, MAX_TIMER_MS)
  try {
    const channel = new StreamChannel(options.input ?? streams.input, options.output ?? streams.output)
    await serve(server, channel, options.drainMs, signal.heard)
  } finally {
    clearInterval(presence)
    signal.forget()
    streams.release()
  }
  const name = signal.name()
  // Whoever told us to end learns from the exit that we did because of that.
  if (name !== undefined) process.kill(process.pid, name)
}

async function serve(
  server: StdioServer,
  channel: StreamChannel,
  drainMs = 5_000,
  told: Promise<void> = new Promise(() => {}),
): Promise<void> {
  const served = await server.connect(channel)
  const end = () => served.close({ drainMs })
  void channel.inputEnded.then(end)
  void told.then(end)
  await served.ended
  await channel.close()
  if (channel.failure !== undefined) throw channel.failure
}

interface ProcessStreams {
  readonly input: Readable
  readonly output: LinePipe
  release(): void
}

async function openPipe(descriptor: number): Promise<ProcessStreams> {
  const pipe = await openLaunchedPipe(descriptor)
  return { input: pipe, output: pipe, release: () => pipe.destroy() }
}

/** The standard streams, which the protocol must share with nobody. */
function guardStreams(isolate: StdioIsolation): ProcessStreams {
  const guard = guardStdout({ inJavaScriptOnly: isolate === 'guard' })
  const { stdin } = process
  const release = () => {
    guard.release()
    // An input that nobody reads must not keep the process.
    stdin.destroy()
  }
  return { input: stdin, output: guard.stream, release }
}

/** The standard streams exist once, so one server at a time can have them. */
function claimStdio(): () => void {
  const holder = globalThis as { [CLAIM]?: boolean }
  if (holder[CLAIM] === true) {
    throw new Error('stdio is taken: another server of this process is being served over it')
  }
  holder[CLAIM] = true
  return () => {
    holder[CLAIM] = false
  }
}

/** The first signal begins the end; a second one ends the process as if we had never listened. */
function hearSignal() {
  let name: NodeJS.Signals | undefined
  let tell = () => {}
  const heard = new Promise<void>((resolve) => {
    tell = resolve
  })
  const listen = (signal: NodeJS.Signals) => {
    if (name !== undefined) {
      forget()
      process.kill(process.pid, signal)
      return
    }
    name = signal
    tell()
  }
  const forget = () => {
    for (const signal of SIGNALS) process.off(signal, listen)
  }
  for (const signal of SIGNALS) process.on(signal, listen)
  return { heard, forget, name: () => name }
}
