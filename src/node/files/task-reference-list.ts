// What a file of references contains: as many as fit, with a fair share for each server.

import { Buffer } from 'node:buffer'
import { rangeError } from '../../primitives/help.ts'
import type { TaskReference } from '../../types/extensions/tasks.ts'

/** Tasks that nobody has looked at to their end. */
const MAX_REFERENCES = 10_000
const MAX_BYTES = 8 * 1024 * 1024
/** Ids have up to 1,024 characters, of up to six bytes each. */
const MAX_REFERENCE_BYTES = 16 * 1024

/** Throws `RangeError` for a reference that no client would make, so that it is not written. */
export function checkReferenceSize(reference: TaskReference): void {
  const bytes = Buffer.byteLength(textOf(reference))
  if (bytes <= MAX_REFERENCE_BYTES) return
  throw rangeError(
    'wrong-argument',
    `The reference of the task has ${bytes} bytes; a file takes up to ${MAX_REFERENCE_BYTES}.`,
  )
}

interface Share {
  bytes: number
  /** Oldest first, by their place in the list. */
  readonly places: number[]
}

/**
 * The text of the file. Where there is too much, the server with the largest share loses its oldest reference: a server that leaves
 * thousands of tasks must not displace those of others.
 */
export function writeReferences(references: readonly TaskReference[]): string {
  const texts: (string | undefined)[] = references.map(textOf)
  const shares = new Map<string, Share>()
  let count = references.length
  let bytes = 0
  references.forEach(({ server }, place) => {
    const share = shares.get(server) ?? { bytes: 0, places: [] }
    shares.set(server, share)
    const size = Buffer.byteLength(texts[place] as string)
    share.bytes += size
    share.places.push(place)
    bytes += size
  })
  while (count > MAX_REFERENCES || bytes > MAX_BYTES) {
    const isByCount = bytes <= MAX_BYTES
    const largest = largestOf(shares, (share) => (isByCount ? share.places.length : share.bytes))
    const place = largest.places.shift() as number
    const size = Buffer.byteLength(texts[place] as string)
    texts[place] = undefined
    largest.bytes -= size
    bytes -= size
    count -= 1
  }
  const kept = texts.filter((text) => text !== undefined)
  return kept.length === 0 ? '[]\n' : `[\n${kept.join(',\n')}\n]\n`
}

function largestOf(shares: ReadonlyMap<string, Share>, sizeOf: (share: Share) => number): Share {
  return [...shares.values()].reduce((largest, share) => (sizeOf(share) > sizeOf(largest) ? share : largest))
}

/** One line, so that a file can be read by people and compared by tools. */
function textOf(reference: TaskReference): string {
  return `  ${JSON.stringify(reference)}`
}
