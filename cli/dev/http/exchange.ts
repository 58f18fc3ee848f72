// One request of a client over HTTP, and the response to it, whichever version of the server it comes from.
import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http'
import { isPlainObject } from '../../terminal/primitives.ts'
import type { Params } from '../relay/messages.ts'
import type { HttpChild } from './http-child.ts'
import type { LegacySession } from './legacy-session.ts'

/** A request of JSON-RPC in the body. */
export interface BodyRequest {
  /** As JSON. */
  readonly id: string
  readonly method: string
  readonly params: Params
}

export class Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly body: Buffer | undefined
  /** The messages in the body; none where it is not JSON. */
  readonly messages: readonly Params[]
  readonly session: LegacySession | undefined
  readonly startedAt = performance.now()
  /** Requests that have no answer yet. */
  readonly open: Map<string, BodyRequest>
  child: HttpChild | undefined
  upstream: ClientRequest | undefined
  /** Of `subscriptions/listen`: what was granted. */
  granted: Params | undefined
  isRepeated = false
  timer?: NodeJS.Timeout

  constructor(
    request: IncomingMessage,
    response: ServerResponse,
    body: Buffer | undefined,
    messages: readonly Params[],
    session: LegacySession | undefined,
  ) {
    this.request = request
    this.response = response
    this.body = body
    this.messages = messages
    this.session = session
    this.open = new Map(messages.flatMap(toRequest).map((found) => [found.id, found]))
  }

  /** The stream of a session, which a server sends on when it likes. */
  get isSessionStream(): boolean {
    return this.request.method === 'GET' && this.session !== undefined
  }

  get isListen(): boolean {
    return this.messages.some(({ method }) => method === 'subscriptions/listen')
  }

  /** Whether it stays open until somebody ends it. */
  get isLasting(): boolean {
    return this.isSessionStream || this.isListen
  }

  /** Whether the response is an event stream that has begun. */
  get isStreaming(): boolean {
    return this.response.headersSent && !this.response.writableEnded
  }

  get isOver(): boolean {
    return this.response.writableEnded || this.response.destroyed
  }
}

function toRequest({ id, method, params }: Params): BodyRequest[] {
  if (typeof method !== 'string' || (typeof id !== 'string' && typeof id !== 'number')) return []
  return [{ id: JSON.stringify(id), method, params: isPlainObject(params) ? params : {} }]
}
