// Reads and changes text files of other programs: each write replaces the whole file, under a lock, through links, after a backup.
import { randomUUID } from 'node:crypto'
import type { Stats } from 'node:fs'
import { access, constants, type FileHandle, lstat, open, realpath, rename, rm } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { makeFolders } from '../files/make-folders.ts'
import { type Contents, codeOf, decodeText, readContents, toFailure } from '../files/regular-file.ts'
import { Failure } from '../terminal/failure.ts'
import { keepBackup } from './config-backup.ts'
import { withConfigLock } from './config-lock.ts'

export interface TextFile {
  /** Where the file really is, behind all links. */
  readonly path: string
  /** Empty where there is no file. */
  readonly text: string
  /** Permission bits; `undefined` where there is no file. */
  readonly mode: number | undefined
}

export interface ConfigChange {
  text: string
  /** Nobody but the owner may read the file from now on. */
  isPrivate: boolean
}

export interface ConfigOutcome {
  readonly path: string
  readonly isChanged: boolean
  /** The permission bits that were taken away from group and others, as they had been. */
  readonly narrowedFrom: number | undefined
}

interface Snapshot extends TextFile {
  contents: Contents | undefined
  hasBOM: boolean
}

export const MAX_CONFIG_BYTES = 8 * 1024 * 1024
/** Somebody who changes the file each time while we do, and does not lock, is not waited for any longer. */
const MAX_ATTEMPTS = 5
const PRIVATE_MODE = 0o600
const OTHERS = 0o077
const BOM = '\ufeff'

/** Everything that is not a regular file of text fails. */
export async function readTextFile(path: string): Promise<TextFile> {
  return takeSnapshot(await locate(path))
}

/**
 * Lets `change` make a new text of the file, and puts that in its place: in turn with other runs of this program, and anew where
 * somebody else has changed the file meanwhile, so that `change` may be called again. `undefined` leaves the file as it is.
 */
export async function changeTextFile(
  path: string,
  change: (file: TextFile) => ConfigChange | undefined,
): Promise<ConfigOutcome> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const real = await locate(path)
    // Fails before anything is made beside what is not a file.
    await readContents(real, MAX_CONFIG_BYTES)
    const outcome = await changing(real, async () => {
      makeFolders(dirname(real), 0o700)
      return withConfigLock(`${real}.mcpwire.lock`, () => changeOnce(real, change))
    })
    if (outcome !== undefined) return outcome
  }
  throw new Failure(`${path} was changed by another program before each attempt to write it.`, {
    hint: 'Close the program that uses the file, then run the command again.',
  })
}

/** Whether somebody else may read a file of this mode. Windows has no such bits. */
export function isOpenToOthers(mode: number): boolean {
  return process.platform !== 'win32' && (mode & OTHERS) !== 0
}

async function locate(path: string): Promise<string> {
  const absolute = resolve(path)
  try {
    return await realpath(absolute)
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw toFailure(error, `${absolute} cannot be read`)
  }
  const link = await lstat(absolute).catch(() => undefined)
  // Another run may have made the file just now: that is no link.
  if (!link?.isSymbolicLink()) return absolute
  throw new Failure(`${absolute} is a symbolic link to a file that does not exist.`, {
    hint: 'Create the file that it points to, or remove the link, then run the command again.',
  })
}

async function takeSnapshot(path: string): Promise<Snapshot> {
  const contents = await readContents(path, MAX_CONFIG_BYTES)
  const text = contents === undefined ? '' : decodeText(path, contents.bytes)
  const hasBOM = text.startsWith(BOM)
  const mode = contents === undefined ? undefined : contents.stats.mode & 0o777
  return { path, text: hasBOM ? text.slice(BOM.length) : text, mode, contents, hasBOM }
}

async function changeOnce(
  path: string,
  change: (file: TextFile) => ConfigChange | undefined,
): Promise<ConfigOutcome | undefined> {
  const before = await takeSnapshot(path)
  const { mode } = before
  const changed = change(before)
  if (changed === undefined) return { path, isChanged: false, narrowedFrom: undefined }
  // To rename over it needs no permission on the file, but whoever made it read-only meant something by it.
  if (mode !== undefined) await access(path, constants.W_OK)
  const bytes = Buffer.from((before.hasBOM ? BOM : '') + changed.text)
  const nextMode = mode === undefined || changed.isPrivate ? PRIVATE_MODE : mode
  if (!(await replaceFile(before, bytes, nextMode))) return undefined
  const isNarrowed = mode !== undefined && isOpenToOthers(mode) && !isOpenToOthers(nextMode)
  return { path, isChanged: true, narrowedFrom: isNarrowed ? mode : undefined }
}

/** Readers see the old file or the new one, never half of either. `false` if the old one is no longer what it was. */
async function replaceFile({ path, contents }: Snapshot, bytes: Buffer, mode: number): Promise<boolean> {
  const temporary = `${path}.mcpwire-${randomUUID()}.tmp`
  try {
    const file = await open(temporary, 'wx', PRIVATE_MODE)
    try {
      await file.writeFile(bytes)
      if (contents !== undefined) await keepOwner(file, path, contents.stats)
      await file.chmod(mode)
      await file.sync()
    } finally {
      await file.close()
    }
    const isUnchanged = isSame(contents, await readContents(path, MAX_CONFIG_BYTES))
    if (isUnchanged) {
      if (contents !== undefined) await keepBackup(path, contents.bytes)
      await rename(temporary, path)
    } else await rm(temporary)
    return isUnchanged
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {})
    throw error
  }
}

/** With `sudo`, a file in somebody's home would otherwise end up as one that its owner cannot read. */
async function keepOwner(file: FileHandle, path: string, { uid, gid }: Stats): Promise<void> {
  const own = process.getuid?.()
  try {
    if (own !== undefined) await file.chown(uid, gid)
  } catch (error) {
    if (uid !== own) throw new Failure(`${path} belongs to another user. It was not changed.`, { cause: error })
  }
}

function isSame(a: Contents | undefined, b: Contents | undefined): boolean {
  if (a === undefined || b === undefined) return a === b
  return a.stats.mtimeMs === b.stats.mtimeMs && a.stats.ino === b.stats.ino && a.bytes.equals(b.bytes)
}

async function changing<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw toFailure(error, `${path} cannot be changed`, 'The file is as it was.')
  }
}
