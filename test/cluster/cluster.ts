// Several servers on one backend, each with its own HTTP endpoint, behind a balancer without stickiness.
import { onTestFinished } from 'vitest'
import type { Backend } from '../../src/backend/backend.ts'
import { Client } from '../../src/client/client.ts'
import type { ClientOptions } from '../../src/client/client-options.ts'
import { streamableHttp } from '../../src/client/transports/streamable-http.ts'
import type { Fault } from '../../src/dispatcher/fault.ts'
import { toFetch } from '../../src/http/to-fetch.ts'
import type { MCPServer } from '../../src/mcpserver/mcpserver.ts'
import { createHandler, type ServerHandler, serverOf } from '../../src/server/http/handler.ts'
import type { HandlerOptions, HandlerWrapper } from '../../src/server/http/handler-options.ts'
import type { JSONObject } from '../../src/types/protocol/json.ts'
import { type FaultyBackend, faultyBackend } from './faulty-backend.ts'

type FetchHandler = (request: Request) => Promise<Response>

export interface TestNode {
  readonly id: string
  readonly server: MCPServer
  readonly handler: ServerHandler
  readonly fetch: FetchHandler
}

export interface TestCluster {
  readonly backend: FaultyBackend
  readonly nodes: readonly TestNode[]
  readonly faults: Fault[]
  /** Sends each request to the next node. */
  readonly fetch: typeof globalThis.fetch
  /** How many requests each node got by `fetch`. */
  readonly served: number[]
}

export interface ClusterOptions {
  readonly size?: number
  readonly backend?: FaultyBackend
  readonly handler?: HandlerOptions
}

export interface NodeParts {
  /** For the options of the server. */
  readonly backend: Backend
  readonly onFault: (fault: Fault) => void
  /** The position among the nodes. */
  readonly index: number
}

/** Starts the nodes; they close with the test. */
export async function startCluster(
  createServer: (parts: NodeParts) => MCPServer,
  { size = 3, backend = faultyBackend(), handler: handlerOptions = {} }: ClusterOptions = {},
): Promise<TestCluster> {
  const faults: Fault[] = []
  const served = Array.from({ length: size }, () => 0)
  const nodes: TestNode[] = []
  for (let index = 0; index < size; index += 1) {
    const server = createServer({ backend, onFault: (fault) => void faults.push(fault), index })
    const handler = createHandler(server, { auth: authByHeader, ...handlerOptions })
    onTestFinished(() => handler.close({ drainMs: 0 }))
    await handler.start()
    const id = serverOf(server).cluster?.id ?? ''
    nodes.push({ id, server, handler, fetch: toFetch(handler) })
  }
  let next = 0
  const fetch: typeof globalThis.fetch = (input, init) => {
    const index = next % size
    next += 1
    served[index] = (served[index] ?? 0) + 1
    return nodes[index]!.fetch(new Request(input, init))
  }
  return { backend, nodes, faults, fetch, served }
}

/** The caller is who the header names; nobody without it. */
export const authByHeader: HandlerWrapper = (handler) => (exchange) => {
  const user = exchange.header('x-user')
  if (typeof user === 'string') exchange.auth = { clientId: 'app', subject: user, scopes: [] }
  return handler(exchange)
}

export const ENDPOINT = 'http://localhost/mcp'

/** Our own client in the legacy era, over the balancer. */
export async function connectClient(fetch: typeof globalThis.fetch, options: ClientOptions = {}): Promise<Client> {
  const client = await Client.connect(streamableHttp(ENDPOINT, { fetch }), { mode: 'legacy', ...options })
  onTestFinished(() => client.close())
  return client
}

export interface RawOptions {
  readonly user?: string
  readonly capabilities?: JSONObject
  readonly version?: string
}

/** Where a raw client sends its requests to. */
interface RawNodes {
  readonly nodes: readonly { readonly fetch: FetchHandler }[]
}

/** A client that sends single requests to the node that a test names. */
export class RawClient {
  sessionId: string | undefined
  readonly #cluster: RawNodes
  readonly #user: string | undefined
  readonly #version: string
  readonly #capabilities: JSONObject
  #lastId = 0

  constructor(cluster: RawNodes, { user, capabilities = {}, version = '2025-11-25' }: RawOptions = {}) {
    this.#cluster = cluster
    this.#user = user
    this.#version = version
    this.#capabilities = capabilities
  }

  /** Opens a session at one node. */
  static async open(cluster: RawNodes, node = 0, options: RawOptions = {}): Promise<RawClient> {
    const client = new RawClient(cluster, options)
    const response = await client.initialize(node)
    client.sessionId = response.headers.get('mcp-session-id') ?? undefined
    await client.post(node, { jsonrpc: '2.0', method: 'notifications/initialized' })
    return client
  }

  initialize(node: number): Promise<Response> {
    const clientInfo = { name: 'raw', version: '1' }
    const params = { protocolVersion: this.#version, capabilities: this.#capabilities, clientInfo }
    return this.post(node, { jsonrpc: '2.0', id: 'init', method: 'initialize', params })
  }

  request(node: number, method: string, params?: JSONObject, id?: string | number): Promise<Response> {
    this.#lastId += 1
    return this.post(node, { jsonrpc: '2.0', id: id ?? this.#lastId, method, ...(params && { params }) })
  }

  tool(node: number, name: string, args: JSONObject = {}, id?: string | number): Promise<Response> {
    return this.request(node, 'tools/call', { name, arguments: args }, id)
  }

  post(node: number, body: unknown): Promise<Response> {
    const headers = {
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
    }
    return this.#send(node, { method: 'POST', headers, body: JSON.stringify(body) })
  }

  get(node: number, lastEventId?: string): Promise<Response> {
    const headers = { accept: 'text/event-stream', ...(lastEventId && { 'last-event-id': lastEventId }) }
    return this.#send(node, { method: 'GET', headers })
  }

  delete(node: number): Promise<Response> {
    return this.#send(node, { method: 'DELETE', headers: {} })
  }

  #send(node: number, init: { method: string; headers: Record<string, string>; body?: string }): Promise<Response> {
    const headers = { ...init.headers, 'mcp-protocol-version': this.#version }
    if (this.sessionId !== undefined) Object.assign(headers, { 'mcp-session-id': this.sessionId })
    if (this.#user !== undefined) Object.assign(headers, { 'x-user': this.#user })
    return this.#cluster.nodes[node]!.fetch(new Request(ENDPOINT, { ...init, headers }))
  }
}

/** The text of a tool's result, from a JSON answer. */
export async function textOf(response: Response): Promise<string> {
  const { result } = (await response.json()) as { result: { content: { text: string }[] } }
  return result.content[0]?.text ?? ''
}

/** Reads the messages of an event stream, one by one. */
export class StreamReader {
  /** Of the last event with one. */
  lastEventId: string | undefined
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>
  readonly #decoder = new TextDecoder()
  #text = ''

  constructor(response: Response) {
    if (response.body === null) throw new Error(`status ${response.status} without a body`)
    this.#reader = response.body.getReader()
  }

  /** The next event with a message; `undefined` at the end of the stream. */
  async next(): Promise<JSONObject | undefined> {
    for (;;) {
      const end = this.#text.indexOf('\n\n')
      if (end === -1) {
        const { value, done } = await this.#reader.read()
        if (done) return undefined
        this.#text += this.#decoder.decode(value, { stream: true })
        continue
      }
      const block = this.#text.slice(0, end)
      this.#text = this.#text.slice(end + 2)
      this.lastEventId = /^id: ?(\S.*)$/m.exec(block)?.[1] ?? this.lastEventId
      const data = /^data: ?(\S.*)$/m.exec(block)?.[1]
      if (data !== undefined) return JSON.parse(data) as JSONObject
    }
  }

  cancel(): Promise<void> {
    return this.#reader.cancel()
  }
}
