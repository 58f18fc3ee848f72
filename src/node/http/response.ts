// A response of node:http as a poster gives it.
import type { IncomingMessage } from 'node:http'
import { pipeline, type Readable } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { explainFailure } from '../../http/failures.ts'
import { cancelReasonOf, isRequestCancelled, type PostRequest, type PostResponse } from '../../http/poster.ts'
import { LimitError, TransportError } from '../../types/errors/failures.ts'

const DECODERS = new Map([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
])

/** Throws `TransportError` for an encoding we do not read, and for more than one: layers serve only to hide a bomb. */
function decodeContent(body: Readable, encoding: string): Readable {
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

export class NodeResponse implements PostResponse {
  readonly status: number
  readonly url: string
  readonly #incoming: IncomingMessage
  readonly #request: PostRequest
  #giveUp: ((reason: unknown) => void) | undefined
  #isCancelled = false

  constructor(incoming: IncomingMessage, request: PostRequest) {
    this.#incoming = incoming
    this.#request = request
    this.status = incoming.statusCode ?? 0
    this.url = request.url
  }

  header(name: string): string | undefined {
    const value = this.#incoming.headers[name]
    return Array.isArray(value) ? value.join(', ') : value
  }

  // Events, not iteration: a whole body is what nearly every call reads, mostly out of one chunk.
  text(limit: number): Promise<string> {
    return new Promise((resolve, reject) => {
      const body = this.#open()
      const chunks: Buffer[] = []
      let bytes = 0
      this.#giveUp = reject
      body.on('data', (chunk: Buffer) => {
        bytes += chunk.length
        chunks.push(chunk)
        if (bytes <= limit) return
        reject(new LimitError('response bytes', limit))
        this.cancel()
      })
      body.on('end', () => resolve(toText(chunks, bytes)))
      body.on('error', (error) => reject(this.#explain(error)))
    })
  }

  async *chunks(): AsyncGenerator<Uint8Array, void, undefined> {
    try {
      if (!this.#isCancelled) yield* this.#open()
    } catch (error) {
      if (!this.#isCancelled || isRequestCancelled(this.#request)) throw this.#explain(error)
    } finally {
      this.cancel()
    }
  }

  cancel(): void {
    if (this.#isCancelled) return
    this.#isCancelled = true
    this.#giveUp?.(this.#explain(new TransportError('The response was given up before it was read')))
    // A body that is here already is read out, so that its connection can be used again.
    if (this.#incoming.complete) this.#incoming.resume()
    else this.#incoming.destroy()
  }

  #open(): Readable {
    // A connection that was cut before anybody read has nothing left to tell it with.
    if (this.#incoming.destroyed) throw this.#explain(this.#incoming.errored ?? cutOff())
    const encoding = this.#incoming.headers['content-encoding']
    return encoding === undefined ? this.#incoming : decodeContent(this.#incoming, encoding)
  }

  #explain(error: unknown): unknown {
    return isRequestCancelled(this.#request) ? cancelReasonOf(this.#request) : explainFailure(error, this.url)
  }
}

/** What node:http leaves unsaid where a connection just ends. */
export function cutOff(): Error {
  return Object.assign(new Error('The connection was cut'), { code: 'ECONNRESET' })
}

function toText(chunks: readonly Buffer[], bytes: number): string {
  const [first] = chunks
  if (first === undefined) return ''
  const text = (chunks.length === 1 ? first : Buffer.concat(chunks, bytes)).toString('utf8')
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text
}
