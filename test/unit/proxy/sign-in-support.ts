// A protected source, a proxy whose callers sign in there, and a browser.
import { vi } from 'vitest'
import { memoryTokenStore, requireBearer, type TokenStore, verifyStaticTokens } from '../../../src/exports/auth.ts'
import { Client } from '../../../src/exports/client.ts'
import type { MCPError } from '../../../src/exports/index.ts'
import { serveHttp } from '../../../src/exports/node.ts'
import {
  createGateway,
  createProxy,
  type PerUserOptions,
  type ProxyOptions,
  perUser,
} from '../../../src/exports/proxy.ts'
import { MCPServer, principalKey } from '../../../src/exports/server.ts'
import { walkLogin } from '../../support/login.ts'
import { startProtectedServer } from '../../support/protected-server.ts'
import { closedAfterEach } from './pair.ts'

export const open = closedAfterEach()

const TOKENS = {
  'token-of-ada-0123456789': { clientId: 'c', subject: 'ada', scopes: [] },
  'token-of-bob-0123456789': { clientId: 'c', subject: 'bob', scopes: [] },
}
export const [ADA, BOB] = Object.keys(TOKENS) as [string, string]

/** Notes that only a signed-in user can reach. Everything that arrives is kept in `heard`. */
export async function protectedSource(mode: 'modern' | 'legacy', options: { requireForAll?: boolean } = {}) {
  const heard: unknown[] = []
  const server = new MCPServer('notes', { supportedVersions: [mode === 'legacy' ? '2025-11-25' : '2026-07-28'] })
  server.use((ctx, next) => {
    heard.push({ params: ctx.params, headers: { ...ctx.dispatch.transport.headers } })
    return next()
  })
  server.tool('whoami', (_args, { auth }) => `${auth?.subject}`)
  server.tool('write', { scopes: ['notes:write'] }, () => 'written')
  const scopes = ['notes:read', 'notes:write']
  const { requireForAll = true } = options
  const bodies: unknown[] = []
  let needsToken = requireForAll
  let refuses = false
  const protectedServer = await startProtectedServer({
    server,
    scopes,
    bearer: { scopes: ['notes:read'], metadata: { scopes: ['notes:read'] } },
    authorization: { user: 'account-of-ada' },
    around: (handler, guarded) => (exchange) => {
      bodies.push([exchange.path, exchange.query, exchange.headers])
      const isWriting = exchange.headers['mcp-name'] === 'write'
      if (refuses && isWriting) {
        const challenge = 'Bearer error="insufficient_scope", scope="notes:write"'
        return exchange.reply(403, '', { 'www-authenticate': challenge })
      }
      return needsToken ? guarded(exchange) : handler(exchange)
    },
  })
  open.push({ close: () => protectedServer[Symbol.asyncDispose]() })
  const protectAll = () => {
    needsToken = true
  }
  const refuseWrites = () => {
    refuses = true
  }
  return { ...protectedServer, heard, bodies, server, protectAll, refuseWrites }
}

export interface FrontOptions extends ProxyOptions {
  login?: Partial<PerUserOptions>
  asGateway?: boolean
  isOpen?: boolean
}

/** The front over HTTP, with sign-in pages. */
export async function front(
  source: string,
  { login, asGateway = false, isOpen = false, ...options }: FrontOptions = {},
) {
  const stores = new Map<string, TokenStore>()
  const faults: unknown[] = []
  // The port is known only when it listens, and the callback has to name it.
  const probe = await serveHttp(new MCPServer('port'), { port: 0 })
  const { port } = probe
  await probe.close()
  const callbackUrl = `http://127.0.0.1:${port}/connect`
  const signIn = perUser({
    store: (principal) => {
      const key = principalKey(principal)
      const store = stores.get(key) ?? keptStore()
      stores.set(key, store)
      return store
    },
    callbackUrl,
    clientName: 'A gateway',
    ...login,
  })
  const shared = { credentials: signIn, onFault: (fault: unknown) => void faults.push(fault), ...options }
  const proxy = asGateway ? createGateway({ notes: source }, shared) : createProxy(source, { ...shared })
  const serving = await serveHttp(proxy.server, {
    port,
    auth: (handler) =>
      signIn.pages(
        isOpen
          ? handler
          : requireBearer(handler, {
              resource: `http://127.0.0.1:${port}/mcp`,
              issuer: 'http://127.0.0.1:4000',
              verifier: verifyStaticTokens(TOKENS),
            }),
      ),
  })
  open.push(proxy, serving)
  return { url: serving.url, callbackUrl, proxy, signIn, stores, faults }
}

type ConnectToOptions = Exclude<Parameters<typeof Client.connect>[1], undefined>

export async function connectTo(url: string, token: string | undefined, options: ConnectToOptions) {
  const client = await Client.connect(url, { ...(token !== undefined && { auth: token }), ...options })
  open.push(client)
  return client
}

/** A store that tells which keys it holds. */
export type KeptStore = TokenStore & { readonly keys: Set<string> }

function keptStore(): KeptStore {
  const store = memoryTokenStore()
  const keys = new Set<string>()
  return {
    keys,
    get: (key) => store.get(key),
    set: (key, value) => {
      keys.add(key)
      return store.set(key, value)
    },
    delete: (key) => {
      keys.delete(key)
      return store.delete(key)
    },
  }
}

/** Keeps the cookies of one origin, and follows nothing by itself. */
export class Browser {
  readonly #cookies: Map<string, string>

  constructor(cookies: Readonly<Record<string, string>> = {}) {
    this.#cookies = new Map(Object.entries(cookies))
  }

  async get(url: string | URL): Promise<Response> {
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(url, { redirect: 'manual', headers: { cookie } })
    for (const line of response.headers.getSetCookie()) {
      const [pair = ''] = line.split(';')
      const [name = '', value = ''] = pair.split(/=(.*)/s)
      this.#cookies.set(name, value)
    }
    return response
  }

  /** Opens a sign-in page and presses its button. Resolves to the page of the authorization server. */
  async begin(page: string): Promise<URL> {
    const html = await (await this.get(page)).text()
    const url = new URL(page)
    for (const [, name, value] of html.matchAll(/name="(\w+)" value="([^"]*)"/g))
      url.searchParams.set(`${name}`, `${value}`)
    const response = await this.get(url)
    const location = response.headers.get('location')
    if (response.status !== 303 || location === null) throw new Error(`${response.status} ${await response.text()}`)
    return new URL(location)
  }

  /** All of it; resolves to the last page. */
  async signIn(page: string): Promise<Response> {
    const login = await this.begin(page)
    return this.get(await walkLogin(login, login.origin))
  }
}

export const MODES = ['modern', 'legacy'] as const
export const PAIRS = MODES.flatMap((client) => MODES.map((source) => [client, source] as const))

export function failureOf(call: Promise<unknown>): Promise<MCPError & { status?: number }> {
  return call.then(
    () => Promise.reject(new Error('It did not fail.')),
    (error: MCPError) => error,
  )
}

export function signInWhenAsked() {
  return vi.fn(async (question: object) => {
    await new Browser().signIn((question as { url: string }).url)
    return { action: 'accept' as const }
  })
}

/** What the stores of all callers hold beyond registrations. */
export async function keysOf(stores: ReadonlyMap<string, TokenStore>): Promise<string[]> {
  const all = [...stores.values()].flatMap((store) => [...(store as KeptStore).keys])
  return all.filter((key) => key.startsWith('tokens '))
}

export function textOf(result: { content?: unknown }): string {
  return (result.content as { text: string }[])[0]?.text ?? ''
}
