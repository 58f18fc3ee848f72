// A response of node:http as a poster gives it.
import type { IncomingMessage } from 'node:http'
import { pipeline, type Readable } from 'node:stream'
import { explainFailure } from '../../http/failures.ts'
import { cancelReasonOf, isRequestCancelled, type PostRequest, type PostResponse } from '../../http/poster.ts'
import { LimitError, TransportError } from '../../types/errors/failures.ts'
import { loadZlib } from '../runtime/builtins.ts'

const DECODERS = new Map([
  ['gzip', () => loadZlib().createGunzip()],
  ['x-gzip', () => loadZlib().createGunzip()],
  ['deflate', () => loadZlib().createInflate()],
  ['br', () => loadZlib().createBrotliDecompress()],
])

/** Throws `TransportError` for an unsupported encoding, and for more than one: nested encodings serve only to hide a bomb. */
function decodeContent(body: Readable, encoding: string): Readable {
  const name = encoding.trim().toLowerCase()
  if (name === '' || name === 'identity') return body
  const createDecoder = DECODERS.get(name)
  if (createDecoder === undefined) {
    body.destroy()
    throw new TransportError(
      `The Content-Encoding ${JSON.stringify(name.slice(0, 50))} of the response is not supported.`,
    )
  }
  // The reader of the decoder gets the errors of both streams.
  return pipeline(body, createDecoder(), () => {})
}

// An import would make Node load everything of `File` too, at every start.
const { isUtf8 } = process.getBuiltinModule('node:buffer')

/** A shorter body is text in less time than is won by leaving it as it is. */
const MIN_BYTES = 16 * 1024

export class NodeResponse implements PostResponse {
  readonly status: number
  readonly url: string
  readonly #incoming: IncomingMessage
  readonly #request: PostRequest
  #rejectText: ((reason: unknown) => void) | undefined
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
    return this.#read(limit, toText)
  }

  textOrBytes(limit: number): Promise<string | Uint8Array> {
    return this.#read<string | Uint8Array>(limit, (bytes) =>
      bytes.length > MIN_BYTES && isUtf8(bytes) ? bytes : toText(bytes),
    )
  }

  #read<Body>(limit: number, finish: (bytes: Buffer) => Body): Promise<Body> {
    return new Promise((resolve, reject) => {
      const body = this.#open()
      const chunks: Buffer[] = []
      let bytes = 0
      this.#rejectText = reject
      body.on('data', (chunk: Buffer) => {
        bytes += chunk.length
        chunks.push(chunk)
        if (bytes <= limit) return
        reject(new LimitError('response bytes', limit))
        this.cancel()
      })
      body.on('end', () => resolve(finish(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, bytes))))
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
    this.#rejectText?.(this.#explain(new TransportError('The response was cancelled before it was read.')))
    // A body that has arrived is read to its end, so that its connection can be reused.
    if (this.#incoming.complete) this.#incoming.resume()
    else this.#incoming.destroy()
  }

  #open(): Readable {
    // A connection that was cut before the body was read emits no error later.
    if (this.#incoming.destroyed) throw this.#explain(this.#incoming.errored ?? connectionCut())
    const encoding = this.#incoming.headers['content-encoding']
    return encoding === undefined ? this.#incoming : decodeContent(this.#incoming, encoding)
  }

  #explain(error: unknown): unknown {
    return isRequestCancelled(this.#request) ? cancelReasonOf(this.#request) : explainFailure(error, this.url)
  }
}

/** The error that node:http does not emit where a connection ends early. */
export function connectionCut(): Error {
  return Object.assign(new Error('The connection was cut'), { code: 'ECONNRESET' })
}

function toText(bytes: Buffer): string {
  const text = bytes.toString('utf8')
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text
}
