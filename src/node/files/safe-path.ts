// Joins a path that someone else chose to a folder, without ever leaving that folder.
import { lstat, realpath } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, relative as relativePath, sep } from 'node:path'
import { brand } from '../../types/errors/errors.ts'

const MAX_LENGTH = 4096

/** A dot, slash, backslash, colon or NUL that is still encoded, any number of times: whoever decodes once more would be led on. */
const ENCODED = /%(?:25)*(?:2e|2f|5c|3a|00)/i
const LONE_SURROGATE = /\p{Cs}/u

/** On Windows these are devices in every folder, with any extension. */
const DEVICE = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³]) *(?:\.|$)/i

/** The flaw, as the end of a sentence that does not repeat the path, or `undefined`. */
export function findPathFlaw(path: string): string | undefined {
  if (path === '') return 'it is empty'
  if (path.length > MAX_LENGTH) return `it is longer than ${MAX_LENGTH} characters`
  if (path.includes('\0')) return 'it holds a NUL'
  if (path.includes('\\')) return 'it holds a backslash'
  if (path.includes(':')) return 'it holds a colon, as drives and streams do'
  if (path.startsWith('/')) return 'it is absolute'
  if (path.startsWith('-')) return 'it begins like an option'
  if (LONE_SURROGATE.test(path)) return 'it is not well-formed Unicode'
  if (ENCODED.test(path)) return 'it holds a separator or a dot that is still encoded'
  for (const part of path.split('/')) {
    const flaw = findPartFlaw(part)
    if (flaw !== undefined) return flaw
  }
  return undefined
}

function findPartFlaw(part: string): string | undefined {
  if (part === '') return 'a part of it is empty'
  if (part === '.' || part === '..') return "it holds '.' or '..'"
  // Windows drops these, so that `..  ` or `secret.` would be another name than the one that was looked at.
  if (part.endsWith('.') || part.endsWith(' ')) return 'a part of it ends with a dot or a space'
  if (DEVICE.test(part)) return 'a part of it is the name of a device'
  return undefined
}

/** A path was refused because it leads, or could lead, out of its folder. Says why, never the path. */
export class PathEscapeError extends Error {
  static {
    brand(this, 'PathEscapeError')
  }
}

/**
 * The real, absolute path of `relative` below `root`, whether it exists yet or not. `relative` has `/` between its parts and
 * is taken as it is, decoded already. Rejects with `PathEscapeError` for what would lead elsewhere on any system, and for
 * symbolic links that do. Someone who can write into the folder may change it later: open the file, then look again.
 */
export async function safeJoin(root: string, relative: string): Promise<string> {
  const flaw = findPathFlaw(relative)
  if (flaw !== undefined) throw new PathEscapeError(`The path was refused: ${flaw}`)
  const realRoot = await realpath(root)
  const real = await resolveLinks(join(realRoot, relative), realRoot)
  if (!isBelow(realRoot, real)) throw new PathEscapeError('The path was refused: it leads out of its folder')
  return real
}

/** The path without symbolic links. What does not exist cannot be one, so the rest is kept as it is. */
async function resolveLinks(path: string, realRoot: string): Promise<string> {
  const real = await unlessMissing(realpath(path))
  if (real !== undefined) return real
  if ((await unlessMissing(lstat(path))) !== undefined) {
    throw new PathEscapeError('The path was refused: it is a symbolic link to something that does not exist')
  }
  if (path === realRoot) return path
  return join(await resolveLinks(dirname(path), realRoot), basename(path))
}

async function unlessMissing<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined
    throw error
  }
}

// By parts and not by characters: `/srv/files-of-others` begins like `/srv/files`.
function isBelow(realRoot: string, real: string): boolean {
  const path = relativePath(realRoot, real)
  return path !== '' && path !== '..' && !path.startsWith(`..${sep}`) && !isAbsolute(path)
}

/** The code of a system error, as in `ENOENT`. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}
