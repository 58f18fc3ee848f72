// Passes the response of a version of the server on to the client.
import type { IncomingMessage } from 'node:http'
import { isPlainObject } from '../../terminal/primitives.ts'
import { grantsAll, listenResult } from '../relay/listens.ts'
import { type Params, readMessage } from '../relay/messages.ts'
import type { Questions } from '../relay/questions.ts'
import type { Exchange } from './exchange.ts'
import { type HttpChild, withoutConnection } from './http-child.ts'
import { readAnswer, SESSION_HEADER } from './legacy-session.ts'
import { EventSplitter, messageEvent, parseEvent, tagEventId, writeEvent } from './sse-events.ts'

export interface ResponseRelayOptions {
  questions: Questions<HttpChild>
  onSession(id: string, exchange: Exchange, child: HttpChild, result: unknown): void
  onAnswer(exchange: Exchange, id: string, answer: Params | undefined): void
  onOver(exchange: Exchange): void
}

const MAX_JSON_BYTES = 64 * 1024 * 1024

export class ResponseRelay {
  readonly #options: ResponseRelayOptions

  constructor(options: ResponseRelayOptions) {
    this.#options = options
  }

  begin(exchange: Exchange, child: HttpChild, response: IncomingMessage): void {
    const isStream = String(response.headers['content-type']).startsWith('text/event-stream')
    if (isStream) this.#stream(exchange, child, response)
    else this.#whole(exchange, child, response)
  }

  #headersOf({ session }: Exchange, child: HttpChild, response: IncomingMessage): Record<string, string | string[]> {
    const headers = withoutConnection(response.headers)
    const id = headers[SESSION_HEADER]
    if (session !== undefined && id !== undefined && id === session.idAt(child)) headers[SESSION_HEADER] = session.id
    return headers
  }

  /** Written at once, when all of it is there: until then another version may take over. */
  #whole(exchange: Exchange, child: HttpChild, answer: IncomingMessage): void {
    const { response } = exchange
    const chunks: Buffer[] = []
    let bytes = 0
    answer.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes > MAX_JSON_BYTES) answer.destroy()
      else chunks.push(chunk)
    })
    answer.on('end', () => {
      if (exchange.child !== child || exchange.isOver) return
      const body = Buffer.concat(chunks)
      const message = readMessage(body)
      if (exchange.isStreaming) {
        // The response began as a stream, at another version.
        if (message !== undefined) response.write(messageEvent(message))
        response.end()
      } else {
        this.#noteSession(exchange, child, answer, body.toString())
        response.writeHead(answer.statusCode ?? 500, this.#headersOf(exchange, child, answer)).end(body)
      }
      this.#settle(exchange, message)
      this.#options.onOver(exchange)
    })
  }

  #noteSession(exchange: Exchange, child: HttpChild, { headers }: IncomingMessage, body: string): void {
    const id = headers[SESSION_HEADER]
    if (typeof id !== 'string' || !exchange.messages.some(({ method }) => method === 'initialize')) return
    const answer = readAnswer(headers['content-type'], body)
    this.#options.onSession(id, exchange, child, isPlainObject(answer) ? answer['result'] : undefined)
  }

  #settle(exchange: Exchange, message: Params | undefined): void {
    if (message === undefined || 'method' in message) return
    this.#options.onAnswer(exchange, JSON.stringify(message['id'] ?? null), message)
  }

  #stream(exchange: Exchange, child: HttpChild, answer: IncomingMessage): void {
    const { response } = exchange
    if (!response.headersSent) {
      response.writeHead(answer.statusCode ?? 200, this.#headersOf(exchange, child, answer))
      response.flushHeaders()
    }
    const splitter = new EventSplitter((event) => {
      if (exchange.child !== child || exchange.isOver) return
      const passed = this.#event(exchange, child, answer, event)
      if (passed !== undefined && !response.write(passed)) {
        answer.pause()
        response.once('drain', () => answer.resume())
      }
    })
    answer.on('data', (chunk: Buffer) => {
      if (!splitter.push(chunk)) answer.destroy()
    })
    answer.on('end', () => {
      if (exchange.child !== child || exchange.isOver) return
      // A session's stream that a version closes because it ends is opened again at the next one.
      if (exchange.isLasting && (child.state !== 'serving' || child.child.hasExited)) return
      response.end()
      this.#options.onOver(exchange)
    })
  }

  /** What the client gets of an event; `undefined` for nothing. */
  #event(exchange: Exchange, child: HttpChild, answer: IncomingMessage, text: string): string | undefined {
    const event = parseEvent(text)
    const id = event.id === undefined ? undefined : tagEventId(child.generation, event.id)
    const message = event.data === undefined ? undefined : readMessage(Buffer.from(event.data))
    if (message === undefined) return writeEvent({ ...event, id })
    if (exchange.messages.some(({ method }) => method === 'initialize')) {
      this.#noteSession(exchange, child, answer, JSON.stringify(message))
    }
    const passed = this.#message(exchange, child, message)
    if (passed === undefined) return undefined
    this.#settle(exchange, message)
    return writeEvent({ ...event, id, data: passed === message ? event.data : JSON.stringify(passed) })
  }

  /** The message for the client: with ids of questions that no other version uses. */
  #message(exchange: Exchange, child: HttpChild, message: Params): Params | undefined {
    const { method, id, params } = message
    if (typeof method !== 'string') return message
    if (id !== undefined) {
      const shown = this.#options.questions.add(child, JSON.stringify(id))
      return shown === JSON.stringify(id) ? message : { ...message, id: JSON.parse(shown) as unknown }
    }
    if (!isPlainObject(params)) return message
    if (method === 'notifications/cancelled' && !exchange.isListen) {
      const shown = this.#options.questions.drop(child, JSON.stringify(params['requestId'] ?? null))
      return { ...message, params: { ...params, requestId: JSON.parse(shown) as unknown } }
    }
    return method === 'notifications/subscriptions/acknowledged'
      ? this.#acknowledged(exchange, message, params)
      : message
  }

  /** The client has an acknowledgement of the first version, and cannot get another. */
  #acknowledged(exchange: Exchange, message: Params, params: Params): Params | undefined {
    const before = exchange.granted
    const granted = isPlainObject(params['notifications']) ? params['notifications'] : {}
    exchange.granted = granted
    if (!exchange.isRepeated || before === undefined) return message
    if (grantsAll(before, granted)) return undefined
    const [id = 'null'] = exchange.open.keys()
    exchange.response.write(messageEvent({ jsonrpc: '2.0', ...listenResult(id) }))
    exchange.response.end()
    return undefined
  }
}
