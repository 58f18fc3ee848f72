// The options of proxies: types, defaults and checks.
import type { Backend } from '../../backend/backend.ts'
import type { ClientMode } from '../../client/opening/client-mode.ts'
import type { OnFault } from '../../dispatcher/fault.ts'
import type { HttpAuth } from '../../http/bearer.ts'
import type { MaybePromise } from '../../primitives/async/promises.ts'
import { rangeError } from '../../primitives/help.ts'
import { assertCount, assertDuration, checkKeys, type Decided, type KnownKeys } from '../../primitives/options.ts'
import type { Source } from '../../server/source.ts'
import type { ProxyCaller } from './caller.ts'
import { checkProxyClient, type ProxyClientOptions } from './client-options.ts'

/**
 * Who shares a back connection: one front client (`connection`), one verified caller (`principal`), nobody (`call`), or all callers of
 * one era (`shared`). The eras have connections of their own, and so has each credential.
 */
export type ProxySessions = 'connection' | 'principal' | 'call' | 'shared'

/** How the back learns who calls. `'none'` for no credential at all, not even those of the target: its own headers, and the login in its URL. */
export type Credential =
  | 'none'
  | {
      /** Headers of every request, for a target that is a URL. */
      readonly headers: Readonly<Record<string, string>>
    }
  | {
      /** A token, a function that returns one, or an OAuth provider, for a target that is a URL. */
      readonly auth: HttpAuth
      /** Equal for callers that may share a connection. Must hold no secret. */
      readonly id: string
    }
  | {
      /** Environment variables, for a target that is a command: each caller gets a process of its own. */
      readonly env: Readonly<Record<string, string>>
    }

/** Which kinds of traffic cross a proxy. Each is `true` by default. */
export interface ProxyForwarding {
  /** Requests of the source for samples (default: `true`). */
  sampling?: boolean | undefined
  /** Questions of the source to the user (default: `true`). */
  elicitation?: boolean | undefined
  /** Requests of the source for roots (default: `true`). */
  roots?: boolean | undefined
  /** Log messages of the source (default: `true`). */
  logging?: boolean | undefined
  /** Progress of calls (default: `true`). */
  progress?: boolean | undefined
  /** Tasks (default: `true`). */
  tasks?: boolean | undefined
  /** Methods that the specification does not define, both ways (default: `true`). */
  vendor?: boolean | undefined
}

/** Which addresses a function that chooses targets may name. Targets that are written down are not held to it. */
export interface ProxyNetwork {
  /** Lets it name servers in private networks and on this machine (default: `false`). */
  allowPrivateAddresses?: boolean | undefined
  /** Origins that it may name wherever they are, as in `http://10.0.0.5:8080` (default: none). */
  origins?: readonly string[] | undefined
}

/** How long a proxy keeps lists. */
export interface ProxyCache {
  /** How long the proxy and its modern clients keep lists of a legacy source, in milliseconds (default: 0). */
  listMs?: number | undefined
}

/** What becomes of a connection to a source. Passed to `onUpstream`. */
export interface UpstreamEvent {
  /** The name of the source. */
  readonly name: string
  /** The state that the connection has from now on. */
  readonly state: 'connecting' | 'ready' | 'lost' | 'failed' | 'closed'
  /** Why it was lost or failed. Holds internals of the source: for logs, not for callers. */
  readonly error?: unknown
}

/** Options of `createProxy()`. */
export interface ProxyOptions {
  /** The name at the front (default: that of the source). */
  name?: string | undefined
  /** The version at the front (default: that of the source). */
  version?: string | undefined
  /** The instructions at the front (default: those of the source). */
  instructions?: string | undefined
  /** The era at the back (default: `auto`: that of the caller where the source has it, else the other one). */
  mode?: ClientMode | undefined
  /** Who shares a back connection (default: see the page on gateways). */
  sessions?: ProxySessions | undefined
  /** The credential of a caller at the back (default: none; the target's own headers and login are used). */
  credentials?: ((caller: ProxyCaller) => MaybePromise<Credential>) | undefined
  /**
   * Names of inbound HTTP headers to repeat at the back (default: none). Never credentials, and none of MCP itself. Each request goes
   * with the values of its own caller; what belongs to no request goes with those that its connection was opened with.
   */
  forwardHeaders?: readonly string[] | undefined
  /** Which kinds of traffic cross (default: all). */
  forward?: ProxyForwarding | undefined
  /** Which addresses a target function may name (default: public ones, by https). */
  network?: ProxyNetwork | undefined
  /**
   * Lets callers call tools as tasks where their source has no tasks at all (default: `false`). Between the eras tasks are translated
   * in any case, unless `forward.tasks` is `false`.
   */
  tasks?: boolean | undefined
  /** Keeps the tasks that the proxy holds for its callers (default: in memory). Their calls still belong to one process. */
  backend?: Backend | undefined
  /**
   * Whether lists are kept for as long as a modern source allows, for one caller or for all as it says (default: `true`). Of a legacy
   * source, which does not say, they are kept for `listMs`.
   */
  cache?: boolean | ProxyCache | undefined
  /**
   * `results` holds results of tools against the output schemas that the source lists: what misfits is error G024 for the caller. By
   * default they cross as they are (`nothing`).
   */
  validate?: 'nothing' | 'results' | undefined
  /** `eager` connects when the server starts, so that `run()` fails when the source is not there (default: `lazy`). */
  start?: 'lazy' | 'eager' | undefined
  /** How long a back connection stays open that nobody uses, in milliseconds (default: 300,000). 0 keeps it. */
  idleMs?: number | undefined
  /** Back connections at once (default: 256). */
  maxConnections?: number | undefined
  /** Calls at once that wait for a modern caller's answer while their legacy source waits (default: 1,000). */
  maxParked?: number | undefined
  /** Such calls of one verified caller (default: a quarter of `maxParked`). */
  maxParkedPerPrincipal?: number | undefined
  /** How long such a call waits for its caller, in milliseconds (default: 600,000). */
  parkMs?: number | undefined
  /** Maximum time without a sign of life of the back, in milliseconds (default: none; the caller's patience counts). */
  timeoutMs?: number | undefined
  /** Further options of the clients at the back. */
  client?: ProxyClientOptions | undefined
  /** What changes the components on their way to the front; the last is outermost (default: none). */
  transforms?: readonly ((source: Source) => Source)[] | undefined
  /** Gets everything that went wrong and belongs to no call. */
  onFault?: OnFault | undefined
  /**
   * Called when a connection to the source opens, is lost, fails or closes. Each one that was `ready` is `lost` or `closed` once, so that
   * they can be counted.
   */
  onUpstream?: ((event: UpstreamEvent) => void) | undefined
}

export const PROXY_KEYS: KnownKeys<ProxyOptions> = {
  name: 'string',
  version: 'string',
  instructions: 'string',
  mode: true,
  sessions: true,
  credentials: 'function',
  forwardHeaders: 'array',
  forward: 'object',
  network: 'object',
  tasks: 'boolean',
  backend: 'object',
  cache: true,
  validate: true,
  start: true,
  idleMs: 'number',
  maxConnections: 'number',
  maxParked: 'number',
  maxParkedPerPrincipal: 'number',
  parkMs: 'number',
  timeoutMs: 'number',
  client: 'object',
  transforms: 'array',
  onFault: 'function',
  onUpstream: 'function',
}

const FORWARD_KEYS: KnownKeys<ProxyForwarding> = {
  sampling: 'boolean',
  elicitation: 'boolean',
  roots: 'boolean',
  logging: 'boolean',
  progress: 'boolean',
  tasks: 'boolean',
  vendor: 'boolean',
}

const MAX_PARKED = 1_000

const CACHE_KEYS: KnownKeys<ProxyCache> = { listMs: 'number' }

const NETWORK_KEYS: KnownKeys<ProxyNetwork> = { allowPrivateAddresses: 'boolean', origins: 'array' }

const CHOICES = {
  sessions: ['connection', 'principal', 'call', 'shared'],
  start: ['lazy', 'eager'],
  validate: ['nothing', 'results'],
} as const

/** Throws `TypeError` or `RangeError` for options that cannot work. */
export function checkProxyOptions(owner: string, options: ProxyOptions): void {
  checkKeys(owner, options, PROXY_KEYS)
  if (options.forward !== undefined) checkKeys(`forward of ${owner}`, options.forward, FORWARD_KEYS)
  if (options.network !== undefined) checkNetwork(owner, options.network)
  if (options.cache !== undefined) checkCache(owner, options.cache)
  if (options.client !== undefined) checkProxyClient(owner, options.client)
  for (const name of ['sessions', 'start', 'validate'] as const) {
    const given = options[name]
    const known: readonly unknown[] = CHOICES[name]
    if (given !== undefined && !known.includes(given)) {
      throw rangeError('wrong-option', `${name} is ${JSON.stringify(given)}. Use one of ${known.join(', ')}.`)
    }
  }
  for (const name of ['maxConnections', 'maxParked', 'maxParkedPerPrincipal'] as const) {
    const given = options[name]
    if (given !== undefined) assertCount(name, given, 1)
  }
  for (const name of ['idleMs', 'parkMs', 'timeoutMs'] as const) {
    const given = options[name]
    if (given !== undefined) assertDuration(name, given)
  }
  for (const name of options.forwardHeaders ?? []) checkForwardedHeader(name)
}

function checkCache(owner: string, cache: boolean | ProxyCache): void {
  if (typeof cache === 'boolean') return
  checkKeys(`cache of ${owner}`, cache, CACHE_KEYS)
  if (cache.listMs !== undefined) assertDuration('cache.listMs', cache.listMs)
}

/** Calls at once that wait for an answer, in all. */
export function maxParkedOf({ maxParked = MAX_PARKED }: Pick<ProxyOptions, 'maxParked'>): number {
  return maxParked
}

/** How long lists of a legacy source are kept; `undefined` where none are kept at all. */
export function listMsOf({ cache = true }: ProxyOptions): number | undefined {
  if (cache === false) return undefined
  return cache === true ? 0 : (cache.listMs ?? 0)
}

function checkNetwork(owner: string, network: ProxyNetwork): void {
  checkKeys(`network of ${owner}`, network, NETWORK_KEYS)
  for (const origin of network.origins ?? []) {
    if (URL.canParse(origin) && new URL(origin).origin === origin) continue
    throw rangeError(
      'wrong-option',
      `network.origins has ${JSON.stringify(origin)}. Use origins such as 'http://10.0.0.5:8080', without a path.`,
    )
  }
}

/** Credentials of the front, what names the front itself, and what belongs to one hop. */
const NEVER_FORWARDED: ReadonlySet<string> = new Set([
  'authorization',
  'cookie',
  'set-cookie',
  'host',
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'content-length',
  'content-type',
  'content-encoding',
  'accept',
  'accept-encoding',
  'last-event-id',
  'dpop',
])

function checkForwardedHeader(name: unknown): void {
  const lowered = String(name).toLowerCase()
  if (typeof name === 'string' && !NEVER_FORWARDED.has(lowered) && !lowered.startsWith('mcp-')) return
  throw rangeError(
    'wrong-option',
    `forwardHeaders has ${JSON.stringify(name)}, which must not go to the source. Use credentials for access, and leave headers of HTTP and MCP to the proxy.`,
  )
}

/** The kinds of traffic that cross, each decided. */
export type Forwarding = Decided<ProxyForwarding>

export function forwardingOf({ forward = {} }: ProxyOptions): Forwarding {
  const { sampling = true, elicitation = true, roots = true } = forward
  const { logging = true, progress = true, tasks = true, vendor = true } = forward
  return { sampling, elicitation, roots, logging, progress, tasks, vendor }
}
