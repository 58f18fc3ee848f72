// Joins an untrusted path to a folder, without ever leaving that folder.
import { lstat, realpath } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, relative as relativePath, sep } from 'node:path'
import { brand } from '../../types/errors/errors.ts'

const MAX_LENGTH = 4096

/** A dot, slash, backslash, colon or NUL that is percent-encoded, once or several times: later code might decode it. */
const ENCODED = /%(?:25)*(?:2e|2f|5c|3a|00)/i
const LONE_SURROGATE = /\p{Cs}/u

/** On Windows these are devices in every folder, with any extension. */
const DEVICE = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³]) *(?:\.|$)/i

/** What is wrong with the path, as the end of a sentence that does not repeat the path; or `undefined`. */
export function findPathFlaw(path: string): string | undefined {
  if (path === '') return 'it is empty'
  if (path.length > MAX_LENGTH) return `it is longer than ${MAX_LENGTH} characters`
  if (path.includes('\0')) return 'it contains a NUL'
  if (path.includes('\\')) return 'it contains a backslash'
  if (path.includes(':')) return 'it contains a colon, which is for drives and streams'
  if (path.startsWith('/')) return 'it is absolute'
  if (path.startsWith('-')) return 'it starts with a hyphen, like an option'
  if (LONE_SURROGATE.test(path)) return 'it is not well-formed Unicode'
  if (ENCODED.test(path)) return 'it contains an encoded separator or dot'
  for (const part of path.split('/')) {
    const flaw = findPartFlaw(part)
    if (flaw !== undefined) return flaw
  }
  return undefined
}

function findPartFlaw(part: string): string | undefined {
  if (part === '') return 'a part of it is empty'
  if (part === '.' || part === '..') return "it contains '.' or '..'"
  // Windows drops these, so that `..  ` or `secret.` would name another file than the one that was checked.
  if (part.endsWith('.') || part.endsWith(' ')) return 'a part of it ends with a dot or a space'
  if (DEVICE.test(part)) return 'a part of it is the name of a device'
  return undefined
}

/** A path was rejected because it leads, or could lead, out of its folder. The message gives the reason and not the path. */
export class PathEscapeError extends Error {
  static {
    brand(this, 'PathEscapeError')
  }
}

/**
 * The real, absolute path of `relative` below `root`, whether it exists or not. `relative` uses `/` as the separator and is
 * already decoded. Rejects with `PathEscapeError` for a path that would leave the folder on any system, and for symbolic links
 * that do. If others can write to the folder, open the file and then call this again: they may have changed it.
 */
export async function safeJoin(root: string, relative: string): Promise<string> {
  const flaw = findPathFlaw(relative)
  if (flaw !== undefined) throw new PathEscapeError(`The path was rejected: ${flaw}`)
  const realRoot = await realpath(root)
  const real = await resolveLinks(join(realRoot, relative), realRoot)
  if (!isBelow(realRoot, real)) throw new PathEscapeError('The path was rejected: it leads out of its folder')
  return real
}

/** The path without symbolic links. What does not exist is not a link, so the rest stays as it is. */
async function resolveLinks(path: string, realRoot: string): Promise<string> {
  const real = await unlessMissing(realpath(path))
  if (real !== undefined) return real
  if ((await unlessMissing(lstat(path))) !== undefined) {
    throw new PathEscapeError('The path was rejected: it is a symbolic link to a missing file')
  }
  if (path === realRoot) return path
  return join(await resolveLinks(dirname(path), realRoot), basename(path))
}

async function unlessMissing<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return undefined
    throw error
  }
}

// Compares parts, not characters: `/srv/files-of-others` starts with `/srv/files`.
function isBelow(realRoot: string, real: string): boolean {
  const path = relativePath(realRoot, real)
  return path !== '' && path !== '..' && !path.startsWith(`..${sep}`) && !isAbsolute(path)
}

/** The code of a system error, such as `ENOENT`. */
export function systemErrorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}
