// How a server process ends. The sequence is `endChild`; every step has a time limit, so that closing a connection always ends.
import { settlesWithin } from '../../primitives/async/timer.ts'
import type { Child } from './child-process.ts'
import type { ShutdownTimes } from './shutdown-times.ts'

/** The longest that a `PipeReader` reads on when another process holds the pipe open. */
const LAST_OUTPUT_MS = 2_500
const STREAMS_CLOSE_MS = 1_000

/** The longest that `endChild` takes. */
export function longestShutdownMs({ flushMs, graceMs, terminateMs, killMs }: ShutdownTimes): number {
  return flushMs + graceMs + terminateMs + killMs + LAST_OUTPUT_MS + STREAMS_CLOSE_MS
}

/** What the owner of a child's streams does when the child ends. */
export interface ChildStreams {
  /** Reads stdout and drops it: a child that can't write can't exit. */
  discardOutput(): void
  /** Writes what waits, then closes stdin. */
  closeInput(): Promise<void>
  /** Rejects the writes that still wait. */
  failInput(): void
  /** Reads the last lines of stderr, for a bounded time. */
  readLastStderr(): Promise<void>
}

/**
 * Ends a child, whether it still runs or has exited. Resolves to whether it is gone; a process that survives SIGKILL is left
 * behind.
 */
export async function endChild(child: Child, streams: ChildStreams, times: ShutdownTimes): Promise<boolean> {
  streams.discardOutput()
  if (child.exit === undefined) {
    // Specification, stdio, Shutdown: close the input, wait, terminate, kill.
    await settlesWithin(Promise.race([streams.closeInput(), child.exited]), times.flushMs)
    child.process.stdin.destroy()
    await exitOrKill(child, times)
  }
  streams.failInput()
  const isGone = child.exit !== undefined
  if (isGone) await streams.readLastStderr()
  child.release()
  if (isGone) await settlesWithin(child.closed, STREAMS_CLOSE_MS)
  return isGone
}

/** Waits for a child that was asked to exit; terminates and then kills its process group when it takes too long. */
export async function exitOrKill(
  child: Pick<Child, 'exited' | 'group'>,
  { graceMs, terminateMs, killMs }: ShutdownTimes,
): Promise<void> {
  if (await settlesWithin(child.exited, graceMs)) return
  child.group.terminate()
  if (await settlesWithin(child.exited, terminateMs)) return
  child.group.kill()
  await settlesWithin(child.exited, killMs)
}
