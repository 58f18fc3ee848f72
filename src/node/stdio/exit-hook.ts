// Ends the children of a host that leaves without closing its connections. One hook for all of them, there only while needed.
import type { ProcessGroup } from './process-group.ts'

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
