// Both ends of a proxy in the hands of a test: messages go in and come out as they are, with nothing of ours between.
import type { Channel, Receiver, Transport } from '../../src/dispatcher/channel.ts'
import { createMemoryChannelPair } from '../../src/exports/dispatcher.ts'
import { createDeferred, type Deferred } from '../../src/primitives/async/promises.ts'
import type { ErrorData, JSONRPCMessage } from '../../src/types/protocol/jsonrpc.ts'
import { ScriptedServer } from './scripted-server.ts'

export type RawEra = 'legacy' | 'modern'
export type RawMessage = Record<string, unknown>

export const ERA_PAIRS = [
  ['legacy', 'legacy'],
  ['modern', 'modern'],
  ['legacy', 'modern'],
  ['modern', 'legacy'],
] as const

export const META = {
  version: 'io.modelcontextprotocol/protocolVersion',
  info: 'io.modelcontextprotocol/clientInfo',
  capabilities: 'io.modelcontextprotocol/clientCapabilities',
  level: 'io.modelcontextprotocol/logLevel',
  server: 'io.modelcontextprotocol/serverInfo',
  subscription: 'io.modelcontextprotocol/subscriptionId',
} as const

export const VERSION_OF = { legacy: '2025-11-25', modern: '2026-07-28' } as const

/** What a client can be asked, if it can be asked everything. */
export const ALL_CAPABILITIES = { sampling: {}, elicitation: { form: {}, url: {} }, roots: { listChanged: true } }
export const RAW_INFO = { name: 'raw', version: '1' }

interface RawClientOptions {
  capabilities?: RawMessage
  clientInfo?: RawMessage
  version?: string
}

/** A client that sends what it is given. Its requests resolve to the whole answer. */
export class RawClient {
  readonly era: RawEra
  readonly received: RawMessage[] = []
  /** Answers what the server asks; `undefined` leaves it open. */
  onRequest: (message: RawMessage) => { result: unknown } | { error: ErrorData } | undefined = () => undefined
  readonly #channel: Channel
  readonly #options: RawClientOptions
  readonly #open = new Map<unknown, Deferred<RawMessage>>()
  readonly #waiting = new Set<() => void>()
  #lastId = 0

  private constructor(era: RawEra, channel: Channel, options: RawClientOptions) {
    this.era = era
    this.#channel = channel
    this.#options = options
  }

  /** Connects, in the legacy era with the handshake. */
  static async open(
    server: { connect(channel: Channel): Promise<unknown> },
    era: RawEra,
    options: RawClientOptions = {},
  ): Promise<RawClient> {
    const [here, there] = createMemoryChannelPair()
    const client = new RawClient(era, here, options)
    const receiver: Receiver = {
      message: (message) => client.#take(structuredClone(message) as RawMessage),
      lost: () => {},
      fault: () => {},
      closed: () => {},
    }
    await here.start(receiver)
    await server.connect(there)
    if (era === 'legacy') await client.initialize()
    return client
  }

  async initialize(): Promise<RawMessage> {
    const { capabilities = ALL_CAPABILITIES, clientInfo = RAW_INFO, version = VERSION_OF.legacy } = this.#options
    const answer = await this.request('initialize', { protocolVersion: version, capabilities, clientInfo })
    this.notify('notifications/initialized')
    return answer
  }

  /** Sends a request and resolves to its answer, `result` or `error`. Modern requests get the envelope. */
  request(method: string, params: RawMessage = {}, id: unknown = `c${++this.#lastId}`): Promise<RawMessage> {
    const answered = createDeferred<RawMessage>()
    this.#open.set(id, answered)
    this.send({ jsonrpc: '2.0', id, method, params: this.era === 'modern' ? this.withEnvelope(params) : params })
    return answered.promise
  }

  async result(method: string, params?: RawMessage, id?: unknown): Promise<RawMessage> {
    const answer = await this.request(method, params, id)
    if (answer['error'] !== undefined) throw new Error(`'${method}' failed: ${JSON.stringify(answer['error'])}`)
    return answer['result'] as RawMessage
  }

  async error(method: string, params?: RawMessage, id?: unknown): Promise<RawMessage> {
    const answer = await this.request(method, params, id)
    if (answer['error'] === undefined) throw new Error(`'${method}' did not fail: ${JSON.stringify(answer)}`)
    return answer['error'] as RawMessage
  }

  notify(method: string, params?: RawMessage): void {
    this.send({ jsonrpc: '2.0', method, ...(params !== undefined && { params }) })
  }

  send(message: RawMessage): void {
    void this.#channel.send(structuredClone(message) as unknown as JSONRPCMessage)
  }

  /** Params as the client of a modern request sends them. */
  withEnvelope(params: RawMessage): RawMessage {
    const { capabilities = ALL_CAPABILITIES, clientInfo = RAW_INFO } = this.#options
    return {
      ...params,
      _meta: {
        [META.version]: VERSION_OF.modern,
        [META.info]: clientInfo,
        [META.capabilities]: capabilities,
        ...(params['_meta'] as RawMessage | undefined),
      },
    }
  }

  /** What it was told, by method. */
  told(method: string): RawMessage[] {
    return this.received.filter((message) => message['method'] === method)
  }

  /** Resolves when `found` gives something, asked again with each message. */
  async until<T>(found: () => T | undefined): Promise<T> {
    for (;;) {
      const value = found()
      if (value !== undefined) return value
      await new Promise<void>((resolve) => this.#waiting.add(resolve))
    }
  }

  /** Resolves to the first so many messages of a method. */
  untilTold(method: string, count = 1): Promise<RawMessage[]> {
    return this.until(() => (this.told(method).length >= count ? this.told(method).slice(0, count) : undefined))
  }

  async close(): Promise<void> {
    await this.#channel.close()
  }

  #take(message: RawMessage): undefined {
    this.received.push(message)
    const { id, method } = message
    if (method === undefined) {
      this.#open.get(id)?.resolve(message)
      this.#open.delete(id)
    } else if (id !== undefined) {
      const answer = this.onRequest(message)
      if (answer !== undefined) this.send({ jsonrpc: '2.0', id, ...answer })
    }
    for (const waiting of [...this.#waiting]) {
      this.#waiting.delete(waiting)
      waiting()
    }
    return undefined
  }
}

const CAPABILITIES = {
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
  completions: {},
  logging: {},
}

/** A server by script that can be connected to in its era. */
export function rawServer(era: RawEra, more: RawMessage = {}): ScriptedServer {
  const serverInfo = { name: 'scripted', version: '1' }
  const script = new ScriptedServer()
  if (era === 'legacy') {
    return script.on('initialize', (params) => ({
      protocolVersion: params['protocolVersion'] as string,
      capabilities: CAPABILITIES,
      serverInfo,
      ...more,
    }))
  }
  return script.on('server/discover', {
    resultType: 'complete',
    supportedVersions: ['2026-07-28'],
    capabilities: CAPABILITIES,
    ttlMs: 0,
    cacheScope: 'private',
    _meta: { [META.server]: serverInfo },
    ...more,
  })
}

/** A target that opens the next of these servers for each connection, and the last one ever after. */
export function targetOf(...servers: readonly ScriptedServer[]): Transport & { readonly opened: number } {
  let opened = 0
  return {
    kind: 'test',
    open: async () => {
      const server = servers[Math.min(opened, servers.length - 1)] as ScriptedServer
      opened += 1
      return server.channel
    },
    get opened() {
      return opened
    },
  }
}
