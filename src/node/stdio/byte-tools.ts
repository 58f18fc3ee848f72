// Byte tools for Node, which allocates without clearing and decodes ASCII several times as fast as `TextDecoder`.
import { type ByteTools, WEB_BYTES } from '../../primitives/byte-tools.ts'

// An import would make Node load everything of `File` too, at every start. The global `Buffer` is a getter.
const { Buffer, isAscii, isUtf8 } = process.getBuiltinModule('node:buffer')

export const NODE_BYTES: ByteTools = {
  allocate: (length) => Buffer.allocUnsafeSlow(length),
  readASCII: (bytes, start, end) => (isAscii(bytes) ? asBuffer(bytes).toString('latin1', start, end) : undefined),
  readUTF8: (bytes) =>
    readShort(bytes) ?? (isAscii(bytes) ? asBuffer(bytes).toString('latin1') : WEB_BYTES.readUTF8(bytes)),
  isUTF8: isUtf8,
}

/** Up to this length, the number of calls costs more than the number of bytes. */
const SHORT_LENGTH = 4_096
const REPLACEMENT = '\ufffd'
const BYTE_ORDER_MARK = 0xfeff

/** `undefined` for text that is long, starts with a byte order mark, or contains U+FFFD, which Node puts for invalid bytes. */
function readShort(bytes: Uint8Array): string | undefined {
  if (bytes.length > SHORT_LENGTH) return undefined
  const text = asBuffer(bytes).toString('utf8')
  return text.charCodeAt(0) === BYTE_ORDER_MARK || text.includes(REPLACEMENT) ? undefined : text
}

/** Chunks of a stream are buffers already. */
function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
