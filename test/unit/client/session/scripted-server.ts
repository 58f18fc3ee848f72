// A server in the hands of a test: it answers what the script says, in either era, and remembers what it was asked.
import type { Connectable, ConnectOptions } from '../../../../src/dispatcher/channel.ts'
import { createDirectDispatcherPair } from '../../../../src/dispatcher/direct-dispatcher.ts'
import type { DispatchContext, Dispatcher } from '../../../../src/dispatcher/dispatcher.ts'
import { JSONRPCDispatcher } from '../../../../src/dispatcher/jsonrpc-dispatcher.ts'
import { createMemoryChannelPair } from '../../../../src/dispatcher/memory-channel.ts'
import { MCPError } from '../../../../src/types/errors/errors.ts'
import type { ServerCapabilities } from '../../../../src/types/protocol/capabilities.ts'
import type { JSONObject } from '../../../../src/types/protocol/json.ts'
import { SERVER_INFO_META_KEY, SUBSCRIPTION_ID_META_KEY } from '../../../../src/types/protocol/meta.ts'
import { LATEST_LEGACY_VERSION, LATEST_MODERN_VERSION } from '../../../../src/types/protocol/versions.ts'

export type Handler = (params: JSONObject, context: DispatchContext) => JSONObject | Promise<JSONObject>
export type Script = Record<string, Handler | JSONObject>

export interface Call {
  method: string
  params: JSONObject
  id: unknown
  signal: AbortSignal
}

export interface ScriptedServerOptions {
  name?: string
  capabilities?: ServerCapabilities
}

const ALL: ServerCapabilities = {
  tools: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
  prompts: { listChanged: true },
}

export class ScriptedServer implements Connectable {
  readonly calls: Call[] = []
  readonly notifications: { method: string; params: JSONObject }[] = []
  readonly connectOptions: ConnectOptions[] = []
  readonly script: Script
  /** The server's end of the latest connection. */
  peer!: Dispatcher
  ended: Promise<void> = Promise.resolve()
  readonly #subscriptions = new Map<string, () => void>()

  constructor(script: Script = {}, options: ScriptedServerOptions = {}) {
    const serverInfo = { name: options.name ?? 'scripted', version: '1.0.0' }
    const capabilities = options.capabilities ?? ALL
    this.script = {
      'server/discover': {
        resultType: 'complete',
        supportedVersions: [LATEST_MODERN_VERSION, LATEST_LEGACY_VERSION],
        capabilities,
        instructions: 'be kind',
        ttlMs: 0,
        cacheScope: 'private',
        _meta: { [SERVER_INFO_META_KEY]: serverInfo },
      },
      initialize: { protocolVersion: LATEST_LEGACY_VERSION, capabilities, serverInfo, instructions: 'be kind' },
      'subscriptions/listen': (params, context) => this.#listen(params, context),
      ...script,
    }
  }

  async connectInProcess(options: ConnectOptions = {}): Promise<Dispatcher> {
    this.connectOptions.push(options)
    const [here, there] = options.legacy === true ? jsonRpcPair() : createDirectDispatcherPair()
    this.peer = there
    this.ended = there.run(
      (context, method, params) => this.#answer(context, method, params ?? {}),
      (_context, method, params) => {
        this.notifications.push({ method, params: params ?? {} })
      },
    )
    return here
  }

  /** How often this was asked. */
  count(method: string): number {
    return this.callsOf(method).length
  }

  callsOf(method: string): Call[] {
    return this.calls.filter((call) => call.method === method)
  }

  /** Tells all subscriptions, or, in the legacy era, the connection. */
  async announce(method: string, params: JSONObject = {}): Promise<void> {
    if (this.#subscriptions.size === 0) await this.peer.notify(method, params)
    for (const id of this.#subscriptions.keys()) {
      await this.peer.notify(method, { ...params, _meta: { [SUBSCRIPTION_ID_META_KEY]: id } })
    }
  }

  /** Ends all subscriptions in good order. */
  endSubscriptions(): void {
    for (const end of this.#subscriptions.values()) end()
  }

  #answer(context: DispatchContext, method: string, params: JSONObject): JSONObject | Promise<JSONObject> {
    this.calls.push({ method, params, id: context.requestId, signal: context.signal })
    const handler = this.script[method]
    if (handler === undefined) throw new MCPError(-32601, 'Method not found')
    return typeof handler === 'function' ? handler(params, context) : structuredClone(handler)
  }

  async #listen(params: JSONObject, { requestId, signal }: DispatchContext): Promise<JSONObject> {
    const id = requestId as string
    const ended = new Promise<void>((resolve) => {
      this.#subscriptions.set(id, resolve)
      signal.addEventListener('abort', () => resolve())
    })
    const _meta = { [SUBSCRIPTION_ID_META_KEY]: id }
    await this.peer.notify('notifications/subscriptions/acknowledged', {
      notifications: params['notifications'] as JSONObject,
      _meta,
    })
    await ended
    this.#subscriptions.delete(id)
    return { resultType: 'complete', _meta }
  }
}

function jsonRpcPair(): [Dispatcher, Dispatcher] {
  const [here, there] = createMemoryChannelPair()
  return [
    new JSONRPCDispatcher(here, { holdTimeoutsWhileAnswering: true }),
    new JSONRPCDispatcher(there, { inlineMethods: ['initialize'] }),
  ]
}

/** A result that says how long it stays good. */
export function cacheable(result: JSONObject, ttlMs = 0): JSONObject {
  return { resultType: 'complete', ttlMs, cacheScope: 'private', ...result }
}

export const tool = (name: string): JSONObject => ({ name, inputSchema: { type: 'object' } })
export const listOf = (...names: string[]): JSONObject => cacheable({ tools: names.map(tool) })
export const text = (content: string): JSONObject => ({
  resultType: 'complete',
  content: [{ type: 'text', text: content }],
})
