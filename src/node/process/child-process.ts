// Starts a program without a shell, and watches it until it has exited. A child never outlives this process (`process-group`),
// and `shutdown` ends it.

import type { ChildProcess, ChildProcessWithoutNullStreams, spawn as Spawn, StdioOptions } from 'node:child_process'
import { createDeferred } from '../../primitives/async/promises.ts'
import { loadChildProcess } from '../runtime/builtins.ts'
import { startFailure } from './child-report.ts'
import { guardGroup, HAS_GROUPS, ProcessGroup, releaseGroup } from './process-group.ts'
import type { Program } from './program.ts'

/** How a process ended: by itself with a code, or by a signal. */
export interface Exit {
  readonly code: number | undefined
  readonly signal: NodeJS.Signals | undefined
}

/** A running program, by default with pipes for its standard streams. */
export class Child<Process extends ChildProcess = ChildProcessWithoutNullStreams> {
  readonly process: Process
  readonly group: ProcessGroup
  readonly exited: Promise<Exit>
  /** Resolves when the process has exited, its streams are closed and the system has freed their handles. */
  readonly closed: Promise<void>
  #exit: Exit | undefined

  constructor(started: Process, pid: number) {
    this.process = started
    this.group = new ProcessGroup(pid)
    guardGroup(this.group)
    const exited = createDeferred<Exit>()
    const closed = createDeferred()
    this.exited = exited.promise
    this.closed = closed.promise
    // Pipes don't tell whether a process runs: it can close them, and its own children can hold them open.
    started.once('exit', (code, signal) => {
      this.group.leaderHasExited()
      releaseGroup(this.group)
      this.#exit = { code: code ?? undefined, signal: signal ?? undefined }
      exited.resolve(this.#exit)
    })
    // Node frees handles at the end of a turn of the event loop; the timer fires in the next turn.
    started.once('close', () => setTimeout(closed.resolve, 0))
  }

  get exit(): Exit | undefined {
    return this.#exit
  }

  /** Closes our ends of the streams, and stops waiting for a process that survived SIGKILL. */
  release(): void {
    destroyStreams(this.process)
    this.process.unref()
  }
}

/** Starts a program with pipes for its standard streams. Rejects with `TransportError` if it can't, and leaves nothing behind. */
export function startChild(program: Program): Promise<Child> {
  return startWith(program, 'pipe') as Promise<Child>
}

/** As `startChild`, with other standard streams. */
export async function startWith(program: Program, stdio: StdioOptions): Promise<Child<ChildProcess>> {
  const started = spawnProgram(await loadSpawn(), program, stdio)
  const outcome = createDeferred()
  started.once('spawn', () => outcome.resolve())
  // Never removed: an error after the start needs a listener, and the exit event reports the same end.
  started.on('error', (cause) => outcome.reject(startFailure(program, cause)))
  const child = started.pid === undefined ? undefined : new Child(started, started.pid)
  try {
    await outcome.promise
  } finally {
    if (child === undefined) destroyStreams(started)
  }
  if (child === undefined) throw startFailure(program, undefined)
  return child
}

/** Node reports some failures by throwing, others by an event. */
function spawnProgram(start: typeof Spawn, program: Program, stdio: StdioOptions): ChildProcess {
  const { command, args, env, cwd } = program
  try {
    return start(command, [...args], {
      env: { ...env },
      cwd,
      shell: false,
      detached: HAS_GROUPS,
      windowsHide: true,
      stdio,
    })
  } catch (cause) {
    throw startFailure(program, cause)
  }
}

/** A process that failed to start for lack of descriptors has no streams at all. */
function destroyStreams({ stdin, stdout, stderr }: Partial<ChildProcess>): void {
  for (const stream of [stdin, stdout, stderr]) stream?.destroy()
}

/** On Windows, `cross-spawn` finds and quotes the scripts that stand in for programs, such as `npx.cmd`. */
async function loadSpawn(): Promise<typeof Spawn> {
  const { spawn } = loadChildProcess()
  if (process.platform !== 'win32') return spawn
  try {
    return await importSpawn('cross-spawn')
  } catch {
    return spawn
  }
}

/** Imported by a variable, so that bundlers for other systems don't ask for the package. */
async function importSpawn(name: string): Promise<typeof Spawn> {
  const loaded = (await import(name)) as { default: typeof Spawn }
  return loaded.default
}
