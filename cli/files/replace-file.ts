// Writes a file that somebody names: whole, or not at all.
import { randomUUID } from 'node:crypto'
import {
  accessSync,
  chmodSync,
  constants,
  lstatSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { codeOf } from './regular-file.ts'

/**
 * Readers see the old content or the new one, and a full disk leaves the old one. A link stays one. What cannot be replaced without
 * becoming another thing is written in place: a device, a pipe, a file of somebody else, one with several names.
 */
export function replaceFile(path: string, content: string | Uint8Array): void {
  const place = placeOf(path)
  const before = place === undefined ? undefined : statSync(place, { throwIfNoEntry: false })
  const own = process.getuid?.()
  const isReplaceable =
    before === undefined || (before.isFile() && before.nlink === 1 && (own === undefined || before.uid === own))
  if (place === undefined || !isReplaceable) {
    writeFileSync(path, content)
    return
  }
  // To rename over it needs no permission on the file, but whoever made it read-only meant something by it.
  if (before !== undefined) accessSync(place, constants.W_OK)
  const draft = `${place}.${randomUUID()}.tmp`
  try {
    writeFileSync(draft, content, { flag: 'wx' })
    if (before !== undefined) chmodSync(draft, before.mode & 0o777)
    renameSync(draft, place)
  } catch (error) {
    rmSync(draft, { force: true })
    const isFolderClosed = before !== undefined && ['EACCES', 'EPERM', 'EROFS'].includes(codeOf(error) ?? '')
    if (!isFolderClosed) throw error
    writeFileSync(place, content)
  }
}

/** Where links lead; `undefined` for one that leads to nothing, which the system creates when it is written. */
function placeOf(path: string): string | undefined {
  try {
    return realpathSync(path)
  } catch {
    return lstatSync(path, { throwIfNoEntry: false }) === undefined ? path : undefined
  }
}
