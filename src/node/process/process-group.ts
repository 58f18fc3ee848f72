// A child with all that it has started, ended together: wrappers like npx would otherwise leave the real server behind.
import { spawn, spawnSync } from 'node:child_process'

/** Whether children lead a process group of their own. Windows has trees of processes instead. */
export const HAS_GROUPS = process.platform !== 'win32'

export class ProcessGroup {
  readonly pid: number
  #isForgotten = false

  constructor(leaderPid: number) {
    this.pid = leaderPid
  }

  /** Asks all of them to leave. Where there is no such request, it ends them. */
  terminate(): void {
    if (HAS_GROUPS) this.#signal('SIGTERM')
    else this.kill()
  }

  /** Ends all of them. */
  kill(): void {
    if (HAS_GROUPS) this.#signal('SIGKILL')
    else if (!this.#isForgotten) runTaskkill(this.pid)
  }

  /** Ends all of them before it returns, for a host that has no time left. */
  killAtOnce(): void {
    if (HAS_GROUPS) this.#signal('SIGKILL')
    else if (!this.#isForgotten) runTaskkillAtOnce(this.pid)
  }

  /**
   * Ends what is left when the leader has just exited, and signals nothing from then on. As long as the group has a member the
   * system gives its number to nobody else; later that number may belong to a stranger.
   */
  leaderHasExited(): void {
    if (HAS_GROUPS) this.#signal('SIGKILL')
    this.#isForgotten = true
  }

  #signal(signal: 'SIGTERM' | 'SIGKILL'): void {
    if (this.#isForgotten) return
    try {
      // The group has the number of its leader. To ask for it would fail once the leader is gone.
      process.kill(-this.pid, signal)
    } catch {
      // No such group is what we wanted; no permission is for one that has changed its user, which we cannot end.
    }
  }
}

function runTaskkill(pid: number): void {
  const [command, args] = taskkillCommand(pid)
  spawn(command, args, { stdio: 'ignore', windowsHide: true }).on('error', () => {})
}

function runTaskkillAtOnce(pid: number): void {
  const [command, args] = taskkillCommand(pid)
  spawnSync(command, args, { stdio: 'ignore', windowsHide: true, timeout: 2_000 })
}

/** Ends a process with all its descendants on Windows. By its full path: the working directory is searched first. */
export function taskkillCommand(pid: number, systemRoot = process.env['SYSTEMROOT']): [string, string[]] {
  return [`${systemRoot ?? 'C:\\Windows'}\\System32\\taskkill.exe`, ['/pid', String(pid), '/T', '/F']]
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** By this, several copies of the package in one process know each other's listeners. */
const OURS = Symbol.for('mcpwire.exit-hook')

// What is guarded belongs to the process as a whole, like the listeners that guard it.
const groups = new Set<ProcessGroup>()

/** From now on the group does not outlive this process. */
export function guardGroup(group: ProcessGroup): void {
  if (groups.size === 0) install()
  groups.add(group)
}

/** The group is gone. With the last one the listeners go too. */
export function releaseGroup(group: ProcessGroup): void {
  if (groups.delete(group) && groups.size === 0) uninstall()
}

function install(): void {
  process.on('exit', killAll)
  // First in line: a listener for one time only is gone from the list by the time that it runs.
  for (const signal of SIGNALS) process.prependListener(signal, onSignal)
}

function uninstall(): void {
  process.removeListener('exit', killAll)
  for (const signal of SIGNALS) process.removeListener(signal, onSignal)
}

function killAll(): void {
  for (const group of groups) group.killAtOnce()
}

/** Does what the signal would have done without us, after the children. Who listens as well decides for itself. */
const onSignal = Object.assign(
  (signal: NodeJS.Signals): void => {
    if (othersListen(signal)) return
    killAll()
    uninstall()
    process.kill(process.pid, signal)
  },
  { [OURS]: true },
)

function othersListen(signal: NodeJS.Signals): boolean {
  const others = process.listeners(signal).filter((listener) => !Object.hasOwn(listener, OURS))
  return others.length > countOfSignalExit()
}

/**
 * How many listeners the package `signal-exit` has, which many command lines carry along. It too waits until it is alone, so
 * that a host with both of us would never leave if we counted it.
 */
function countOfSignalExit(): number {
  const newer = Reflect.get(globalThis, Symbol.for('signal-exit emitter')) as { count?: unknown } | undefined
  const older = Reflect.get(process, '__signal_exit_emitter__') as { count?: unknown } | undefined
  return [newer?.count, older?.count]
    .filter((count) => typeof count === 'number')
    .reduce((sum, count) => sum + count, 0)
}
