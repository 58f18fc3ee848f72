// The files of a folder and of those below it, up to limits.
import type { Dirent } from 'node:fs'
import { lstat, opendir } from 'node:fs/promises'
import { join } from 'node:path'
import { isUnreadable } from './file-contents.ts'

export interface ListedFile {
  /** From the folder, with `/` on every system. */
  readonly path: string
  readonly size: number
  readonly modified: Date
}

export interface ListingOptions {
  /** Names to look at in all, of files or not. */
  readonly maxEntries: number
  /** How many folders deep; 1 is the folder itself. */
  readonly maxDepth: number
  /** Whether a file is served, or a folder is looked into. */
  isServed(path: string, isFolder: boolean): boolean
}

/**
 * The regular files, in the order of their names as far as the limits let them be known. Symbolic links are not listed: they
 * may lead in circles.
 */
export async function* listFiles(root: string, options: ListingOptions): AsyncGenerator<ListedFile> {
  yield* listFolder(root, '', { ...options, left: options.maxEntries }, 1)
}

type Walk = ListingOptions & { left: number }

async function* listFolder(root: string, prefix: string, walk: Walk, depth: number): AsyncGenerator<ListedFile> {
  for (const entry of await readEntries(join(root, prefix), walk)) {
    const path = prefix + entry.name
    if (!walk.isServed(path, entry.isDirectory())) continue
    if (entry.isDirectory() && depth < walk.maxDepth) yield* listFolder(root, `${path}/`, walk, depth + 1)
    const file = entry.isFile() ? await describeFile(root, path) : undefined
    if (file !== undefined) yield file
  }
}

/** A folder that cannot be read, or is gone by now, has nothing in it. */
async function readEntries(folder: string, walk: Walk): Promise<Dirent[]> {
  const entries: Dirent[] = []
  try {
    for await (const entry of await opendir(folder)) {
      if (walk.left <= 0) break
      walk.left -= 1
      entries.push(entry)
    }
  } catch (error) {
    if (!isUnreadable(error)) throw error
  }
  return entries.sort((a, b) => (a.name < b.name ? -1 : 1))
}

async function describeFile(root: string, path: string): Promise<ListedFile | undefined> {
  try {
    const { size, mtime } = await lstat(join(root, path))
    return { path, size, modified: mtime }
  } catch (error) {
    if (isUnreadable(error)) return undefined
    throw error
  }
}
