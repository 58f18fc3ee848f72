// A child process with everything it has started, ended together: a wrapper such as npx would otherwise leave the real server
// behind. No group outlives this process.
import { loadChildProcess } from '../runtime/builtins.ts'
import { endBySignal, listenForSignals, TERMINATION_SIGNALS } from './signals.ts'

/** Whether children lead a process group of their own. Windows has trees of processes instead. */
export const HAS_GROUPS = process.platform !== 'win32'

export class ProcessGroup {
  readonly pid: number
  #isForgotten = false

  constructor(leaderPid: number) {
    this.pid = leaderPid
  }

  /** Asks every process of the group to exit. Windows has no such request, so there it kills them. */
  terminate(): void {
    if (HAS_GROUPS) this.#signal('SIGTERM')
    else this.kill()
  }

  kill(): void {
    if (HAS_GROUPS) this.#signal('SIGKILL')
    else if (!this.#isForgotten) runTaskkill(this.pid)
  }

  /** As `kill`, complete on return: for a process that is about to exit itself. */
  killSync(): void {
    if (HAS_GROUPS) this.#signal('SIGKILL')
    else if (!this.#isForgotten) runTaskkillSync(this.pid)
  }

  /**
   * Kills what is left of the group right after its leader has exited, and sends no signal after that. While the group has a
   * member, the system gives its number to no other process; later the number may belong to a stranger.
   */
  leaderHasExited(): void {
    if (HAS_GROUPS) this.#signal('SIGKILL')
    this.#isForgotten = true
  }

  #signal(signal: 'SIGTERM' | 'SIGKILL'): void {
    if (this.#isForgotten) return
    try {
      // The group has the number of its leader. Asking the system for it fails once the leader is gone.
      process.kill(-this.pid, signal)
    } catch {
      // ESRCH: the group is gone, as intended. EPERM: it runs as another user, and we can't end it.
    }
  }
}

function runTaskkill(pid: number): void {
  const [command, args] = taskkillCommand(pid)
  loadChildProcess()
    .spawn(command, args, { stdio: 'ignore', windowsHide: true })
    .on('error', () => {})
}

function runTaskkillSync(pid: number): void {
  const [command, args] = taskkillCommand(pid)
  loadChildProcess().spawnSync(command, args, { stdio: 'ignore', windowsHide: true, timeout: 2_000 })
}

/** Ends a process with all its descendants on Windows. By its full path, because Windows searches the working directory first. */
export function taskkillCommand(pid: number, systemRoot = process.env['SYSTEMROOT']): [string, string[]] {
  return [`${systemRoot ?? 'C:\\Windows'}\\System32\\taskkill.exe`, ['/pid', String(pid), '/T', '/F']]
}

// The exit hook: it ends the groups of a host that exits without closing its connections. One hook serves all groups, and it is
// installed only while there are any.

/** Marks the hook's listener, so that several copies of the package in one process recognise each other's. */
const EXIT_HOOK = Symbol.for('mcpwire.exit-hook')

// Module state, because signal listeners belong to the whole process too.
const guarded = new Set<ProcessGroup>()
let stopListening = () => {}

/** From now on the group does not outlive this process. */
export function guardGroup(group: ProcessGroup): void {
  if (guarded.size === 0) installExitHook()
  guarded.add(group)
  tellWatch(group, true)
}

/** The group is gone. The hook goes with the last group. */
export function releaseGroup(group: ProcessGroup): void {
  if (!guarded.delete(group)) return
  tellWatch(group, false)
  if (guarded.size === 0) removeExitHook()
}

/** The command line sets it: a watch that ends groups after a SIGKILL, when no hook of this process runs. */
const GROUP_WATCH = Symbol.for('mcpwire.group-watch')

function tellWatch({ pid }: ProcessGroup, isRunning: boolean): void {
  const watch = Reflect.get(globalThis, GROUP_WATCH) as ((pid: number, isRunning: boolean) => void) | undefined
  watch?.(pid, isRunning)
}

function installExitHook(): void {
  process.on('exit', killGuardedGroups)
  stopListening = listenForSignals(TERMINATION_SIGNALS, onTermination, { runsFirst: true })
}

function removeExitHook(): void {
  process.removeListener('exit', killGuardedGroups)
  stopListening()
}

function killGuardedGroups(): void {
  for (const group of guarded) group.killSync()
}

/** Kills the groups, then ends this process by the signal. A host with a listener of its own decides for itself. */
const onTermination = Object.assign(
  (signal: NodeJS.Signals): void => {
    if (othersListen(signal)) return
    killGuardedGroups()
    removeExitHook()
    endBySignal(signal)
  },
  { [EXIT_HOOK]: true },
)

function othersListen(signal: NodeJS.Signals): boolean {
  const others = process.listeners(signal).filter((listener) => !Object.hasOwn(listener, EXIT_HOOK))
  return others.length > countSignalExitListeners()
}

/**
 * The listeners of the package `signal-exit`, which many command lines contain. It also waits until it is the only listener, so
 * a host with both would never exit if we counted it.
 */
function countSignalExitListeners(): number {
  const newer = Reflect.get(globalThis, Symbol.for('signal-exit emitter')) as { count?: unknown } | undefined
  const older = Reflect.get(process, '__signal_exit_emitter__') as { count?: unknown } | undefined
  return [newer?.count, older?.count]
    .filter((count) => typeof count === 'number')
    .reduce((sum, count) => sum + count, 0)
}
