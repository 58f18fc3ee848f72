// The options of proxies: types, defaults and checks.
import type { Backend } from '../../backend/backend.ts'
import type { ClientOptions } from '../../client/client-options.ts'
import type { ClientMode } from '../../client/opening/client-mode.ts'
import type { OnFault } from '../../dispatcher/fault.ts'
import type { HttpAuth } from '../../http/bearer.ts'
import type { MaybePromise } from '../../primitives/async/promises.ts'
import { rangeError } from '../../primitives/help.ts'
import { assertCount, assertDuration, checkKeys, type KnownKeys } from '../../primitives/options.ts'
import type { Source } from '../../server/source.ts'
import type { ProxyCaller } from './caller.ts'

/** Who shares a back connection: one front client, one verified caller, nobody, or all. */
export type ProxySessions = 'connection' | 'principal' | 'call' | 'shared'

/** How the back learns who calls. `'none'` for no credential at all. */
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
  sampling?: boolean
  /** Questions of the source to the user (default: `true`). */
  elicitation?: boolean
  /** Requests of the source for roots (default: `true`). */
  roots?: boolean
  /** Log messages of the source (default: `true`). */
  logging?: boolean
  /** Progress of calls (default: `true`). */
  progress?: boolean
  /** Tasks (default: `true`). */
  tasks?: boolean
  /** Methods that the specification does not define, both ways (default: `true`). */
  vendor?: boolean
}

/** Which addresses a function that chooses targets may name. Targets that are written down are not held to it. */
export interface ProxyNetwork {
  /** Lets it name servers in private networks and on this machine (default: `false`). */
  allowPrivateAddresses?: boolean
  /** Origins that it may name wherever they are, as in `http://10.0.0.5:8080` (default: none). */
  origins?: readonly string[]
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
  name?: string
  /** The version at the front (default: that of the source). */
  version?: string
  /** The instructions at the front (default: those of the source). */
  instructions?: string
  /** The era at the back (default: `auto`: that of the caller where the source has it, else the other one). */
  mode?: ClientMode
  /** Who shares a back connection (default: see the page on gateways). */
  sessions?: ProxySessions
  /** The credential of a caller at the back (default: none; the target's own headers and login are used). */
  credentials?: (caller: ProxyCaller) => MaybePromise<Credential>
  /** Names of inbound HTTP headers to repeat at the back (default: none). Never credentials, and none of MCP itself. */
  forwardHeaders?: readonly string[]
  /** Which kinds of traffic cross (default: all). */
  forward?: ProxyForwarding
  /** Which addresses a target function may name (default: public ones, by https). */
  network?: ProxyNetwork
  /**
   * Lets callers call tools as tasks where their source has no tasks at all (default: `false`). Between the eras tasks are translated
   * in any case, unless `forward.tasks` is `false`.
   */
  tasks?: boolean
  /** Keeps the tasks that the proxy holds for its callers (default: in memory). Their calls still belong to one process. */
  backend?: Backend
  /** How long lists of a legacy source are kept. A modern source says that itself. */
  cache?: {
    /** How long the proxy and its modern clients keep lists of a legacy source, in milliseconds (default: 0). */
    listMs?: number
  }
  /** `eager` connects when the server starts, so that `run()` fails when the source is not there (default: `lazy`). */
  start?: 'lazy' | 'eager'
  /** How long a back connection stays open that nobody uses, in milliseconds (default: 300,000). 0 keeps it. */
  idleMs?: number
  /** Back connections at once (default: 256). */
  maxConnections?: number
  /** Calls at once that wait for a modern caller's answer while their legacy source waits (default: 1,000). */
  maxParked?: number
  /** How long such a call waits for its caller, in milliseconds (default: 600,000). */
  parkMs?: number
  /** Maximum time without a sign of life of the back, in milliseconds (default: none; the caller's patience counts). */
  timeoutMs?: number
  /** Further options of the clients at the back. */
  client?: Pick<ClientOptions, 'clientInfo' | 'headers' | 'auth' | 'connectTimeoutMs' | 'inputRequiredMaxRounds'>
  /** What changes the components on their way to the front; the last is outermost (default: none). */
  transforms?: readonly ((source: Source) => Source)[]
  /** Gets everything that went wrong and belongs to no call. */
  onFault?: OnFault
  /** Called when a connection to the source opens, is lost, fails or closes. */
  onUpstream?: (event: UpstreamEvent) => void
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
  cache: 'object',
  start: true,
  idleMs: 'number',
  maxConnections: 'number',
  maxParked: 'number',
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

const NETWORK_KEYS: KnownKeys<ProxyNetwork> = { allowPrivateAddresses: 'boolean', origins: 'array' }

const CHOICES = {
  sessions: ['connection', 'principal', 'call', 'shared'],
  start: ['lazy', 'eager'],
} as const

/** Throws `TypeError` or `RangeError` for options that cannot work. */
export function checkProxyOptions(owner: string, options: ProxyOptions): void {
  checkKeys(owner, options, PROXY_KEYS)
  if (options.forward !== undefined) checkKeys(`forward of ${owner}`, options.forward, FORWARD_KEYS)
  if (options.network !== undefined) checkNetwork(owner, options.network)
  for (const name of ['sessions', 'start'] as const) {
    const given = options[name]
    const known: readonly unknown[] = CHOICES[name]
    if (given !== undefined && !known.includes(given)) {
      throw rangeError('wrong-option', `${name} is ${JSON.stringify(given)}. Use one of ${known.join(', ')}.`)
    }
  }
  for (const name of ['maxConnections', 'maxParked'] as const) {
    const given = options[name]
    if (given !== undefined) assertCount(name, given, 1)
  }
  for (const name of ['idleMs', 'parkMs', 'timeoutMs'] as const) {
    const given = options[name]
    if (given !== undefined) assertDuration(name, given)
  }
  for (const name of options.forwardHeaders ?? []) checkForwardedHeader(name)
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
export type Forwarding = Readonly<Required<ProxyForwarding>>

export function forwardingOf({ forward = {} }: ProxyOptions): Forwarding {
  const { sampling = true, elicitation = true, roots = true } = forward
  const { logging = true, progress = true, tasks = true, vendor = true } = forward
  return { sampling, elicitation, roots, logging, progress, tasks, vendor }
}
