// Ends a server process politely at first and by force in the end; every step has its time.

import { isDuration, settlesWithin } from '../../primitives/async/timer.ts'
import { checkKeys, type KnownKeys } from '../../primitives/json/known-keys.ts'
import type { LineWriter } from '../stdio/line-writer.ts'
import type { Child } from './child-process.ts'

/** How long each step may take. A server that leaves in time is not asked twice. */
export interface ShutdownTimes {
  /** For what is still to be written to it; 500 unless given. */
  flushMs: number
  /** Between the end of its input and the request to terminate; 2,000 unless given. */
  graceMs: number
  /** Between that request and the end by force; 2,000 unless given. */
  terminateMs: number
  /** For the system to do that; 2,000 unless given. */
  killMs: number
}

export const SHUTDOWN_KEYS: KnownKeys<ShutdownTimes> = {
  flushMs: true,
  graceMs: true,
  terminateMs: true,
  killMs: true,
}

const DEFAULT_TIMES: ShutdownTimes = { flushMs: 500, graceMs: 2_000, terminateMs: 2_000, killMs: 2_000 }

/** Fills in the defaults. Throws `RangeError` for what is no time. */
export function shutdownTimes(given: Partial<ShutdownTimes> = {}): ShutdownTimes {
  checkKeys('shutdown', given, SHUTDOWN_KEYS)
  const times = { ...DEFAULT_TIMES, ...given }
  for (const [name, ms] of Object.entries(times)) {
    if (!isDuration(ms)) throw new RangeError(`shutdown.${name} must be a number of milliseconds, zero or more`)
  }
  return times
}

/** The longest that `endChild` can take. */
export function totalOf({ flushMs, graceMs, terminateMs, killMs }: ShutdownTimes): number {
  return flushMs + graceMs + terminateMs + killMs
}

/** Resolves to whether the process is gone. Its output must be read meanwhile, or it could not leave. */
export async function endChild(child: Child, input: LineWriter, times: ShutdownTimes): Promise<boolean> {
  if (child.exit !== undefined) return true
  // Spec, stdio, Shutdown: close the input, wait, then terminate, then kill.
  await settlesWithin(Promise.race([input.end(), child.exited]), times.flushMs)
  child.process.stdin.destroy()
  if (await settlesWithin(child.exited, times.graceMs)) return true
  child.group.terminate()
  if (await settlesWithin(child.exited, times.terminateMs)) return true
  child.group.kill()
  return settlesWithin(child.exited, times.killMs)
}
