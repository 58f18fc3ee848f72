// Bodies that came compressed although we ask for plain ones; whoever reads counts the decoded bytes.
import { pipeline, type Readable } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { TransportError } from '../types/failures.ts'

const DECODERS = new Map([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
])

/** Throws `TransportError` for an encoding we do not read, and for more than one: layers serve only to hide a bomb. */
export function decodeContent(body: Readable, encoding: string): Readable {
  const name = encoding.trim().toLowerCase()
  if (name === '' || name === 'identity') return body
  const createDecoder = DECODERS.get(name)
  if (createDecoder === undefined) {
    body.destroy()
    throw new TransportError(
      `The response is encoded in a way that is not supported: ${JSON.stringify(name.slice(0, 50))}`,
    )
  }
  // An error of either stream reaches whoever reads the decoder; this function has nobody to tell.
  return pipeline(body, createDecoder(), () => {})
}
