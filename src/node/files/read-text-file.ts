// Reads a file that the user names: a regular one, of bounded size, without ever waiting for it.
import { constants, open } from 'node:fs/promises'
import { LimitError } from '../../types/errors/failures.ts'

const decoder = new TextDecoder('utf-8', { fatal: true })

/** Rejects where there is no such file, or it is no text. */
export async function readTextFile(path: string, maxBytes: number): Promise<string> {
  // What is a file by its name may be a pipe that nobody writes to.
  const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  try {
    const stats = await file.stat()
    if (!stats.isFile()) throw new Error(`${path} is not a file`)
    const bytes = Buffer.allocUnsafe(Math.min(stats.size, maxBytes) + 1)
    let length = 0
    for (;;) {
      const { bytesRead } = await file.read(bytes, length, bytes.length - length)
      length += bytesRead
      if (length > maxBytes)
        throw new LimitError('bytes of a file', maxBytes, `${path} is larger than ${maxBytes} bytes`)
      if (bytesRead === 0 || length === bytes.length) break
    }
    return decoder.decode(bytes.subarray(0, length))
  } finally {
    await file.close()
  }
}
