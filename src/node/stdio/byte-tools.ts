// Node gives memory without clearing it, and makes ASCII text of bytes several times as fast as the language can.
import { type ByteTools, WEB_BYTES } from '../../primitives/byte-tools.ts'

// An import would make Node load all that belongs to `File` as well, at every start. The global `Buffer` is a getter.
const { Buffer, isAscii } = process.getBuiltinModule('node:buffer')

export const NODE_BYTES: ByteTools = {
  allocate: (length) => Buffer.allocUnsafeSlow(length),
  readASCII: (bytes, start, end) => (isAscii(bytes) ? asBuffer(bytes).toString('latin1', start, end) : undefined),
  readUTF8: (bytes) =>
    readShort(bytes) ?? (isAscii(bytes) ? asBuffer(bytes).toString('latin1') : WEB_BYTES.readUTF8(bytes)),
}

/** Up to here the number of calls counts for more than the number of bytes. */
const SHORT_LENGTH = 4_096
const REPLACEMENT = '\ufffd'
const BYTE_ORDER_MARK = 0xfeff

/** `undefined` for a text that is long, begins with a mark, or may have had to be mended: what is broken is replaced. */
function readShort(bytes: Uint8Array): string | undefined {
  if (bytes.length > SHORT_LENGTH) return undefined
  const text = asBuffer(bytes).toString('utf8')
  return text.charCodeAt(0) === BYTE_ORDER_MARK || text.includes(REPLACEMENT) ? undefined : text
}

/** What comes out of a stream is one already. */
function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
