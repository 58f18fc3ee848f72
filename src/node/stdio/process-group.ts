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
