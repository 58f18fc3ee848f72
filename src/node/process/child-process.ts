// Starts a program without a shell and with pipes for its standard streams, and keeps an eye on it until it has exited.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { createDeferred } from '../../primitives/async/deferred.ts'
import { checkCommand } from '../../primitives/command-check.ts'
import { startFailure } from './child-report.ts'
import { guardGroup, HAS_GROUPS, ProcessGroup, releaseGroup } from './process-group.ts'

/** A program to be started, with all that it gets to know. */
export interface Program {
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string | undefined
}

/** How a process ended: by itself with a code, or by a signal. */
export interface Exit {
  readonly code: number | undefined
  readonly signal: string | undefined
}

/** A running program. It cannot outlive this process. */
export class Child {
  readonly process: ChildProcessWithoutNullStreams
  readonly group: ProcessGroup
  readonly exited: Promise<Exit>
  /** Settles when the process has exited, its streams are closed and the system has taken all of them back. */
  readonly closed: Promise<void>
  #exit: Exit | undefined

  constructor(started: ChildProcessWithoutNullStreams, pid: number) {
    this.process = started
    this.group = new ProcessGroup(pid)
    guardGroup(this.group)
    const exited = createDeferred<Exit>()
    const closed = createDeferred()
    this.exited = exited.promise
    this.closed = closed.promise
    // Pipes say nothing about life and death: a process can close its own, and its children can hold them open.
    started.once('exit', (code, signal) => {
      this.group.leaderHasExited()
      releaseGroup(this.group)
      this.#exit = { code: code ?? undefined, signal: signal ?? undefined }
      exited.resolve(this.#exit)
    })
    // Handles are closed at the end of a turn of the event loop; timers run in the next one.
    started.once('close', () => setTimeout(closed.resolve, 0))
  }

  get exit(): Exit | undefined {
    return this.#exit
  }

  /** Lets go of the streams, and of a process that would not die. */
  release(): void {
    const { stdin, stdout, stderr } = this.process
    for (const stream of [stdin, stdout, stderr]) stream.destroy()
    this.process.unref()
  }
}

/** Rejects with `TransportError` when the program cannot be started; nothing of it is left then. */
export async function startChild(program: Program): Promise<Child> {
  const started = launch(await loadSpawn(), program)
  const outcome = createDeferred()
  started.once('spawn', () => outcome.resolve())
  // Stays for good: there is no error of a process that its exit would not tell as well.
  started.on('error', (cause) => outcome.reject(startFailure(program, cause)))
  const child = started.pid === undefined ? undefined : new Child(started, started.pid)
  try {
    await outcome.promise
  } finally {
    if (child === undefined) discardStreams(started)
  }
  if (child === undefined) throw startFailure(program, undefined)
  return child
}

/** Some failures are told by throwing, others by an event. */
function launch(start: typeof spawn, program: Program): ChildProcessWithoutNullStreams {
  const { command, args, env, cwd } = program
  try {
    return start(command, [...args], {
      env: { ...env },
      cwd,
      shell: false,
      detached: HAS_GROUPS,
      windowsHide: true,
      stdio: 'pipe',
    })
  } catch (cause) {
    throw startFailure(program, cause)
  }
}

/** Where the system was out of descriptors there are not even streams. */
function discardStreams(failed: Partial<ChildProcessWithoutNullStreams>): void {
  for (const stream of [failed.stdin, failed.stdout, failed.stderr]) stream?.destroy()
}

/** On Windows a package finds the scripts that stand in for programs, and quotes for them. Programs proper need none. */
async function loadSpawn(): Promise<typeof spawn> {
  if (process.platform !== 'win32') return spawn
  try {
    return await importSpawn('cross-spawn')
  } catch {
    return spawn
  }
}

/** By a variable, so that no bundler asks for a package that other systems do without. */
async function importSpawn(name: string): Promise<typeof spawn> {
  const loaded = (await import(name)) as { default: typeof spawn }
  return loaded.default
}

/** Throws `TypeError` for a program that cannot be started as it was written down. */
export function checkProgram(
  program: Pick<Program, 'command' | 'args' | 'cwd'>,
  platform: string = process.platform,
): void {
  const { command, args, cwd } = program
  checkCommand(program)
  const words: readonly string[] = [command, cwd ?? '', ...args]
  // The interpreter of scripts there takes a line break for the end of the command, and nothing can quote it.
  if (platform === 'win32' && words.some((word) => /[\r\n]/.test(word))) {
    throw new TypeError('command, args and cwd must not contain line breaks on Windows')
  }
}

const POSIX_NAMES = ['HOME', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'USER']

const WINDOWS_NAMES = [
  'APPDATA',
  'HOMEDRIVE',
  'HOMEPATH',
  'LOCALAPPDATA',
  'PATH',
  'PATHEXT',
  'PROCESSOR_ARCHITECTURE',
  'SYSTEMDRIVE',
  'SYSTEMROOT',
  'TEMP',
  'USERNAME',
  'USERPROFILE',
]

type Variables = Readonly<Record<string, string | undefined>>

/** The variables that a program needs to run at all, as they are now. No other reaches a child unless it is passed. */
export function defaultEnvironment(
  source: Variables = process.env,
  platform: string = process.platform,
): Record<string, string> {
  const entries: [string, string][] = []
  for (const name of platform === 'win32' ? WINDOWS_NAMES : POSIX_NAMES) {
    const value = source[name]
    // A value of this form is a shell function, which an old shell would run.
    if (value !== undefined && !value.startsWith('()')) entries.push([name, value])
  }
  return Object.fromEntries(entries)
}

/** Lays `given` over the base; `undefined` takes a variable away. */
export function mergeEnvironment(
  base: Readonly<Record<string, string>>,
  given: Variables,
  platform: string = process.platform,
): Record<string, string> {
  // On Windows `Path` and `PATH` are one variable, and of two spellings a child would get either.
  const keyOf = platform === 'win32' ? (name: string) => name.toUpperCase() : (name: string) => name
  const givenKeys = new Set(Object.keys(given).map(keyOf))
  const kept = Object.entries(base).filter(([name]) => !givenKeys.has(keyOf(name)))
  const added = Object.entries(given).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return Object.fromEntries([...kept, ...added])
}
