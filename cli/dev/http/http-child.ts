// One version of the server, at a local port.
import { type ClientRequest, request } from 'node:http'
import type { ServerChild } from '../server-child.ts'

export type Headers = Readonly<Record<string, string | string[] | undefined>>

/** Headers of one connection, which the other one makes for itself. */
const OF_CONNECTION = new Set([
  'connection',
  'keep-alive',
  'transfer-encoding',
  'content-length',
  'upgrade',
  'te',
  'trailer',
])

export function withoutConnection(headers: Headers): Record<string, string | string[]> {
  const entries = Object.entries(headers).filter(([name, value]) => value !== undefined && !OF_CONNECTION.has(name))
  return Object.fromEntries(entries) as Record<string, string | string[]>
}

export interface Sent {
  method: string
  path: string
  headers: Headers
  body: Buffer | undefined
}

export interface Answer {
  status: number
  headers: Headers
  body: string
}

const MAX_ANSWER_BYTES = 64 * 1024 * 1024

export class HttpChild {
  readonly child: ServerChild
  readonly #url: URL
  state: 'preparing' | 'serving' | 'draining' | 'gone' = 'preparing'

  constructor(child: ServerChild, url: string) {
    this.child = child
    this.#url = new URL(url)
  }

  get generation(): number {
    return this.child.generation
  }

  /** Of the endpoint. */
  get path(): string {
    return this.#url.pathname
  }

  get url(): string {
    return this.#url.href
  }

  /** `Host` and everything else goes on as the client sent it, so that the server checks what it would check. */
  send({ method, path, headers, body }: Sent): ClientRequest {
    const length = body === undefined ? {} : { 'content-length': String(body.length) }
    const sent = request({
      host: this.#url.hostname,
      port: this.#url.port,
      method,
      path,
      headers: { ...withoutConnection(headers), ...length },
      // A connection that is kept may be closed by the server at the moment that a request is sent on it.
      agent: false,
    })
    if (body !== undefined) sent.end(body)
    return sent
  }

  /** Sends a request and resolves to the whole answer. Rejects after a time. */
  ask(sent: Sent, ms: number): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const request = this.send(sent)
      const timer = setTimeout(() => request.destroy(new Error(`No answer within ${ms} ms.`)), ms)
      request.on('error', reject).on('close', () => clearTimeout(timer))
      request.on('response', (response) => {
        let body = ''
        response.setEncoding('utf8').on('data', (text: string) => {
          body += text
          if (body.length > MAX_ANSWER_BYTES) request.destroy(new Error('The answer is too large.'))
        })
        response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }))
        response.on('error', reject)
      })
    })
  }
}
