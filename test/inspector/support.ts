// An inspector on the built page, connected to a shop over HTTP in either era.
import type { MCPServer } from 'mcpwire'
import { serveHttp } from 'mcpwire/node'
import { type RunningInspector, startInspector, type Target } from '../../inspector/backend/start-inspector.ts'
import type { KeptStore } from '../../inspector/backend/work/kept.ts'
import type { InspectorState } from '../../inspector/protocol/state.ts'
import { createShop, type Shop } from './shop-server.ts'

export const FILES = new URL('../../dist/inspector/', import.meta.url)

export interface World extends AsyncDisposable {
  readonly inspector: RunningInspector
  readonly shop: Shop
  /** Of the shop. */
  readonly serverUrl: string
  /** Of the page. */
  readonly origin: string
  /** The secret of a session, as a page has it. */
  readonly token: string
  /** Its second secret. */
  readonly confirmKey: string
  /** That the page has started. */
  readonly programs: readonly (readonly string[])[]
  /** A request to the API, as the page makes it. */
  api(path: string, body?: object, headers?: Record<string, string>): Promise<Response>
}

export interface WorldOptions {
  mode?: string
  target?: Target
  /** The word that named it. */
  typed?: string
  isConnected?: boolean
  /** Served instead of the shop. */
  server?: MCPServer
  kept?: KeptStore
}

export async function createWorld(options: WorldOptions = {}): Promise<World> {
  const { mode = 'auto', target, isConnected = true } = options
  const shop = createShop()
  const server = options.server ?? shop.server
  const serving = await serveHttp(server, { port: 0 })
  const programs: (readonly string[])[] = []
  const inspector = await startInspector({
    files: FILES,
    port: 0,
    version: '1.0.0',
    mode,
    ...(options.kept !== undefined && { kept: options.kept }),
    ...(options.typed !== undefined && { typed: options.typed }),
    onProgram: (words) => void programs.push(words),
    ...(isConnected && { target: target ?? { url: serving.url, headers: {} } }),
    parseTarget: async (typed, headers) => {
      if (/^https?:/.test(typed)) return { url: typed, headers }
      const [command = '', ...args] = typed.split(' ')
      return { command, args, env: {} }
    },
  })
  const { origin } = new URL(inspector.link)
  const { session: token, confirm: confirmKey } = (await (await exchange(inspector.link)).json()) as Secrets
  return {
    inspector,
    shop,
    serverUrl: serving.url,
    origin,
    token,
    confirmKey,
    programs,
    api: (path, body, headers = {}) =>
      fetch(`${origin}/api/${path}`, {
        method: body === undefined ? 'GET' : 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
    async [Symbol.asyncDispose]() {
      await inspector.close()
      shop.release()
      await serving.close()
      await server.close()
    },
  }
}

interface Secrets {
  readonly session: string
  readonly confirm: string
}

/** What a page does first with the link that it was opened by. */
export function exchange(link: string): Promise<Response> {
  const { origin, hash } = new URL(link)
  return fetch(`${origin}/api/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ link: hash.slice('#t='.length) }),
  })
}

export interface Events {
  /** The state right now. */
  state(): Promise<InspectorState>
  /** Waits for a state. */
  until(isReached: (state: InspectorState) => boolean): Promise<InspectorState>
  /** All that a page gets when it opens, as text. */
  everything(): Promise<string>
}

/** The stream of events, read anew each time, as a page does that is opened. */
export function eventsOf(world: World): Events {
  const read = async <T>(find: (text: string) => T | undefined): Promise<T> => {
    const abort = new AbortController()
    const response = await fetch(`${world.origin}/api/events`, {
      headers: { authorization: `Bearer ${world.token}` },
      signal: abort.signal,
    })
    let text = ''
    try {
      for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
        text += new TextDecoder().decode(chunk, { stream: true })
        const found = find(text)
        if (found !== undefined) return found
      }
    } finally {
      abort.abort()
    }
    throw new Error('The stream has ended')
  }
  const statesIn = (text: string) =>
    [...text.matchAll(/event: state\ndata: (.*)\n\n/g)].map(([, data = '']) => JSON.parse(data) as InspectorState)
  return {
    state: () => read((text) => statesIn(text)[0]),
    until: (isReached) => read((text) => statesIn(text).find(isReached)),
    everything: () =>
      read((text) => {
        const count = /event: catch-up\ndata: .*"count":(\d+)/.exec(text)?.[1]
        const isWhole = text.endsWith('\n\n') && (text.match(/^id: /gm)?.length ?? 0) >= Number(count ?? Infinity)
        return isWhole ? text : undefined
      }),
  }
}
