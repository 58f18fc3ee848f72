// The contents of a regular file, up to a limit, as text where they are text.
import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { LimitError } from '../../types/errors/failures.ts'
import { isTextType } from './mime-type.ts'
import { errorCode } from './safe-path.ts'

export const DEFAULT_MAX_FILE_BYTES = 10 * 1024 * 1024
const CHUNK_BYTES = 64 * 1024

/** Opening a pipe would otherwise wait for someone to write into it. Windows knows neither of these. */
export const OPEN_TO_READ = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)
export const OPEN_NO_LINK = OPEN_TO_READ | (constants.O_NOFOLLOW ?? 0)

/** What a system says of a path that leads to no file that we may read. To a client these are all the same. */
const UNREADABLE: ReadonlySet<string> = new Set([
  'EACCES',
  'EISDIR',
  'ELOOP',
  'ENAMETOOLONG',
  'ENOENT',
  'ENOTDIR',
  'ENXIO',
  'EPERM',
])

export function isUnreadable(error: unknown): boolean {
  return UNREADABLE.has(errorCode(error) ?? '')
}

/** Opens a file for the time of `use`. */
export async function withFile<T>(path: string, flags: number, use: (file: FileHandle) => Promise<T>): Promise<T> {
  const file = await open(path, flags)
  try {
    return await use(file)
  } finally {
    await file.close()
  }
}

/** All bytes; `undefined` for what is no regular file, a `LimitError` for more than `maxBytes`. */
export async function readBytes(file: FileHandle, maxBytes: number): Promise<Uint8Array | undefined> {
  const stats = await file.stat()
  if (!stats.isFile()) return undefined
  if (stats.size > maxBytes) throw tooLarge(maxBytes)
  const chunks: Uint8Array[] = []
  // Read to the end whatever the size said: a file may grow meanwhile, and some have no size at all.
  for (let total = 0; ; ) {
    const { bytesRead, buffer } = await file.read(new Uint8Array(CHUNK_BYTES), 0, CHUNK_BYTES)
    if (bytesRead === 0) return Buffer.concat(chunks, total)
    total += bytesRead
    if (total > maxBytes) throw tooLarge(maxBytes)
    chunks.push(buffer.subarray(0, bytesRead))
  }
}

/**
 * Text where the type says so or, without a type, where there is no NUL in it. What is not UTF-8 stays bytes: better not to be
 * read than to be read wrong.
 */
export function decodeText(bytes: Uint8Array, mimeType: string | undefined): string | Uint8Array {
  const mayBeText = mimeType === undefined ? !bytes.includes(0) : isTextType(mimeType)
  if (!mayBeText) return bytes
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return bytes
  }
}

function tooLarge(maxBytes: number): LimitError {
  return new LimitError('file bytes', maxBytes, `The file is larger than the ${maxBytes} bytes that may be read of one`)
}
