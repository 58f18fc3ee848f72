// Starts a server with a pipe of its own for the protocol, so that nothing it starts can write into the protocol or read from it.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { constants } from 'node:os'
import type { Duplex } from 'node:stream'
import { createDeferred } from '../../primitives/async/deferred.ts'
import { settlesWithin } from '../../primitives/async/timer.ts'
import { checkEnvironment } from '../../primitives/command-check.ts'
import { checkKeys, type KnownKeys } from '../../primitives/json/known-keys.ts'
import { checkProgram, mergeEnvironment, type Program } from '../process/child-process.ts'
import { startFailure } from '../process/child-report.ts'
import { guardGroup, HAS_GROUPS, ProcessGroup, releaseGroup } from '../process/process-group.ts'
import { type ShutdownTimes, shutdownTimes } from '../process/shutdown.ts'
import { findLauncher, launchedEnvironment, PIPE_DESCRIPTOR } from './stdio-launched.ts'

export interface LaunchOptions {
  /** The program that calls `serveStdio`, started without a shell; this Node unless given. No wrapper that starts it in turn. */
  command?: string
  args?: readonly string[]
  /** Goes over the environment of this process, all of which is passed on; `undefined` takes a variable away. */
  env?: Readonly<Record<string, string | undefined>>
  cwd?: string
  /** `graceMs` is 10,000 unless given: the server may have calls to finish. */
  shutdown?: Partial<ShutdownTimes>
}

export const LAUNCH_KEYS: KnownKeys<LaunchOptions> = {
  command: true,
  args: true,
  env: true,
  cwd: true,
  shutdown: true,
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
const LAST_BYTES_MS = 2_000
const LAUNCHER_GRACE_MS = 10_000

/**
 * Stands in for a server on the standard streams of this process until the server has exited, and resolves to its exit code.
 * What the server and its children write to stdout goes to stderr; their stdin is empty.
 */
export async function launchStdioServer(options: LaunchOptions): Promise<number> {
  checkKeys('launchStdioServer()', options, LAUNCH_KEYS)
  const { command = process.execPath, args = [], cwd, env = {} } = options
  checkProgram({ command, args, cwd })
  checkEnvironment(env)
  const times = shutdownTimes({ graceMs: LAUNCHER_GRACE_MS, ...options.shutdown })
  const { child, group } = await start({ command, args, cwd, env: launchEnvironment(env) })
  const pipe = child.stdio[PIPE_DESCRIPTOR] as Duplex
  const exited = createDeferred<number>()
  guardGroup(group)
  child.once('exit', (code, signal) => {
    group.leaderHasExited()
    releaseGroup(group)
    exited.resolve(code ?? codeOf(signal))
  })
  const endServer = onceOnly(() => void end(group, exited.promise, times))
  const stopBridging = bridge(pipe, endServer)
  const stopHearing = hearSignals((signal) => {
    child.kill(signal)
    endServer()
  })
  const code = await exited.promise
  if (!pipe.closed) await settlesWithin(once(pipe, 'close'), LAST_BYTES_MS)
  stopHearing()
  await stopBridging()
  return code
}

function launchEnvironment(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return mergeEnvironment(mergeEnvironment({}, process.env), { ...env, ...launchedEnvironment() })
}

async function start(program: Program): Promise<{ child: ChildProcess; group: ProcessGroup }> {
  const { command, args, cwd, env } = program
  try {
    const child = spawn(command, [...args], {
      cwd,
      env: { ...env },
      detached: HAS_GROUPS,
      windowsHide: true,
      // What is written to descriptor 1 goes where descriptor 2 goes.
      stdio: ['ignore', 2, 2, 'pipe'],
    })
    await once(child, 'spawn')
    // There is no error of a process that its exit would not tell as well.
    child.on('error', () => {})
    if (child.pid === undefined) throw new Error('The process has no number')
    return { child, group: new ProcessGroup(child.pid) }
  } catch (cause) {
    throw startFailure(program, cause)
  }
}

/** Carries bytes both ways, no faster than they are taken. `onInputEnd`: the host has nothing more to say. */
function bridge(pipe: Duplex, onInputEnd: () => void): () => Promise<void> {
  const { stdin, stdout } = process
  const giveUp = () => pipe.destroy()
  pipe.on('error', giveUp)
  stdin.on('error', giveUp)
  // The host no longer reads, and so the server need not write.
  stdout.on('error', giveUp)
  stdin.once('end', onInputEnd)
  stdin.once('close', onInputEnd)
  stdin.pipe(pipe)
  pipe.pipe(stdout, { end: false })
  return async () => {
    stdin.unpipe(pipe)
    stdin.off('end', onInputEnd).off('close', onInputEnd).off('error', giveUp)
    // An input that nobody reads must not keep the process.
    stdin.destroy()
    if (stdout.writable) await settlesWithin(new Promise((written) => stdout.write('', written)), LAST_BYTES_MS)
    stdout.off('error', giveUp)
  }
}

/** Bounded however the server behaves: it was told already that it is over. */
async function end(group: ProcessGroup, exited: Promise<number>, times: ShutdownTimes): Promise<void> {
  if (await settlesWithin(exited, times.graceMs)) return
  group.terminate()
  if (await settlesWithin(exited, times.terminateMs)) return
  group.kill()
}

function onceOnly(work: () => void): () => void {
  let isDone = false
  return () => {
    if (isDone) return
    isDone = true
    work()
  }
}

function hearSignals(onSignal: (signal: NodeJS.Signals) => void): () => void {
  for (const signal of SIGNALS) process.on(signal, onSignal)
  return () => {
    for (const signal of SIGNALS) process.off(signal, onSignal)
  }
}

/** As a shell says it. */
function codeOf(signal: NodeJS.Signals | null): number {
  return signal === null ? 1 : 128 + constants.signals[signal]
}

/** Resolves to the exit code of the other process. */
export async function respawnProgram(): Promise<number> {
  const { argv, execArgv } = process
  // A second process that does not find its pipe must not start a third.
  if (findLauncher() !== undefined) {
    throw new Error(
      `Cannot start ${argv[1] ?? 'this program'} behind a pipe: a pipe was made for its parent, not for it. ` +
        `Remove isolate: 'respawn', or start the file with npx mcpwire run.`,
    )
  }
  return launchStdioServer({ args: [...execArgv, ...argv.slice(1)] })
}
