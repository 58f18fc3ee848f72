// Saves images, audio and other bytes of a result into a folder. Nothing that is there is overwritten.
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { CallToolResult } from 'mcpwire'
import { makeFolders } from './make-folders.ts'
import { codeOf, toFailure } from './regular-file.ts'

const ENDINGS: Partial<Record<string, string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/webp': 'webp',
  'image/svg+xml': 'svg',
  'audio/wav': 'wav',
  'audio/mpeg': 'mp3',
  'audio/ogg': 'ogg',
  'application/pdf': 'pdf',
  'application/json': 'json',
  'text/plain': 'txt',
  'text/html': 'html',
  'text/csv': 'csv',
}

const MAX_TRIES = 1_000

/** Where each block was saved. Names are ours: those of a server could lead anywhere. */
export async function saveContent({ content }: CallToolResult, folder: string): Promise<Map<object, string>> {
  const saved = new Map<object, string>()
  for (const block of content) {
    const kept = bytesOf(block)
    if (kept === undefined) continue
    try {
      makeFolders(folder)
      saved.set(kept.item, await saveAs(folder, kept))
    } catch (error) {
      throw toFailure(error, `The result cannot be saved in ${folder}`)
    }
  }
  return saved
}

interface Kept {
  item: object
  kind: string
  base64: string
  mimeType: string | undefined
}

function bytesOf(block: CallToolResult['content'][number]): Kept | undefined {
  if (block.type === 'image' || block.type === 'audio') {
    return { item: block, kind: block.type, base64: block.data, mimeType: block.mimeType }
  }
  if (block.type !== 'resource' || !('blob' in block.resource)) return undefined
  const { blob, mimeType } = block.resource
  return { item: block.resource, kind: 'file', base64: blob, mimeType }
}

async function saveAs(folder: string, { kind, base64, mimeType }: Kept): Promise<string> {
  const ending = ENDINGS[mimeType?.split(';')[0]?.trim().toLowerCase() ?? ''] ?? 'bin'
  for (let number = 1; ; number += 1) {
    const path = join(folder, `${kind}-${number}.${ending}`)
    try {
      await writeFile(path, Buffer.from(base64, 'base64'), { flag: 'wx' })
      return path
    } catch (error) {
      if (codeOf(error) === 'EEXIST' && number < MAX_TRIES) continue
      // Half of a picture is none.
      if (codeOf(error) !== 'EEXIST') await rm(path, { force: true }).catch(() => {})
      throw error
    }
  }
}
