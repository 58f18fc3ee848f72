// Both ends of a connection between a host and a view, without a browser.
import { JSONRPCDispatcher } from '../../../../src/dispatcher/jsonrpc-dispatcher.ts'
import { createMemoryChannelPair } from '../../../../src/dispatcher/memory-channel.ts'
import { AppHost } from '../../../../src/extensions/apps/host/app-host.ts'
import type { AppHostOptions, ViewServer } from '../../../../src/extensions/apps/host/host-options.ts'
import type { OwnWindow, WindowMessage } from '../../../../src/extensions/apps/host/window-channel.ts'
import type { Tool } from '../../../../src/types/features/tools.ts'
import type { JSONObject } from '../../../../src/types/protocol/json.ts'

export const DOCUMENT = '<!doctype html><title>View</title>'

export type Heard = [method: string, params: JSONObject | undefined]

/** A view that writes down what it hears. */
export interface TestView {
  readonly heard: Heard[]
  request(method: string, params?: JSONObject): Promise<JSONObject>
  notify(method: string, params?: JSONObject): Promise<void>
  /** The handshake, whole. */
  initialize(capabilities?: JSONObject): Promise<JSONObject>
  /** How the view answers `ui/resource-teardown`. */
  onTeardown: () => Promise<JSONObject> | JSONObject
}

export function createHost(options: AppHostOptions = {}): { host: AppHost; view: TestView } {
  const [here, there] = createMemoryChannelPair()
  const host = new AppHost(here, options)
  const dispatcher = new JSONRPCDispatcher(there)
  const heard: Heard[] = []
  const view: TestView = {
    heard,
    request: (method, params) => dispatcher.sendRawRequest(method, params),
    notify: (method, params) => dispatcher.notify(method, params),
    initialize: async (appCapabilities = {}) => {
      const params = { appInfo: { name: 'view', version: '1' }, appCapabilities, protocolVersion: '2026-01-26' }
      const result = await dispatcher.sendRawRequest('ui/initialize', params)
      await dispatcher.notify('ui/notifications/initialized')
      await host.ready
      return result
    },
    onTeardown: () => ({}),
  }
  void dispatcher.run(
    (_ctx, method, params) => {
      heard.push([method, params])
      return view.onTeardown()
    },
    (_ctx, method, params) => void heard.push([method, params]),
  )
  return { host, view }
}

/** Everything that was under way has arrived when this answers. */
export async function settle(view: TestView): Promise<void> {
  await view.request('ping')
}

export function toolOf(name: string, ui?: JSONObject): Tool {
  return { name, inputSchema: { type: 'object' }, ...(ui !== undefined && { _meta: { ui } }) }
}

/** A server that answers from a script. */
export interface ScriptedServer extends ViewServer {
  readonly calls: [name: string, args: object | undefined][]
  listed: number
}

export function createViewServer(tools: readonly Tool[]): ScriptedServer {
  const server: ScriptedServer = {
    calls: [],
    listed: 0,
    async *tools() {
      server.listed += 1
      yield* tools
    },
    callTool: async (name, args) => {
      server.calls.push([name, args])
      return { content: [{ type: 'text', text: `${name} done` }], _meta: { 'example.com/x': 1 } }
    },
    readResource: async (uri) => ({ contents: [{ uri, text: 'text' }] }),
  }
  return server
}

/** The host's window: messages are delivered by hand. */
export interface TestWindow extends OwnWindow {
  deliver(message: WindowMessage): void
  readonly listeners: Set<(event: WindowMessage) => void>
}

export function createWindow(origin: string): TestWindow {
  const listeners = new Set<(event: WindowMessage) => void>()
  return {
    origin,
    listeners,
    addEventListener: (_type, listener) => void listeners.add(listener),
    removeEventListener: (_type, listener) => void listeners.delete(listener),
    deliver: (message) => {
      for (const listener of listeners) listener(message)
    },
  }
}
