// The server's side of stdio: one client, on the standard streams of this process.

import type { Readable, Writable } from 'node:stream'
import type { Channel } from '../../dispatcher/channel.ts'
import type { CloseOptions } from '../../dispatcher/dispatcher.ts'
import { createDeferred } from '../../primitives/async/promises.ts'
import { MAX_TIMER_MS } from '../../primitives/async/timer.ts'
import { orderError, rangeError, typeError } from '../../primitives/help.ts'
import { loading } from '../../primitives/loading.ts'
import { assertCount, checkKeys, type KnownKeys } from '../../primitives/options.ts'
import type { ServerCore } from '../../server/core.ts'
import { findCore } from '../../server/internals.ts'
import { endBySignal, ShutdownSignals } from '../process/signals.ts'
import { findLauncher, openLauncherPipe, takeLauncherDescriptor } from './launcher-pipe.ts'
import type { LinePipe } from './line-writer.ts'
import { guardStdout } from './stdout-guard.ts'
import type { StreamChannel } from './stream-channel.ts'

/** Anything that can serve a client over a channel: `Server`, `MCPServer`. */
export interface StdioServer {
  /** Serves the one client of this process. */
  connect(channel: Channel): Promise<{ readonly ended: Promise<void>; close(options?: CloseOptions): Promise<void> }>
}

/**
 * What is kept off the protocol's stdout. `auto`: everything, if descriptor 1 is a pipe or a file opened for appending; if it is a
 * socket, as when Node started this process, or another file, only writes to `process.stdout`. `respawn`: everything, by starting the program once more with a
 * pipe of its own. `guard`: only writes to `process.stdout`; the descriptors stay as they are.
 */
export type StdioIsolation = 'auto' | 'respawn' | 'guard'

/** Options of `serveStdio()`. */
export interface ServeStdioOptions {
  /** Instead of the standard streams. With both, `serveStdio` does not guard stdout and does not listen to signals. */
  input?: Readable | undefined
  /** Where messages are written, in place of the standard output. */
  output?: Writable | undefined
  /** How long running calls may take to finish after the client has disconnected (default: 5,000 ms). */
  drainMs?: number | undefined
  /**
   * What is kept off the protocol's stdout (default: `auto`). With `respawn`, the program runs twice up to this call, and this
   * process exits with the code of the other one. Not allowed with `input` or `output`.
   */
  isolate?: StdioIsolation | undefined
  /** The longest message that is accepted from the client in bytes, one line each (default: 4 MiB). */
  maxLineBytes?: number | undefined
}

export const SERVE_STDIO_KEYS: KnownKeys<ServeStdioOptions> = {
  input: true,
  output: true,
  drainMs: true,
  isolate: true,
  maxLineBytes: true,
}

const ISOLATIONS: readonly unknown[] = ['auto', 'respawn', 'guard'] satisfies StdioIsolation[]
/** Shared by all copies of the package in this process. */
const STDIO_IN_USE = Symbol.for('mcpwire.stdio-claim')

/** Makes the channel over these streams; loads what that takes, if need be. */
export type CreateChannel = (
  input: Readable,
  output: LinePipe,
  maxLineBytes?: number,
) => StreamChannel | Promise<StreamChannel>

/** As `serveStdio`. */
export async function serveStdioBy(
  create: CreateChannel,
  server: StdioServer,
  options: ServeStdioOptions,
): Promise<void> {
  checkKeys('serveStdio()', options, SERVE_STDIO_KEYS)
  const { isolate = 'auto', maxLineBytes } = options
  checkIsolation(isolate, options)
  if (maxLineBytes !== undefined) assertCount('maxLineBytes', maxLineBytes, 1)
  if (isolate === 'respawn' && findLauncher() !== 'own') return respawn()
  if (options.input !== undefined && options.output !== undefined) {
    await serveChannel(server, await create(options.input, options.output, maxLineBytes), options.drainMs)
    return
  }
  const release = claimStdio()
  try {
    const descriptor = takeLauncherDescriptor()
    // Guarded in this turn, before other code can write to stdout. Only the pipe of a launcher may take a while to open.
    const streams = descriptor === undefined ? guardStreams(isolate) : await openPipe(descriptor)
    await serveStreams(create, server, options, streams)
  } finally {
    release()
  }
}

function checkIsolation(isolate: StdioIsolation, { input, output }: ServeStdioOptions): void {
  if (!ISOLATIONS.includes(isolate)) {
    throw rangeError('wrong-option', `isolate is ${JSON.stringify(isolate)}. Use 'auto', 'respawn' or 'guard'.`)
  }
  if (isolate === 'respawn' && (input !== undefined || output !== undefined)) {
    throw typeError('wrong-option', `isolate: 'respawn' is for the standard streams. Remove it, or input and output.`)
  }
}

/** Runs the program in another process; this one then exits with its code. */
async function respawn(): Promise<never> {
  const { respawnProgram } = await loading(import('./stdio-launcher.ts'))
  return process.exit(await respawnProgram())
}

async function serveStreams(
  create: CreateChannel,
  server: StdioServer,
  options: ServeStdioOptions,
  streams: ProcessStreams,
): Promise<void> {
  const signalled = createDeferred()
  const signals = new ShutdownSignals(
    () => signalled.resolve(),
    (signal) => {
      // A second signal ends the process at once, as without a listener.
      signals.stop()
      endBySignal(signal)
    },
  )
  // Handlers may wait for things that keep no process alive; without this the process would exit while a client is connected.
  const keepAlive = setInterval(() => {}, MAX_TIMER_MS)
  try {
    const core = coreIn(server)
    // Both at once: each takes a while to load. The server waits for its parts again, and fails where they do.
    core?.parts.load()?.catch(() => {})
    const channel = await create(options.input ?? streams.input, options.output ?? streams.output, options.maxLineBytes)
    await serveChannel(server, channel, options.drainMs, signalled.promise, core)
  } finally {
    clearInterval(keepAlive)
    signals.stop()
    streams.release()
  }
  signals.finish()
}

async function serveChannel(
  server: StdioServer,
  channel: StreamChannel,
  drainMs = 5_000,
  signalled: Promise<void> = new Promise(() => {}),
  core?: ServerCore,
): Promise<void> {
  const served = await server.connect(channel)
  const end = async () => served.close({ drainMs: (await core?.background.endBefore(channel, drainMs)) ?? drainMs })
  void channel.inputEnded.then(end)
  void signalled.then(() => {
    core?.background.endWithProcess()
    return end()
  })
  await served.ended
  await core?.background.left(channel)
  await channel.close()
  if (channel.failure !== undefined) throw channel.failure
}

/** With the client on the standard streams a server ends, and its background work too. On other streams more clients may come. */
function coreIn(server: StdioServer): ServerCore | undefined {
  return findCore('server' in server ? (server.server as object) : server)
}

interface ProcessStreams {
  readonly input: Readable
  readonly output: LinePipe
  release(): void
}

async function openPipe(descriptor: number): Promise<ProcessStreams> {
  const pipe = await openLauncherPipe(descriptor)
  return { input: pipe, output: pipe, release: () => pipe.destroy() }
}

/** The standard streams, with stdout reserved for the protocol. */
function guardStreams(isolate: StdioIsolation): ProcessStreams {
  const guard = guardStdout({ inJavaScriptOnly: isolate === 'guard' })
  const { stdin } = process
  const release = () => {
    guard.release()
    // An open stdin would keep the process alive.
    stdin.destroy()
  }
  return { input: stdin, output: guard.stream, release }
}

/** A process has one stdin and stdout, so it can serve one client over them at a time. */
function claimStdio(): () => void {
  const holder = globalThis as { [STDIO_IN_USE]?: boolean }
  if (holder[STDIO_IN_USE] === true) {
    throw orderError('stdio is in use: this process already serves another server over it')
  }
  holder[STDIO_IN_USE] = true
  return () => {
    holder[STDIO_IN_USE] = false
  }
}
