// Node joins bytes and makes ASCII text of them several times as fast as the language can.
import { Buffer, isAscii } from 'node:buffer'
import { type ByteTools, WEB_BYTES } from '../primitives/byte-tools.ts'

export const NODE_BYTES: ByteTools = {
  join: (pieces, length) => Buffer.concat(pieces, length),
  readASCII: (bytes, start, end) => (isAscii(bytes) ? asBuffer(bytes).toString('latin1', start, end) : undefined),
  readUTF8: (bytes) => (isAscii(bytes) ? asBuffer(bytes).toString('latin1') : WEB_BYTES.readUTF8(bytes)),
}

/** What comes out of a stream is one already. */
function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
