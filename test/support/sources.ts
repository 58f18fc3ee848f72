// A source made of lists, and the context of a request, for tests of what is composed of sources.
import { InboundContext } from '../../src/dispatcher/context.ts'
import { ConnectionCore } from '../../src/server/connection.ts'
import { createContext, type ServerRequestContext } from '../../src/server/context.ts'
import { coreOf } from '../../src/server/internals.ts'
import { NO_BACK_CHANNEL } from '../../src/server/outbound.ts'
import { Server } from '../../src/server/server.ts'
import type { Component, ListMethod, ListPage, Source, SourceDescription } from '../../src/server/source.ts'
import type { SubscriptionEvent, SubscriptionListener } from '../../src/server/subscriptions/subscriptions.ts'
import { ErrorCode } from '../../src/types/errors/error-codes.ts'
import { MCPError } from '../../src/types/errors/errors.ts'
import type { AuthInfo } from '../../src/types/protocol/auth.ts'
import type { JSONObject } from '../../src/types/protocol/json.ts'
import type { ProtocolVersion } from '../../src/types/protocol/versions.ts'

export interface RequestOptions {
  readonly server?: Server
  readonly version?: ProtocolVersion
  readonly auth?: AuthInfo
  readonly method?: string
  readonly params?: JSONObject
}

export function requestOf(options: RequestOptions = {}): ServerRequestContext {
  const { server = new Server('front'), version = '2026-07-28', auth, method = 'tools/list', params = {} } = options
  const transport = { kind: 'direct', canSendRequest: false, ...(auth !== undefined && { auth }) }
  const dispatch = new InboundContext(NO_BACK_CHANNEL, transport, 1, params)
  const connection = ConnectionCore.fromEnvelope({ protocolVersion: version, clientCapabilities: {} })
  return createContext(coreOf(server), connection, dispatch, method, params)
}

export interface ListedParts {
  tools?: string[]
  prompts?: string[]
  resources?: string[]
  templates?: string[]
}

const MEMBERS: Record<string, [part: keyof ListedParts, member: string, key: string]> = {
  'tools/list': ['tools', 'tools', 'name'],
  'prompts/list': ['prompts', 'prompts', 'name'],
  'resources/list': ['resources', 'resources', 'uri'],
  'resources/templates/list': ['templates', 'resourceTemplates', 'uriTemplate'],
}

/** Lists what it is given, answers calls with what it was asked, and counts both. */
export class ListSource implements Source {
  readonly parts: ListedParts
  readonly asked: string[] = []
  readonly handled: { method: string; params: JSONObject }[] = []
  description: SourceDescription = {}
  /** Items per page. */
  size: number | undefined
  /** Answers later, as a source behind a wire does. */
  isAsync = false
  /** What `list` throws. */
  failure: Error | undefined
  handler: ((method: string, params: JSONObject) => JSONObject) | undefined
  readonly #listeners = new Set<SubscriptionListener>()
  readonly #pages = new Map<string, ListPage>()

  constructor(parts: ListedParts = {}) {
    this.parts = parts
  }

  describe(): SourceDescription {
    return this.description
  }

  list(list: ListMethod, _request: ServerRequestContext, cursor?: string): ListPage | Promise<ListPage> {
    this.asked.push(list)
    if (this.failure !== undefined) throw this.failure
    const page = this.#page(list, Number(cursor ?? 0))
    return this.isAsync ? Promise.resolve(page) : page
  }

  handle(_request: ServerRequestContext, method: string, params: JSONObject): JSONObject {
    this.handled.push({ method, params })
    if (this.handler !== undefined) return this.handler(method, params)
    const { tools = [], resources = [] } = this.parts
    if (method === 'tools/call' && !tools.includes(params['name'] as string)) {
      throw new MCPError(ErrorCode.InvalidParams, `Unknown tool "${params['name']}"`)
    }
    if (method === 'resources/read' && !resources.includes(params['uri'] as string)) {
      throw new MCPError(ErrorCode.InvalidParams, 'Resource not found')
    }
    return { content: [], of: params }
  }

  keys(list: ListMethod): readonly string[] {
    const [part] = MEMBERS[list] as (typeof MEMBERS)[string]
    return this.parts[part] ?? []
  }

  watch(listener: SubscriptionListener): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  get isWatched(): boolean {
    return this.#listeners.size > 0
  }

  change(event: SubscriptionEvent = { type: 'toolsListChanged' }): void {
    this.#pages.clear()
    for (const listener of this.#listeners) listener(event)
  }

  #page(list: ListMethod, start: number): ListPage {
    const known = this.#pages.get(`${list} ${start}`)
    if (known !== undefined) return known
    const [part, member, key] = MEMBERS[list] as (typeof MEMBERS)[string]
    const values = this.parts[part]
    if (values === undefined) throw new MCPError(ErrorCode.MethodNotFound, `Method not found: ${list}`)
    const end = this.size === undefined ? values.length : start + this.size
    const items = values.slice(start, end).map((value) => componentOf(key, value))
    const page = Object.freeze({
      [member]: Object.freeze(items),
      ...(end < values.length && { nextCursor: String(end) }),
    }) as unknown as ListPage
    this.#pages.set(`${list} ${start}`, page)
    return page
  }
}

function componentOf(key: string, value: string): Component {
  const item = key === 'name' ? { name: value, inputSchema: { type: 'object' } } : { [key]: value, name: `n ${value}` }
  return Object.freeze(item) as Component
}
