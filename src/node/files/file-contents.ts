// Reads regular files up to a size limit, and decodes them where they are text.

import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { withHelp } from '../../primitives/help.ts'
import { isTextType } from '../../primitives/mime-type.ts'
import { LimitError } from '../../types/errors/failures.ts'
import { systemErrorCode } from './safe-path.ts'

export const DEFAULT_MAX_FILE_BYTES = 10 * 1024 * 1024
const CHUNK_BYTES = 64 * 1024

/** Without O_NONBLOCK, opening a named pipe waits for a writer. Windows has neither flag. */
export const OPEN_TO_READ = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)
export const OPEN_NO_LINK = OPEN_TO_READ | (constants.O_NOFOLLOW ?? 0)

/** System errors for a path that names no file we may read. A client sees no difference between them. */
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
  return UNREADABLE.has(systemErrorCode(error) ?? '')
}

/** The text of a UTF-8 file. Rejects if the file does not exist, is not a regular file, is too large or is not UTF-8. */
export async function readTextFile(path: string, maxBytes: number): Promise<string> {
  const bytes = await withFile(path, OPEN_TO_READ, (file) => readBytes(file, maxBytes, path))
  if (bytes === undefined) throw withHelp('wrong-argument', new Error(`${path} is not a file`))
  return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
}

/** Opens a file, runs `use`, and closes the file. */
export async function withFile<T>(path: string, flags: number, use: (file: FileHandle) => Promise<T>): Promise<T> {
  const file = await open(path, flags)
  try {
    return await use(file)
  } finally {
    await file.close()
  }
}

/** All bytes of a regular file; `undefined` for anything else. Throws `LimitError` for more than `maxBytes`. */
export async function readBytes(
  file: FileHandle,
  maxBytes: number,
  name = 'The file',
): Promise<Uint8Array | undefined> {
  const stats = await file.stat()
  if (!stats.isFile()) return undefined
  if (stats.size > maxBytes) throw fileTooLarge(name, maxBytes)
  const chunks: Uint8Array[] = []
  // The size is only a hint: a file may grow meanwhile, and files of /proc report a size of 0.
  for (let total = 0; ; ) {
    const { bytesRead, buffer } = await file.read(new Uint8Array(CHUNK_BYTES), 0, CHUNK_BYTES)
    if (bytesRead === 0) return Buffer.concat(chunks, total)
    total += bytesRead
    if (total > maxBytes) throw fileTooLarge(name, maxBytes)
    chunks.push(buffer.subarray(0, bytesRead))
  }
}

function fileTooLarge(name: string, maxBytes: number): LimitError {
  return new LimitError('file bytes', maxBytes, `${name} is larger than the limit of ${maxBytes} bytes`)
}

/**
 * The text of bytes whose type is textual or, without a type, that contain no NUL. Bytes that are not UTF-8 stay bytes, so that
 * no text is decoded wrongly.
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
