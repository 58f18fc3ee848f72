// A client of the legacy era against an endpoint, without HTTP: each call is one fake exchange.
import type { LegacyEndpoint } from '../../src/server/http/legacy/legacy.ts'
import type { AuthInfo } from '../../src/types/protocol/auth.ts'
import type { JSONObject } from '../../src/types/protocol/json.ts'
import { FakeExchange, type FakeRequest } from './fake-exchange.ts'

export const BOTH_TYPES = 'application/json, text/event-stream'

export interface LegacyClientOptions {
  version?: string
  auth?: AuthInfo
  capabilities?: JSONObject
}

export class LegacyClient {
  sessionId: string | undefined
  readonly #endpoint: LegacyEndpoint
  readonly #options: LegacyClientOptions
  #lastId = 0

  constructor(endpoint: LegacyEndpoint, options: LegacyClientOptions = {}) {
    this.#endpoint = endpoint
    this.#options = options
  }

  /** Opens a session, the second message of the handshake included. */
  static async open(endpoint: LegacyEndpoint, options: LegacyClientOptions = {}): Promise<LegacyClient> {
    const client = new LegacyClient(endpoint, options)
    const exchange = await client.initialize()
    client.sessionId = exchange.replyHeaders['mcp-session-id']
    await client.post({ jsonrpc: '2.0', method: 'notifications/initialized' }).answered
    return client
  }

  async initialize(params: JSONObject = {}): Promise<FakeExchange> {
    const exchange = this.post(
      request(0, 'initialize', {
        protocolVersion: this.#options.version ?? '2025-11-25',
        capabilities: this.#options.capabilities ?? {},
        clientInfo: { name: 'test', version: '1' },
        ...params,
      }),
    )
    await exchange.answered
    return exchange
  }

  /** Posts a body as it is. */
  post(body: unknown, request: FakeRequest = {}): FakeExchange {
    const exchange = this.exchange('POST', { accept: BOTH_TYPES }, request)
    void this.#endpoint.post(exchange, body)
    return exchange
  }

  call(method: string, params?: JSONObject, fake: FakeRequest & { id?: string | number } = {}): FakeExchange {
    this.#lastId += 1
    return this.post(request(fake.id ?? this.#lastId, method, params), fake)
  }

  tool(name: string, args: JSONObject = {}, fake?: FakeRequest & { id?: string | number }): FakeExchange {
    return this.call('tools/call', { name, arguments: args }, fake)
  }

  /** Opens the stream for what belongs to no request, or resumes one. */
  get(lastEventId?: string, request: FakeRequest = {}): FakeExchange {
    const headers = lastEventId === undefined ? {} : { 'last-event-id': lastEventId }
    const exchange = this.exchange('GET', { accept: 'text/event-stream', ...headers }, request)
    void this.#endpoint.get(exchange)
    return exchange
  }

  async delete(request: FakeRequest = {}): Promise<FakeExchange> {
    const exchange = this.exchange('DELETE', {}, request)
    await this.#endpoint.delete(exchange)
    return exchange
  }

  exchange(method: string, headers: Record<string, string>, request: FakeRequest): FakeExchange {
    const session = this.sessionId === undefined ? {} : { 'mcp-session-id': this.sessionId }
    return new FakeExchange({
      method,
      ...(this.#options.auth !== undefined && { auth: this.#options.auth }),
      ...request,
      headers: { ...headers, ...session, ...request.headers },
    })
  }
}

/** The whole answer, once it is there. */
export async function jsonOf(exchange: FakeExchange): Promise<unknown> {
  await exchange.answered
  return exchange.json
}

/** A message on the stream of an exchange, from the first one on. */
export function messageOn(exchange: FakeExchange, index = 0): JSONObject {
  return exchange.sink?.messages[index] as JSONObject
}

export function request(id: string | number, method: string, params?: JSONObject): JSONObject {
  return { jsonrpc: '2.0', id, method, ...(params !== undefined && { params }) }
}
