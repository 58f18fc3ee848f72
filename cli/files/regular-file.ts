// Reads a file that somebody names: a regular one, of bounded size, without ever waiting for it.
import type { Stats } from 'node:fs'
import { constants, type FileHandle, open, stat } from 'node:fs/promises'
import { Failure } from '../terminal/failure.ts'
import { brokenAt } from './broken-file.ts'

export interface Contents {
  bytes: Buffer
  stats: Stats
}

const CHUNK_BYTES = 64 * 1024

const REASONS: Partial<Record<string, string>> = {
  EACCES: 'permission is denied',
  EPERM: 'permission is denied',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EFBIG: 'the file would be larger than allowed',
  ELOOP: 'its symbolic links lead in a circle',
  ENOTDIR: 'a part of its path is not a directory',
  EISDIR: 'it is a directory',
  ENAMETOOLONG: 'its name is too long',
  ENOENT: 'it does not exist',
  EBUSY: 'another program is using it',
}

/** The bytes of a regular file, or `undefined` where there is none. Never waits for a pipe or reads a device. */
export async function readContents(path: string, maxBytes: number): Promise<Contents | undefined> {
  try {
    assertRegular(path, await stat(path))
    // What is a file now may be a pipe by the time it is opened.
    const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
    try {
      const stats = await file.stat()
      assertRegular(path, stats)
      return { bytes: await readAtMost(file, path, maxBytes), stats }
    } finally {
      await file.close()
    }
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw toFailure(error, `${path} cannot be read`)
  }
}

/** Text, or the place where the bytes are none. */
export function decodeText(path: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    const text = new TextDecoder('utf-8').decode(bytes)
    throw brokenAt({ path, text }, text.indexOf('\ufffd'), 'it is not text in UTF-8')
  }
}

/** What the system refused, as a sentence; a failure that is one already stays as it is. */
export function toFailure(error: unknown, what: string, hint?: string): Failure {
  if (error instanceof Failure) return error
  const code = codeOf(error)
  const reason = code === undefined ? (error as Error).message : (REASONS[code] ?? `the system says ${code}`)
  return new Failure(`${what}: ${reason}.`, { cause: error, ...(hint !== undefined && { hint }) })
}

export function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code
}

async function readAtMost(file: FileHandle, path: string, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let length = 0
  for (;;) {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(CHUNK_BYTES), 0, CHUNK_BYTES)
    if (bytesRead === 0) return Buffer.concat(chunks)
    length += bytesRead
    if (length > maxBytes) {
      throw new Failure(`${path} is larger than the limit of ${maxBytes} bytes.`, {
        hint: 'Check that this is the right file. It was not changed.',
      })
    }
    chunks.push(buffer.subarray(0, bytesRead))
  }
}

function assertRegular(path: string, stats: Stats): void {
  if (stats.isFile()) return
  const kind = stats.isDirectory() ? 'a directory' : 'a device, pipe or socket'
  throw new Failure(`${path} is ${kind}, not a file.`, { hint: 'Name a regular file.' })
}
