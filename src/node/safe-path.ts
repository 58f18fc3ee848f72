// Joins a path that someone else chose to a folder, without ever leaving that folder.
import { lstat, realpath } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, relative as relativePath, sep } from 'node:path'
import { brand } from '../types/brand.ts'
import { findPathFlaw } from './path-flaw.ts'

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
