// One file as a resource.
import { basename, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { mimeTypeOf } from '../../primitives/mime-type.ts'
import { assertCount, checkKeys, givenOf, type KnownKeys } from '../../primitives/options.ts'
import type { Annotations } from '../../types/features/content.ts'
import { DEFAULT_MAX_FILE_BYTES, decodeText, isUnreadable, OPEN_TO_READ, readBytes, withFile } from './file-contents.ts'

/** The metadata of a file in a listing. */
export interface FileResourceMeta {
  /** The name for programs (default: that of the file or folder). */
  name?: string | undefined
  /** A name for people (default: none). */
  title?: string | undefined
  /** What the files contain, for the model and for people (default: none). */
  description?: string | undefined
  /** The format of the file (default: by its name). */
  mimeType?: string | undefined
  /** The size in bytes, as known to the author (default: none). */
  size?: number | undefined
  /** Who the contents are for and how important they are (default: none). */
  annotations?: Annotations | undefined
}

export const FILE_RESOURCE_META_KEYS: KnownKeys<FileResourceMeta> = {
  name: true,
  title: true,
  description: true,
  mimeType: true,
  size: true,
  annotations: true,
}

/** Options of `fileResource()`. */
export interface FileResourceOptions extends FileResourceMeta {
  /** Default: the `file:` URL of the path. */
  uri?: string | undefined
  /** The largest file that is read in bytes (default: 10 MiB). A larger file is a `LimitError`. */
  maxBytes?: number | undefined
}

export const FILE_RESOURCE_KEYS: KnownKeys<FileResourceOptions> = {
  ...FILE_RESOURCE_META_KEYS,
  uri: true,
  maxBytes: true,
}

/** A definition for `MCPServer.resource`. */
export interface FileResource {
  /** The address of the file. */
  readonly uri: string
  /** What clients see beside the URI. */
  readonly meta: FileResourceMeta
  /** A string for a text file, else bytes; `undefined` if there is no such file. */
  read(): Promise<string | Uint8Array | undefined>
}

/**
 * Serves one file, read again at each request. The path is the author's own and is trusted: symbolic links are followed. The
 * default name and type come from the file's name.
 */
export function fileResource(path: string | URL, options: FileResourceOptions = {}): FileResource {
  checkKeys('fileResource()', options, FILE_RESOURCE_KEYS)
  const { uri, maxBytes = DEFAULT_MAX_FILE_BYTES, ...given } = options
  const meta = givenOf(given)
  assertCount('maxBytes', maxBytes, 0)
  const file = toAbsolute(path)
  const mimeType = meta.mimeType ?? mimeTypeOf(basename(file))
  return {
    uri: uri ?? pathToFileURL(file).href,
    meta: { name: basename(file), ...meta, ...(mimeType !== undefined && { mimeType }) },
    read: () => readTrusted(file, mimeType, maxBytes),
  }
}

async function readTrusted(
  path: string,
  mimeType: string | undefined,
  maxBytes: number,
): Promise<string | Uint8Array | undefined> {
  try {
    const bytes = await withFile(path, OPEN_TO_READ, (file) => readBytes(file, maxBytes))
    return bytes === undefined ? undefined : decodeText(bytes, mimeType)
  } catch (error) {
    if (isUnreadable(error)) return undefined
    throw error
  }
}

/** Resolves a relative path against the present working directory, not a later one. */
export function toAbsolute(path: string | URL): string {
  return resolve(typeof path === 'string' ? path : fileURLToPath(path))
}
