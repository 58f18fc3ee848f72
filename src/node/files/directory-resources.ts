// The files of a folder as resources: one template that lists and reads the files below the folder, and nothing else.

import type { Dirent } from 'node:fs'
import { lstat, opendir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { encodeBase64 } from '../../primitives/base64.ts'
import { typeError } from '../../primitives/help.ts'
import { mimeTypeOf } from '../../primitives/mime-type.ts'
import { assertCount, checkKeys, type KnownKeys } from '../../primitives/options.ts'
import type { BlobResourceContents, Resource, TextResourceContents } from '../../types/features/resources.ts'
import { DEFAULT_MAX_FILE_BYTES, decodeText, isUnreadable, OPEN_NO_LINK, readBytes, withFile } from './file-contents.ts'
import { type FileResourceMeta, toAbsolute } from './file-resource.ts'
import { findPathFlaw, PathEscapeError, safeJoin } from './safe-path.ts'

export type DirectoryResourcesMeta = Omit<FileResourceMeta, 'mimeType' | 'size'>

/** Options of `directoryResources()`. */
export interface DirectoryResourcesOptions extends DirectoryResourcesMeta {
  /** The prefix of the URIs, as in `docs://` (default: the `file:` URL of the folder). */
  uri?: string | undefined
  /** Serves files and folders whose names start with a dot (default: `false`). */
  hidden?: boolean | undefined
  /** Whether a file is served, by its path from the folder, with `/` as the separator (default: all files). */
  include?: ((path: string) => boolean) | undefined
  /** The largest file that is read in bytes (default: 10 MiB). A larger file is a `LimitError`. */
  maxBytes?: number | undefined
  /** How many names one listing reads (default: 1,000). Files beyond the limit can be read, but are not listed. */
  maxEntries?: number | undefined
  /** How many levels of folders a listing reads (default: 8); 1 is the folder itself. */
  maxDepth?: number | undefined
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
  /** The template of the URIs of the files. */
  readonly uriTemplate: string
  /** What clients see beside the URI. */
  readonly meta: DirectoryResourcesMeta
  /** Yields the files of the folder, for `resources/list`. */
  list(): AsyncIterable<Resource>
  /** The contents of one file; `undefined` if there is no such file, or it may not be read. */
  read(variables: Readonly<Record<string, unknown>>): Promise<Contents | undefined>
}

/**
 * Serves the files below a folder. No path and no symbolic link leads out of the folder (`safeJoin`). A file that may not be
 * read looks exactly like one that does not exist.
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
      // Another process may have replaced a folder by a link meanwhile: the open file must still be the one at the path.
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
  if (/[{}]/.test(uri))
    throw typeError('wrong-option', 'The uri of a folder must not contain braces: mcpwire adds the path to it')
  return uri.endsWith('/') ? uri : `${uri}/`
}

interface ListedFile {
  /** Relative to the folder, with `/` on every system. */
  readonly path: string
  readonly size: number
  readonly modified: Date
}

interface ListingOptions {
  /** How many names are read in all, of files or not. */
  readonly maxEntries: number
  /** How many levels of folders; 1 is the folder itself. */
  readonly maxDepth: number
  /** Whether a file is served, or a folder is read. */
  isServed(path: string, isFolder: boolean): boolean
}

/** The regular files, in the order of their names, up to the limits. Symbolic links are not listed, because they may form cycles. */
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

/** A folder that can't be read, or no longer exists, counts as empty. */
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
