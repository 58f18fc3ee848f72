// Starts a server with a pipe of its own for the protocol, so that nothing it starts can write to the protocol or read from it.

import { once } from 'node:events'
import { constants } from 'node:os'
import type { Duplex } from 'node:stream'
import { settlesWithin } from '../../primitives/async/timer.ts'
import { checkEnvironment } from '../../primitives/command-line.ts'
import { withHelp } from '../../primitives/help.ts'
import { loading } from '../../primitives/loading.ts'
import { checkKeys, type KnownKeys, type Some } from '../../primitives/options.ts'
import type { Exit } from '../process/child-process.ts'
import { checkProgram, mergeEnvironment } from '../process/program.ts'
import { type ShutdownTimes, shutdownTimes } from '../process/shutdown-times.ts'
import { listenForSignals, TERMINATION_SIGNALS } from '../process/signals.ts'
import { findLauncher, launcherVariables, PIPE_DESCRIPTOR } from './launcher-pipe.ts'

/** Options of `launchStdioServer()`. */
export interface LaunchOptions {
  /**
   * The program that calls `serveStdio`, started without a shell (default: this Node). It must be the server itself, not a
   * wrapper that starts the server.
   */
  command?: string | undefined
  /** The arguments of the program. */
  args?: readonly string[] | undefined
  /** Added to the whole environment of this process; a value of `undefined` removes a variable. */
  env?: Readonly<Record<string, string | undefined>> | undefined
  /** The working directory of the program (default: that of this process). */
  cwd?: string | undefined
  /** Times of the shutdown. The default of `graceMs` is 10,000, because the server may have calls to finish. */
  shutdown?: Some<ShutdownTimes> | undefined
}

export const LAUNCH_KEYS: KnownKeys<LaunchOptions> = {
  command: true,
  args: true,
  env: true,
  cwd: true,
  shutdown: true,
}

const LAST_BYTES_MS = 2_000
const LAUNCHER_GRACE_MS = 10_000

/** What the server and its children write to descriptor 1 goes to stderr; they have no stdin; the pipe is descriptor 3. */
const LAUNCHED_STREAMS = ['ignore', 2, 2, 'pipe'] as const

/**
 * Runs a server behind the standard streams of this process until it exits, and resolves to its exit code. What the server and
 * its children write to stdout goes to stderr; their stdin is empty.
 */
export async function launchStdioServer(options: LaunchOptions): Promise<number> {
  checkKeys('launchStdioServer()', options, LAUNCH_KEYS)
  const { command = process.execPath, args = [], cwd, env = {} } = options
  checkProgram({ command, args, cwd })
  checkEnvironment(env)
  const times = shutdownTimes(options.shutdown, { graceMs: LAUNCHER_GRACE_MS })
  const { exitOrKill, startWith } = await loading(import('./running-child.ts'))
  const child = await startWith({ command, args, cwd, env: launchEnvironment(env) }, [...LAUNCHED_STREAMS])
  const pipe = child.process.stdio[PIPE_DESCRIPTOR] as Duplex
  const endServer = createServerEnd(() => exitOrKill(child, times))
  const disconnect = connectToHost(pipe, endServer)
  const stopListening = listenForSignals(TERMINATION_SIGNALS, (signal) => {
    child.process.kill(signal)
    endServer()
  })
  const exit = await child.exited
  if (!pipe.closed) await settlesWithin(once(pipe, 'close'), LAST_BYTES_MS)
  stopListening()
  await disconnect()
  return exitCodeOf(exit)
}

/** Starts this program once more behind a pipe, and resolves to the exit code of that process. */
export async function respawnProgram(): Promise<number> {
  const { argv, execArgv } = process
  // A second process that does not find its pipe must not start a third.
  if (findLauncher() !== undefined) {
    throw withHelp(
      'wrong-option',
      new Error(
        `Cannot start ${argv[1] ?? 'this program'} behind a pipe: a pipe was made for its parent, not for it. ` +
          `Remove isolate: 'respawn', or start the file with npx mcpwire run.`,
      ),
    )
  }
  return launchStdioServer({ args: [...execArgv, ...argv.slice(1)] })
}

function launchEnvironment(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return mergeEnvironment(mergeEnvironment({}, process.env), { ...env, ...launcherVariables() })
}

/** Waits for the server to exit, then ends it by force. The server knows already: its input has ended, or it got the signal. */
function createServerEnd(end: () => Promise<void>): () => void {
  let isEnding = false
  return () => {
    if (isEnding) return
    isEnding = true
    void end()
  }
}

/** Copies bytes between the pipe and our standard streams, with backpressure. Returns how to disconnect. */
function connectToHost(pipe: Duplex, onInputEnd: () => void): () => Promise<void> {
  const { stdin, stdout } = process
  const closePipe = () => pipe.destroy()
  pipe.on('error', closePipe)
  stdin.on('error', closePipe)
  // The host no longer reads, so the server need not write.
  stdout.on('error', closePipe)
  stdin.once('end', onInputEnd)
  stdin.once('close', onInputEnd)
  stdin.pipe(pipe)
  pipe.pipe(stdout, { end: false })
  return async () => {
    stdin.unpipe(pipe)
    stdin.off('end', onInputEnd).off('close', onInputEnd).off('error', closePipe)
    // An open stdin would keep this process alive.
    stdin.destroy()
    if (stdout.writable) await settlesWithin(new Promise((written) => stdout.write('', written)), LAST_BYTES_MS)
    stdout.off('error', closePipe)
  }
}

/** As a shell reports it: 128 plus the number of the signal. */
function exitCodeOf({ code, signal }: Exit): number {
  return code ?? (signal === undefined ? 1 : 128 + constants.signals[signal])
}
