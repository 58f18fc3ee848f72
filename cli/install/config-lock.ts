// A lock file beside a configuration file, so that two runs of this program change it one after the other.
import { randomUUID } from 'node:crypto'
import { link, open, readFile, rename, rm, stat } from 'node:fs/promises'
import { hostname } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import { codeOf } from '../files/regular-file.ts'

/** A change takes milliseconds: a lock of this age belongs to a process that is gone. */
const STALE_MS = 10_000
const TIMEOUT_MS = 15_000
const RETRY_MS = { min: 5, max: 50 }

/** Runs `work` while it holds the lock at `path`. Rejects with an `Error` if others keep the lock for too long. */
export async function withConfigLock<T>(path: string, work: () => Promise<T>): Promise<T> {
  const mark = `${hostname()} ${process.pid} ${randomUUID()}`
  const deadline = performance.now() + TIMEOUT_MS
  while (!(await tryCreate(path, mark))) {
    const abandoned = await findAbandonedMark(path)
    if (abandoned !== undefined) await takeAway(path, abandoned)
    else if (performance.now() > deadline) throw new Error(`Another process has held ${path} for ${TIMEOUT_MS} ms`)
    else await pause(RETRY_MS.min + Math.random() * (RETRY_MS.max - RETRY_MS.min))
  }
  try {
    return await work()
  } finally {
    // After STALE_MS another process may have taken the lock over.
    if ((await readMark(path)) === mark) await rm(path, { force: true })
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
    if (codeOf(error) === 'EEXIST') return false
    throw error
  }
}

/** What is written in a lock whose process is gone; `undefined` for one that is held, or gone by now. */
async function findAbandonedMark(path: string): Promise<string | undefined> {
  const mark = await readMark(path)
  const age = await stat(path).then(
    ({ mtimeMs }) => Date.now() - mtimeMs,
    () => 0,
  )
  if (mark === undefined || age > STALE_MS) return mark
  const [host, pid] = mark.split(' ')
  return host === hostname() && pid !== undefined && !isAlive(Number(pid)) ? mark : undefined
}

/** Two processes may find the same lock abandoned: the second puts back the lock that the first one has created meanwhile. */
async function takeAway(path: string, abandoned: string): Promise<void> {
  const aside = `${path}.${randomUUID()}`
  try {
    await rename(path, aside)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return
    throw error
  }
  if ((await readMark(aside)) !== abandoned) await link(aside, path).catch(() => {})
  await rm(aside, { force: true })
}

async function readMark(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch(() => undefined)
}

function isAlive(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return true
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return codeOf(error) !== 'ESRCH'
  }
}
