// The options of a client session, checked at construction.

import type { OnFault } from '../../dispatcher/fault.ts'
import { rangeError, typeError } from '../../primitives/help.ts'
import { assertDuration, checkKeys, type KnownKeys } from '../../primitives/options.ts'
import type { SchemaEngine } from '../../schema/engine.ts'
import { LOGGING_LEVELS, type LoggingLevel } from '../../types/features/logging.ts'
import type { ClientCapabilities } from '../../types/protocol/capabilities.ts'
import { assertExtensionIdentifier } from '../../types/protocol/extension-identifier.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import type { Implementation } from '../../types/protocol/metadata.ts'
import { PACKAGE_VERSION } from '../../types/protocol/package-version.ts'
import type { LegacyVersion } from '../../types/protocol/versions.ts'
import {
  assertNotificationBinding,
  assertResultClaim,
  type NotificationBinding,
  type ResultClaim,
} from '../extensions/extension.ts'
import { assertExtensionFilter, type ClientExtensionFilters } from '../extensions/owned-filters.ts'
import { assertExtensionRequest, type ClientExtensionRequests } from '../extensions/owned-requests.ts'
import { CALLBACK_KEYS, type ClientCallbacks } from './callbacks.ts'
import { type ClientMiddleware, type SessionTap, TAP_KEYS } from './middleware.ts'

/** Options of `new ClientSession()`: identity, callbacks, time limits and extensions. */
export interface ClientSessionOptions extends ClientCallbacks {
  /** The name and version of this client (default: `mcpwire` and its version). */
  clientInfo?: Implementation | undefined
  /** Maximum time without progress, for requests that name none (default: 60 s, and 300 s for `tools/call`). */
  timeoutMs?: number | undefined
  /** Called with every failure that belongs to no call. A dispatcher that you created reports to its own `onFault`. */
  onFault?: OnFault | undefined
  /** What `onSampling` supports beyond plain messages. */
  samplingCapabilities?: NonNullable<ClientCapabilities['sampling']> | undefined
  /** What `onElicitation` supports (default: forms and URLs). */
  elicitationCapabilities?: NonNullable<ClientCapabilities['elicitation']> | undefined
  /** Requests log messages of this level and above (default: `info` with `onLog`, else none). */
  logLevel?: LoggingLevel | undefined
  /** Extensions to declare: settings by identifier. */
  extensions?: Readonly<Record<string, JSONObject>> | undefined
  /** Results that belong to extensions, by the identifier of the extension, which must be a key of `extensions`. */
  resultClaims?: Readonly<Record<string, readonly ResultClaim[]>> | undefined
  /** Handlers of notifications that the specification does not define (default: none). */
  notificationBindings?: readonly NotificationBinding[] | undefined
  /** Requests that belong to extensions, by method. */
  extensionRequests?: ClientExtensionRequests | undefined
  /** Members of the filter of `listen()` that belong to extensions, by name. */
  extensionFilters?: ClientExtensionFilters | undefined
  /** Functions around every request and notification that the client sends. The first one is outermost (default: none). */
  middleware?: readonly ClientMiddleware[] | undefined
  /**
   * Retry calls of tools that are listed as read-only or idempotent when the connection fails, as lists and reads are retried
   * (default: false). Only for servers whose listings you trust.
   */
  repeatSafeTools?: boolean | undefined
  /** Validates tool results and answers to forms (default: the built-in engine). */
  schemaEngine?: SchemaEngine | undefined
  /** Gets every message of the server first, for programs that pass messages on (default: none). */
  tap?: SessionTap | undefined
}

/** The options that a `Client` passes on to its session unchanged. */
export type SharedSessionOptions = Omit<
  ClientSessionOptions,
  'extensions' | 'resultClaims' | 'notificationBindings' | 'extensionRequests' | 'extensionFilters' | 'tap'
>

export const SHARED_SESSION_KEYS: KnownKeys<SharedSessionOptions> = {
  ...CALLBACK_KEYS,
  clientInfo: 'object',
  timeoutMs: 'number',
  onFault: 'function',
  samplingCapabilities: 'object',
  elicitationCapabilities: 'object',
  logLevel: true,
  middleware: 'array',
  repeatSafeTools: 'boolean',
  schemaEngine: true,
}

export const CLIENT_SESSION_KEYS: KnownKeys<ClientSessionOptions> = {
  ...SHARED_SESSION_KEYS,
  extensions: true,
  resultClaims: true,
  notificationBindings: true,
  extensionRequests: 'object',
  extensionFilters: 'object',
  tap: 'object',
}

/** The options with which a `Client` creates its session. */
export interface DrivenSessionOptions extends ClientSessionOptions {
  /** `onMessage` does not need progress that already went to `onProgress` of a call. */
  ignoresProgress?: boolean
  /** Called when a call waits for the user. The returned function is called when that is over. */
  onHold?: () => () => void
  /** What the session declares, in place of what its callbacks can answer: for a session that speaks for another client. */
  capabilities?: ClientCapabilities
  /** The revision to offer in a handshake (default: the newest legacy one). Every other legacy one is accepted too. */
  offeredVersion?: LegacyVersion
  /** Questions of the server that are open at once; more of them wait in line (default: 256). */
  questionsAtOnce?: number
}

/** Throws `TypeError` for unknown options. */
export function checkSessionKeys({
  ignoresProgress: _progress,
  onHold: _hold,
  capabilities: _capabilities,
  offeredVersion: _version,
  questionsAtOnce: _questions,
  ...options
}: DrivenSessionOptions): void {
  checkKeys<ClientSessionOptions>('new ClientSession()', options, CLIENT_SESSION_KEYS)
}

/** The name and version that a client has if `clientInfo` is not set. */
export const DEFAULT_CLIENT_INFO: Implementation = Object.freeze({ name: 'mcpwire', version: PACKAGE_VERSION })

/** The log level to request. `onLog` alone requests `info`. */
export function wantedLogLevel({ logLevel, onLog }: ClientSessionOptions): LoggingLevel | undefined {
  return logLevel ?? (onLog === undefined ? undefined : 'info')
}

/** Throws `TypeError` or `RangeError` for options that cannot work. */
export function checkSessionOptions(options: ClientSessionOptions): void {
  const { timeoutMs, logLevel, extensions = {} } = options
  if (timeoutMs !== undefined) assertDuration('timeoutMs', timeoutMs)
  if (logLevel !== undefined && !LOGGING_LEVELS.includes(logLevel)) {
    throw rangeError(
      'wrong-option',
      `logLevel is ${JSON.stringify(logLevel)}. Use one of ${LOGGING_LEVELS.join(', ')}.`,
    )
  }
  for (const identifier of Object.keys(extensions)) assertExtensionIdentifier(identifier)
  checkResultClaims(options.resultClaims ?? {}, extensions)
  checkNotificationBindings(options.notificationBindings ?? [])
  for (const [method, request] of Object.entries(options.extensionRequests ?? {}))
    assertExtensionRequest(method, request)
  checkFilters(options.extensionFilters ?? {})
  if (options.tap !== undefined) checkKeys('tap', options.tap, TAP_KEYS)
}

function checkResultClaims(
  resultClaims: Readonly<Record<string, readonly ResultClaim[]>>,
  extensions: Readonly<Record<string, JSONObject>>,
): void {
  const claimed = new Set<string>()
  for (const [identifier, claims] of Object.entries(resultClaims)) {
    if (!Object.hasOwn(extensions, identifier)) {
      throw typeError(
        'bad-extension',
        `'${identifier}' has result claims but is not in extensions. Add it to extensions.`,
      )
    }
    for (const claim of claims) {
      assertResultClaim(claim)
      if (claimed.has(claim.resultType))
        throw typeError('bad-extension', `The resultType '${claim.resultType}' is claimed twice. Remove one claim.`)
      claimed.add(claim.resultType)
    }
  }
}

function checkNotificationBindings(bindings: readonly NotificationBinding[]): void {
  const methods = new Set<string>()
  for (const binding of bindings) {
    assertNotificationBinding(binding)
    if (methods.has(binding.method))
      throw typeError('bad-extension', `The notification '${binding.method}' is bound twice. Remove one binding.`)
    methods.add(binding.method)
  }
}

function checkFilters(filters: ClientExtensionFilters): void {
  const methods = new Set<string>()
  for (const [member, filter] of Object.entries(filters)) {
    assertExtensionFilter(member, filter)
    if (methods.has(filter.notification))
      throw typeError('bad-extension', `The notification '${filter.notification}' belongs to two filters. Remove one.`)
    methods.add(filter.notification)
  }
}
