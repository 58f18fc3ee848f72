// A copy of a config file as it was before the first change of a day.
import { randomUUID } from 'node:crypto'
import { rename, rm, stat, writeFile } from 'node:fs/promises'

const OWNER_ONLY = 0o600

export function backupPath(path: string): string {
  return `${path}.mcpwire-backup`
}

/** Once per day: a second change of the same day must not replace the copy of what the user had. */
export async function keepBackup(path: string, bytes: Uint8Array, now: Date = new Date()): Promise<void> {
  const backup = backupPath(path)
  const kept = await stat(backup).catch(() => undefined)
  if (kept !== undefined && (!kept.isFile() || kept.mtime.toDateString() === now.toDateString())) return
  const draft = `${backup}.${randomUUID()}.tmp`
  try {
    await writeFile(draft, bytes, { mode: OWNER_ONLY, flag: 'wx' })
    await rename(draft, backup)
  } catch (error) {
    await rm(draft, { force: true }).catch(() => {})
    throw error
  }
}
