// What a client can be told, and the mistakes in it that can be found before anything is opened.

import type { OnConnection } from '../dispatcher/channel.ts'
import type { HttpAuth } from '../http/bearer.ts'
import { checkKeys, isDuration, type KeyAdvice, type KnownKeys } from '../primitives/options.ts'
import type { InputResponses } from '../types/features/input-required.ts'
import type { DiscoverResult } from '../types/protocol/lifecycle.ts'
import { PROTOCOL_VERSIONS } from '../types/protocol/versions.ts'
import type { CacheConfig, CacheMode } from './cache/cache-config.ts'
import type { ClientExtension } from './extensions/extension.ts'
import type { ClientMode } from './opening/negotiate.ts'
import type { ListOptions, RequestOptions } from './session/request-options.ts'
import { SHARED_SESSION_KEYS, type SharedSessionOptions } from './session/session-options.ts'

/** Every mode of a client. A revision pins it. */
export const CLIENT_MODES: readonly ClientMode[] = ['auto', 'modern', 'legacy', ...PROTOCOL_VERSIONS]

export interface ClientOptions extends SharedSessionOptions {
  /** Which era to speak, or which revision; `auto` unless given. */
  mode?: ClientMode
  /** For a target that is a URL: these go along with every request. */
  headers?: Readonly<Record<string, string>> | Headers
  /** For a target that is a URL: a token, a function that returns the current one, or an OAuth provider. */
  auth?: HttpAuth
  /** What an earlier connection learned of the server, for the mode `modern` or a modern revision: saves asking again. */
  priorDiscover?: DiscoverResult
  /**
   * How long connecting may take in all: 10 s for a URL, 30 s for everything else unless given. A command that exits, or
   * writes three lines that are no JSON, ends it at once. Stands still while a person logs in.
   */
  connectTimeoutMs?: number
  /**
   * How long a server may take to answer the question for its era, in mode `auto`: a third of `connectTimeoutMs` unless given,
   * and never more.
   */
  probeTimeoutMs?: number
  /** How often a server may ask for input before a call is given up; 10 unless given. */
  inputRequiredMaxRounds?: number
  extensions?: readonly ClientExtension[]
  /** How results are kept that the server calls reusable; `false` keeps none. */
  cache?: CacheConfig | false
  /** Told how the connection fares: `open`, `degraded`, `recovered`, `closed`. */
  onConnection?: OnConnection
  /** In process only, for tests: an unexpected exception of a handler reaches the caller as `cause`. */
  raiseExceptions?: boolean
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
  onConnection: 'function',
  raiseExceptions: 'boolean',
}

/** For a listing. */
export interface ClientListOptions extends ListOptions {
  /** `use` unless given; a call with `meta` is not served from the cache. */
  cacheMode?: CacheMode
}

/** For a listing over all pages. */
export type ClientPagesOptions = Omit<ClientListOptions, 'cursor' | 'requestId'>

/** For a call that the server may answer with questions, which the callbacks answer. */
export interface ClientCallOptions extends RequestOptions {
  /** Answers to begin with, for a call that was interrupted between two rounds. */
  inputResponses?: InputResponses
  /** The state to begin with. */
  requestState?: string
}

/** For reading a resource. */
export interface ClientReadOptions extends ClientCallOptions {
  /** As in `ClientListOptions`. */
  cacheMode?: CacheMode
}

/** Names of before. */
export const CLIENT_ADVICE: KeyAdvice = {
  era: "It is now called mode: use mode: 'modern' or mode: 'legacy'.",
}

/** Throws `TypeError` for options that nobody knows, `RangeError` for values that no client can work with. */
export function checkClientOptions(options: ClientOptions): void {
  checkKeys('new Client()', options, CLIENT_KEYS, CLIENT_ADVICE)
  const { mode = 'auto', inputRequiredMaxRounds = 0 } = options
  checkMode(mode)
  for (const name of ['connectTimeoutMs', 'probeTimeoutMs'] as const) {
    if (!isDuration(options[name] ?? 0)) {
      throw new RangeError(`${name} must be a number of milliseconds, zero or more, or Infinity`)
    }
  }
  if (!Number.isInteger(inputRequiredMaxRounds) || inputRequiredMaxRounds < 0) {
    throw new RangeError('inputRequiredMaxRounds must be a whole number, zero or more')
  }
}

const OLD_MODES: Readonly<Record<string, ClientMode>> = { handshake: 'legacy', stateless: 'modern' }

function checkMode(mode: string): void {
  if (CLIENT_MODES.some((known) => known === mode)) return
  const renamed = Object.hasOwn(OLD_MODES, mode) ? ` '${mode}' is now called '${OLD_MODES[mode]}'.` : ''
  throw new RangeError(`mode cannot be ${inspectMode(mode)}.${renamed} Use one of ${CLIENT_MODES.join(', ')}.`)
}

function inspectMode(mode: unknown): string {
  return typeof mode === 'string' ? `'${mode.slice(0, 40)}'` : `a value of type ${typeof mode}`
}
