// The bytes of a file and their form in `resources/read`: text where the text has exactly these bytes, otherwise a blob.
import { decodeBase64, encodeBase64 } from '../../../primitives/base64.ts'
import { mimeTypeOf } from '../../../primitives/mime-type.ts'
import type { BlobResourceContents, TextResourceContents } from '../../../types/features/resources.ts'

const BYTE_ORDER_MARK = '\uFEFF'

/** The text of UTF-8 bytes, a byte-order mark included; `undefined` for other bytes. */
export function textOf(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

/** Text that starts with a byte-order mark goes as a blob: readers drop the mark, and its digest would not match. */
export function toContents(uri: string, path: string, bytes: Uint8Array): TextResourceContents | BlobResourceContents {
  const text = textOf(bytes)
  return text === undefined || text.startsWith(BYTE_ORDER_MARK)
    ? { uri, mimeType: mimeTypeOf(path) ?? 'application/octet-stream', blob: encodeBase64(bytes) }
    : { uri, mimeType: mimeTypeOf(path) ?? 'text/plain', text }
}

/** The bytes of contents; `undefined` for a blob that is not base64. */
export function bytesOf(contents: TextResourceContents | BlobResourceContents): Uint8Array | undefined {
  return 'text' in contents ? new TextEncoder().encode(contents.text) : decodeBase64(contents.blob)
}
