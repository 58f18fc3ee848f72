// A text file together with the files in and below its folder, for documents that refer to one another.
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { TextFile } from '../../primitives/platform.ts'
import { readTextFile } from './file-contents.ts'
import { PathEscapeError, safeJoin } from './safe-path.ts'

/** `path` is a path or a `file:` URL. Rejects if the file does not exist, is not a regular file, is too large or is not UTF-8. */
export async function openTextFile(path: string, maxBytes: number): Promise<TextFile> {
  const file = path.startsWith('file:') ? fileURLToPath(path) : path
  const folder = dirname(file)
  return {
    text: await readTextFile(file, maxBytes),
    readBelow: async (relative, maxBytes) => {
      const before = await safeJoin(folder, relative)
      const text = await readTextFile(before, maxBytes)
      // A link may have been put in its place meanwhile.
      if ((await safeJoin(folder, relative)) !== before) {
        throw new PathEscapeError('The path was rejected: it changed while it was read')
      }
      return text
    },
  }
}
