// A session of a legacy client. Each version of the server has an id of its own for it; the client keeps the first one.
import { isPlainObject } from '../../terminal/primitives.ts'
import type { Params } from '../relay/messages.ts'
import type { Headers, HttpChild, Sent } from './http-child.ts'
import { parseEvent } from './sse-events.ts'

export const SESSION_HEADER = 'mcp-session-id'

const HANDSHAKE_MS = 30_000
const REPLAY_MS = 5_000
const MAX_URIS = 10_000

export class LegacySession {
  /** As the client knows it. */
  readonly id: string
  readonly #initialize: Sent
  #headers: Headers
  #capabilities: unknown
  #initialized: Buffer | undefined
  #level: Buffer | undefined
  readonly #watched = new Map<string, Buffer>()
  readonly #ids = new WeakMap<HttpChild, string>()

  constructor(id: string, child: HttpChild, initialize: Sent) {
    this.id = id
    this.#initialize = initialize
    this.#headers = initialize.headers
    this.#ids.set(child, id)
  }

  idAt(child: HttpChild): string | undefined {
    return this.#ids.get(child)
  }

  /** The result of `initialize`. */
  answered(result: unknown): void {
    if (isPlainObject(result)) this.#capabilities = result['capabilities']
  }

  announces(capability: string): boolean {
    const declared = isPlainObject(this.#capabilities) ? this.#capabilities[capability] : undefined
    return isPlainObject(declared) && declared['listChanged'] === true
  }

  /** A message of the client. Its headers may hold a newer token than those before. */
  note(method: unknown, params: Params, headers: Headers, body: Buffer): void {
    this.#headers = headers
    const uri = String(params['uri'])
    if (method === 'notifications/initialized') this.#initialized = body
    else if (method === 'logging/setLevel') this.#level = body
    else if (method === 'resources/subscribe' && this.#watched.size < MAX_URIS) this.#watched.set(uri, body)
    else if (method === 'resources/unsubscribe') this.#watched.delete(uri)
  }

  /** Opens it at a new version. Where that refuses, the client gets 404 and begins anew. */
  async replay(child: HttpChild): Promise<void> {
    const { authorization } = this.#headers
    const auth = authorization === undefined ? {} : { authorization }
    const opened = await child.ask(
      { ...this.#initialize, headers: { ...this.#initialize.headers, ...auth } },
      HANDSHAKE_MS,
    )
    const id = opened.headers[SESSION_HEADER]
    if (opened.status !== 200 || typeof id !== 'string') return
    this.#ids.set(child, id)
    const headers = { ...this.#headers, [SESSION_HEADER]: id }
    const send = (body: Buffer) => child.ask({ ...this.#initialize, headers, body }, REPLAY_MS).catch(() => {})
    if (this.#initialized !== undefined) await send(this.#initialized)
    if (this.#level !== undefined) await send(this.#level)
    await Promise.all([...this.#watched.values()].map(send))
  }
}

/** The messages of an answer, which may be JSON or an event stream. */
export function readAnswer(contentType: unknown, body: string): unknown {
  try {
    if (!String(contentType).startsWith('text/event-stream')) return JSON.parse(body)
    const data = body.split(/\r?\n\r?\n/).map((event) => parseEvent(event).data)
    return JSON.parse(data.findLast((text) => text !== undefined && text !== '') ?? 'null')
  } catch {
    return undefined
  }
}
