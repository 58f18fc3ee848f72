// The options of a client and of its calls, checked at construction.

import type { Backend } from '../backend/backend.ts'
import type { OnConnection } from '../dispatcher/channel.ts'
import type { HttpAuth } from '../http/bearer.ts'
import { rangeError } from '../primitives/help.ts'
import { assertCount, assertDuration, checkKeys, type KeyAdvice, type KnownKeys } from '../primitives/options.ts'
import type { TaskState } from '../types/extensions/tasks.ts'
import type { InputResponses } from '../types/features/input-required.ts'
import type { DiscoverResult } from '../types/protocol/lifecycle.ts'
import { PROTOCOL_VERSIONS } from '../types/protocol/versions.ts'
import type { CacheConfig, CacheMode } from './cache/cache-config.ts'
import type { CallScope } from './calls/call-scope.ts'
import type { ClientExtension } from './extensions/extension.ts'
import type { ClientMode } from './opening/client-mode.ts'
import type { ListOptions, RequestOptions } from './session/request-options.ts'
import { SHARED_SESSION_KEYS, type SharedSessionOptions } from './session/session-options.ts'

/** Every mode of a client. A revision accepts only itself. */
const CLIENT_MODES: readonly ClientMode[] = ['auto', 'modern', 'legacy', ...PROTOCOL_VERSIONS]

/**
 * Options of `new Client()` and `Client.connect()`: revision, login, time limits, cache, and the callbacks that answer the
 * server.
 */
export interface ClientOptions extends SharedSessionOptions {
  /** The era or the revision to use (default: `auto`). */
  mode?: ClientMode | undefined
  /** For a target that is a URL: headers of every request. */
  headers?: Readonly<Record<string, string>> | Headers | undefined
  /** For a target that is a URL: a token, a function that returns the current one, or an OAuth provider. */
  auth?: HttpAuth | undefined
  /** The `discoverResult` of an earlier connection, for the mode `modern` or a modern revision. Saves one request. */
  priorDiscover?: DiscoverResult | undefined
  /**
   * Maximum time for connecting (default: 10 s for a URL, 30 s for other targets). A command that exits, or writes three lines
   * that are not JSON, fails at once. Stops while the user logs in.
   */
  connectTimeoutMs?: number | undefined
  /** Maximum time for the probe in mode `auto`, in milliseconds (default and maximum: a third of `connectTimeoutMs`). */
  probeTimeoutMs?: number | undefined
  /** How often a server may ask for input in one call (default: 10). */
  inputRequiredMaxRounds?: number | undefined
  /** Extensions of the protocol that the client declares, such as `tasks()` (default: none). */
  extensions?: readonly ClientExtension[] | undefined
  /** How results are cached that the server allows to cache; `false` caches none. */
  cache?: CacheConfig | false | undefined
  /**
   * Shares the cache with other clients and processes, on Redis for example. Public results serve all of them; private ones those
   * of the same `cache.partition`. The client opens it, and closes it after its last user. While the engine is away, calls go to
   * the server. What `cache` says wins.
   */
  backend?: Backend | undefined
  /** Called when the state of the connection changes: `open`, `degraded`, `recovered`, `notifications-lost`, `closed`. */
  onConnection?: OnConnection | undefined
  /** In process only, for tests: the caller gets an unexpected exception of a handler as `cause` (default: `false`). */
  raiseExceptions?: boolean | undefined
}

export const CLIENT_KEYS: KnownKeys<ClientOptions> = {
  ...SHARED_SESSION_KEYS,
  mode: true,
  priorDiscover: 'object',
  headers: true,
  auth: true,
  connectTimeoutMs: 'number',
  probeTimeoutMs: 'number',
  inputRequiredMaxRounds: 'number',
  extensions: true,
  cache: true,
  backend: 'object',
  onConnection: 'function',
  raiseExceptions: 'boolean',
}

/** Options of a list request. */
export interface ClientListOptions extends ListOptions {
  /** Default: `use`. A call with `meta` is never answered from the cache. */
  cacheMode?: CacheMode | undefined
}

/** Options of a listing over all pages. */
export type ClientPagesOptions = Omit<ClientListOptions, 'cursor' | 'requestId'>

/** Options of a call during which the server may ask questions, which the callbacks answer. */
export interface ClientCallOptions extends RequestOptions {
  /** Answers of an earlier round, to continue an interrupted call. */
  inputResponses?: InputResponses | undefined
  /** The state of an earlier round, to continue an interrupted call. */
  requestState?: string | undefined
}

/** Options of a tool call. */
export interface ClientToolCallOptions extends ClientCallOptions {
  /**
   * At revision 2025-11-25: calls a tool as a task that may be called as one (default: `true` where the call has `leaveAfterMs` or
   * `onStop: 'leave'`, else `false`; tools that must be called as a task are). At revision 2026-07-28 the server decides. Needs `tasks()` among the extensions.
   */
  task?: boolean | undefined
  /** Called with each new state of the task that the call has become. Needs `tasks()` among the extensions. */
  onStatus?: ((state: TaskState) => void) | undefined
  /**
   * What happens to the task of a call that is given up, by its signal or its time (default: `cancel`). Needs `tasks()` among the
   * extensions.
   */
  onStop?: 'cancel' | 'leave' | undefined
  /**
   * Stop waiting for the task of the call after this many milliseconds (default: never): the call rejects with `TaskPendingError`, which has the job. Needs
   * `tasks()` among the extensions.
   */
  leaveAfterMs?: number | undefined
  /**
   * The work that this call is part of, such as the `ctx` of a handler. The call ends with its signal, and takes no longer than its
   * `remainingMs`.
   */
  within?: CallScope | undefined
}

/** Options for reading a resource. */
export interface ClientReadOptions extends ClientCallOptions {
  /** As in `ClientListOptions`. */
  cacheMode?: CacheMode | undefined
}

/** Options that were renamed. */
export const CLIENT_ADVICE: KeyAdvice = {
  era: "It is now called mode: use mode: 'modern' or mode: 'legacy'.",
}

/** Throws `TypeError` for unknown options and `RangeError` for values that cannot work. */
export function checkClientOptions(options: ClientOptions): void {
  checkKeys('new Client()', options, CLIENT_KEYS, CLIENT_ADVICE)
  const { mode = 'auto', inputRequiredMaxRounds = 0 } = options
  checkMode(mode)
  for (const name of ['connectTimeoutMs', 'probeTimeoutMs'] as const) {
    assertDuration(name, options[name] ?? 0)
  }
  assertCount('inputRequiredMaxRounds', inputRequiredMaxRounds, 0)
}

const OLD_MODES: Readonly<Record<string, ClientMode>> = { handshake: 'legacy', stateless: 'modern' }

function checkMode(mode: string): void {
  if (CLIENT_MODES.some((known) => known === mode)) return
  const renamed = Object.hasOwn(OLD_MODES, mode) ? ` '${mode}' is now called '${OLD_MODES[mode]}'.` : ''
  throw rangeError(
    'wrong-option',
    `mode cannot be ${inspectMode(mode)}.${renamed} Use one of ${CLIENT_MODES.join(', ')}.`,
  )
}

function inspectMode(mode: unknown): string {
  return typeof mode === 'string' ? `'${mode.slice(0, 40)}'` : `a value of type ${typeof mode}`
}
