// How long the end of a server process may take: the option `shutdown`.
import { assertDuration, checkKeys, givenOf, type KnownKeys, type Some } from '../../primitives/options.ts'

/** How long each step of a shutdown may take. A server that exits in time gets no signal. */
export interface ShutdownTimes {
  /** To write what still waits for the server (default: 500 ms). */
  flushMs: number
  /** Between the end of the server's input and the request to terminate (default: 2,000 ms). */
  graceMs: number
  /** Between the request to terminate and the kill (default: 2,000 ms). */
  terminateMs: number
  /** For the system to kill the server (default: 2,000 ms). */
  killMs: number
}

export const SHUTDOWN_KEYS: KnownKeys<ShutdownTimes> = {
  flushMs: true,
  graceMs: true,
  terminateMs: true,
  killMs: true,
}

const DEFAULT_TIMES: ShutdownTimes = { flushMs: 500, graceMs: 2_000, terminateMs: 2_000, killMs: 2_000 }

/** Fills in the defaults. Throws `RangeError` for a value that is not a duration. */
export function shutdownTimes(given: Some<ShutdownTimes> = {}, defaults: Partial<ShutdownTimes> = {}): ShutdownTimes {
  checkKeys('shutdown', given, SHUTDOWN_KEYS)
  const times = { ...DEFAULT_TIMES, ...defaults, ...givenOf(given) }
  for (const [name, ms] of Object.entries(times)) {
    assertDuration(`shutdown.${name}`, ms)
  }
  return times
}
