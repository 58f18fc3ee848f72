// A long line that is written again and again, as lists are: kept with room before it, so that its head makes one piece with it.

/** More than any head of an answer needs whose id is a number. */
const HEAD_ROOM = 64
/** What is longer is not worth a copy. */
const MAX_BODY_BYTES = 4 * 1024 * 1024

const { Buffer } = process.getBuiltinModule('node:buffer')

/** To write one piece costs a pipe a few microseconds less than to write two. */
export class RepeatedLine {
  #body: Uint8Array | undefined
  #bytes: Buffer | undefined

  /**
   * The whole line, where the same body was the last one too. It is good until the next call, so only for a pipe that has taken
   * all of the line before, and that leads out of this process.
   */
  with(head: string, body: Uint8Array): Uint8Array | undefined {
    if (body !== this.#body) {
      this.#body = body
      this.#bytes = undefined
      return undefined
    }
    if (head.length > HEAD_ROOM || body.length > MAX_BODY_BYTES) return undefined
    this.#bytes ??= withRoom(body)
    const start = HEAD_ROOM - head.length
    this.#bytes.write(head, start, 'latin1')
    return this.#bytes.subarray(start)
  }
}

function withRoom(body: Uint8Array): Buffer {
  const bytes = Buffer.allocUnsafeSlow(HEAD_ROOM + body.length)
  bytes.set(body, HEAD_ROOM)
  return bytes
}
