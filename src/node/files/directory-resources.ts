// The files of a folder as resources: one template that lists and reads what is below the folder, and nothing else.

import type { Dirent } from 'node:fs'
import { lstat, opendir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { encodeBase64 } from '../../primitives/base64.ts'
import { checkKeys, type KnownKeys } from '../../primitives/options.ts'
import { assertCount } from '../../server/middleware/rejection.ts'
import type { BlobResourceContents, Resource, TextResourceContents } from '../../types/features/resources.ts'
import { DEFAULT_MAX_FILE_BYTES, decodeText, isUnreadable, OPEN_NO_LINK, readBytes, withFile } from './file-contents.ts'
import { type FileResourceMeta, toAbsolute } from './file-resource.ts'
import { mimeTypeOf } from './mime-type.ts'
import { findPathFlaw, PathEscapeError, safeJoin } from './safe-path.ts'

export type DirectoryResourcesMeta = Omit<FileResourceMeta, 'mimeType' | 'size'>

export interface DirectoryResourcesOptions extends DirectoryResourcesMeta {
  /** What the paths are put behind, as in `docs://`; the `file:` URL of the folder unless given. */
  uri?: string
  /** Serves files and folders whose names begin with a dot. Not unless given. */
  hidden?: boolean
  /** Which files are served, by their path from the folder with `/` between its parts. All unless given. */
  include?: (path: string) => boolean
  /** The most that is read of one file; 10 MiB unless given. A larger file is a `LimitError`. */
  maxBytes?: number
  /** Names to look at for one listing; 1,000 unless given. Files beyond it can be read all the same. */
  maxEntries?: number
  /** How many folders deep a listing goes; 8 unless given, 1 is the folder itself. */
  maxDepth?: number
}

export const DIRECTORY_RESOURCES_KEYS: KnownKeys<DirectoryResourcesOptions> = {
  name: true,
  title: true,
  description: true,
  annotations: true,
  uri: true,
  hidden: true,
  include: true,
  maxBytes: true,
  maxEntries: true,
  maxDepth: true,
}

type Contents = TextResourceContents | BlobResourceContents

/** A definition for `MCPServer.resource`. */
export interface DirectoryResources {
  readonly uriTemplate: string
  readonly meta: DirectoryResourcesMeta
  list(): AsyncIterable<Resource>
  /** The contents of one file; `undefined` where there is none, or none that may be read. */
  read(variables: Readonly<Record<string, unknown>>): Promise<Contents | undefined>
}

/**
 * Serves the files below a folder, as `safeJoin` finds them: no path and no symbolic link leads out of it. What must not be
 * read looks exactly like what does not exist.
 */
export function directoryResources(root: string | URL, options: DirectoryResourcesOptions = {}): DirectoryResources {
  checkKeys('directoryResources()', options, DIRECTORY_RESOURCES_KEYS)
  const { uri, hidden = false, include, maxBytes = DEFAULT_MAX_FILE_BYTES, maxEntries = 1000, maxDepth = 8 } = options
  const { title, description, annotations } = options
  for (const [name, value] of Object.entries({ maxBytes, maxEntries, maxDepth })) assertCount(name, value, 0)
  const folder = toAbsolute(root)
  const base = toBase(uri ?? pathToFileURL(folder).href)
  const isServed = (path: string, isFolder = false): boolean => {
    if (findPathFlaw(path) !== undefined || (!hidden && isHidden(path))) return false
    return isFolder || include === undefined || include(path)
  }
  return {
    uriTemplate: `${base}{+path}`,
    meta: {
      name: options.name ?? base,
      ...(title !== undefined && { title }),
      ...(description !== undefined && { description }),
      ...(annotations !== undefined && { annotations }),
    },
    list: () => listResources(folder, base, { maxEntries, maxDepth, isServed }),
    read: async ({ path }) => {
      if (typeof path !== 'string' || !isServed(path)) return undefined
      const bytes = await readBelow(folder, path, maxBytes)
      return bytes === undefined ? undefined : toContents(toUri(base, path), path, bytes)
    },
  }
}

async function* listResources(
  folder: string,
  base: string,
  options: Parameters<typeof listFiles>[1],
): AsyncGenerator<Resource> {
  for await (const { path, size, modified } of listFiles(folder, options)) {
    const mimeType = mimeTypeOf(path)
    yield {
      uri: toUri(base, path),
      name: path,
      size,
      annotations: { lastModified: modified.toISOString() },
      ...(mimeType !== undefined && { mimeType }),
    }
  }
}

async function readBelow(folder: string, path: string, maxBytes: number): Promise<Uint8Array | undefined> {
  try {
    return await withFile(await safeJoin(folder, path), OPEN_NO_LINK, async (file) => {
      // Someone may have put a link in the way since: what is open must still be what the path leads to.
      const [opened, found] = await Promise.all([file.stat(), stat(await safeJoin(folder, path))])
      const isSame = opened.dev === found.dev && opened.ino === found.ino
      return isSame ? await readBytes(file, maxBytes) : undefined
    })
  } catch (error) {
    if (error instanceof PathEscapeError || isUnreadable(error)) return undefined
    throw error
  }
}

function toContents(uri: string, path: string, bytes: Uint8Array): Contents {
  const known = mimeTypeOf(path)
  const value = decodeText(bytes, known)
  if (typeof value === 'string') return { uri, mimeType: known ?? 'text/plain', text: value }
  return { uri, mimeType: known ?? 'application/octet-stream', blob: encodeBase64(value) }
}

function isHidden(path: string): boolean {
  return path.split('/').some((part) => part.startsWith('.'))
}

function toUri(base: string, path: string): string {
  return base + path.split('/').map(encodeURIComponent).join('/')
}

function toBase(uri: string): string {
  if (/[{}]/.test(uri)) throw new TypeError('The uri of a folder must have no braces: the path is put behind it')
  return uri.endsWith('/') ? uri : `${uri}/`
}

interface ListedFile {
  /** From the folder, with `/` on every system. */
  readonly path: string
  readonly size: number
  readonly modified: Date
}

interface ListingOptions {
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
async function* listFiles(root: string, options: ListingOptions): AsyncGenerator<ListedFile> {
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
