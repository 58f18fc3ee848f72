// A lock between processes: a file that only one of them can create. The lock of a crashed process expires.

import { open, readFile, rm, stat, utimes } from 'node:fs/promises'
import { hostname } from 'node:os'
import { loadCrypto } from '../runtime/builtins.ts'

export interface FileLockOptions {
  /** How long to wait for other processes before the lock fails. */
  timeoutMs: number
  /** A lock that was not touched for this long is free. */
  staleMs: number
}

const RETRY_MS = { min: 5, max: 50 }
/** Of the clock of files, which is not that of the process. */
const CLOCK_STEP_MS = 1_000
/** The mark is written a moment after the file is there. A lock without one for so long was left by a process that was killed. */
const UNMARKED_MS = 3_000

export interface HeldLock {
  /** `false` where this process paused for so long that another one has taken the lock. */
  isHeld(): Promise<boolean>
}

/** Runs `work` while holding the lock at `path`. Rejects if another process holds it for too long. */
export async function withFileLock<T>(
  path: string,
  options: FileLockOptions,
  work: (lock: HeldLock) => Promise<T>,
): Promise<T> {
  const mark = `${hostname()} ${process.pid} ${loadCrypto().randomUUID()}`
  await acquire(path, mark, options)
  const heartbeat = setInterval(() => {
    const now = new Date()
    utimes(path, now, now).catch(() => {})
  }, options.staleMs / 4)
  heartbeat.unref()
  try {
    return await work({ isHeld: async () => (await readMark(path)) === mark })
  } finally {
    clearInterval(heartbeat)
    // If this process paused for too long, another one may hold the lock by now.
    if ((await readMark(path)) === mark) await rm(path, { force: true })
  }
}

async function acquire(path: string, mark: string, { timeoutMs, staleMs }: FileLockOptions): Promise<void> {
  const deadline = performance.now() + timeoutMs
  while (!(await tryCreate(path, mark))) {
    if (await isAbandoned(path, staleMs)) {
      await removeAbandoned(path, mark, staleMs)
      continue
    }
    if (performance.now() > deadline) throw new Error(`Another process has held the lock ${path} for ${timeoutMs} ms`)
    await pause(RETRY_MS.min + Math.random() * (RETRY_MS.max - RETRY_MS.min))
  }
}

async function tryCreate(path: string, mark: string): Promise<boolean> {
  try {
    const file = await open(path, 'wx', 0o600)
    try {
      await file.writeFile(mark)
    } catch (error) {
      // On a full disk a file fits and its mark does not: nobody may wait for a lock that nobody holds.
      await rm(path, { force: true })
      throw error
    } finally {
      await file.close()
    }
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

async function isAbandoned(path: string, staleMs: number): Promise<boolean> {
  let mtimeMs: number
  try {
    mtimeMs = (await stat(path)).mtimeMs
  } catch {
    return false
  }
  const mark = await readMark(path)
  if (mark === undefined) return false
  const [host, pid, id] = mark.split(' ')
  const ageMs = Date.now() - mtimeMs
  if (ageMs > (id === undefined ? Math.min(staleMs, UNMARKED_MS) : staleMs)) return true
  if (host !== hostname()) return false
  // In a container every process may have the id that the one before it had.
  if (Number(pid) === process.pid) return ageMs > process.uptime() * 1_000 + CLOCK_STEP_MS
  return !isAlive(Number(pid))
}

/** Two processes may find the same lock abandoned; the second must not remove the new lock of the first. */
async function removeAbandoned(path: string, mark: string, staleMs: number): Promise<void> {
  const guard = `${path}.guard`
  if (!(await tryCreate(guard, mark))) {
    if (await isAbandoned(guard, staleMs)) await rm(guard, { force: true })
    await pause(RETRY_MS.min)
    return
  }
  try {
    if (await isAbandoned(path, staleMs)) await rm(path, { force: true })
  } finally {
    await rm(guard, { force: true })
  }
}

async function readMark(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch {
    return undefined
  }
}

function isAlive(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return true
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
