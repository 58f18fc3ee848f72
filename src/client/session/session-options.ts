// What a client session can be told when it is made, and the mistakes in it that can be found at once.

import type { OnFault } from '../../dispatcher/fault.ts'
import { checkKeys, isDuration, type KnownKeys } from '../../primitives/options.ts'
import type { SchemaEngine } from '../../schema/engine.ts'
import { LOGGING_LEVELS, type LoggingLevel } from '../../types/features/logging.ts'
import type { ClientCapabilities } from '../../types/protocol/capabilities.ts'
import { assertExtensionIdentifier } from '../../types/protocol/extension-identifier.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import type { Implementation } from '../../types/protocol/metadata.ts'
import { PACKAGE_VERSION } from '../../types/protocol/package-version.ts'
import {
  assertNotificationBinding,
  assertResultClaim,
  type NotificationBinding,
  type ResultClaim,
} from '../extensions/extension.ts'
import { CALLBACK_KEYS, type ClientCallbacks } from './callbacks.ts'
import type { ClientMiddleware } from './middleware.ts'

export interface ClientSessionOptions extends ClientCallbacks {
  /** Who this client says it is. `mcpwire` and its version unless given. */
  clientInfo?: Implementation
  /** Time without a sign of life, for requests that name none. 60 s unless given, and 300 s for `tools/call`. */
  timeoutMs?: number
  /** Told of everything that went wrong without belonging to a call. A dispatcher made elsewhere reports to its maker. */
  onFault?: OnFault
  /** What `onSampling` can do beyond plain messages. */
  samplingCapabilities?: NonNullable<ClientCapabilities['sampling']>
  /** What `onElicitation` can do. Forms and URLs unless given. */
  elicitationCapabilities?: NonNullable<ClientCapabilities['elicitation']>
  /** Asks the server for log messages of this level and above; `info` where only `onLog` is given. */
  logLevel?: LoggingLevel
  /** Extensions to declare: settings by identifier. */
  extensions?: Readonly<Record<string, JSONObject>>
  /** Results that belong to extensions, by the identifier of the extension, which has to be among `extensions`. */
  resultClaims?: Readonly<Record<string, readonly ResultClaim[]>>
  notificationBindings?: readonly NotificationBinding[]
  middleware?: readonly ClientMiddleware[]
  /**
   * Whether calls of tools that are listed as read-only or idempotent are repeated, as listings and reads are, when the way
   * to the server broke. Only for servers whose listings can be trusted; false unless given.
   */
  repeatSafeTools?: boolean
  /** Validates tool results and answers to forms. Ours unless given. */
  schemaEngine?: SchemaEngine
}

/** What a `Client` gives its session as it was given itself. */
export type SharedSessionOptions = Omit<ClientSessionOptions, 'extensions' | 'resultClaims' | 'notificationBindings'>

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
}

/** As a `Client` makes its session. */
export interface DrivenSessionOptions extends ClientSessionOptions {
  /** `onMessage` has no use for progress that a call was told of. */
  ignoresProgress?: boolean
  /** Told when a call waits for a person on this side; what it returns is called when that is over. */
  onHold?: () => () => void
}

/** Throws `TypeError` for options that nobody knows. */
export function checkSessionKeys({
  ignoresProgress: _progress,
  onHold: _hold,
  ...options
}: DrivenSessionOptions): void {
  checkKeys<ClientSessionOptions>('new ClientSession()', options, CLIENT_SESSION_KEYS)
}

export const DEFAULT_CLIENT_INFO: Implementation = Object.freeze({ name: 'mcpwire', version: PACKAGE_VERSION })

/** The level to ask for: whoever gives `onLog` wants to be told. */
export function wantedLogLevel({ logLevel, onLog }: ClientSessionOptions): LoggingLevel | undefined {
  return logLevel ?? (onLog === undefined ? undefined : 'info')
}

/** Throws `TypeError` or `RangeError` for options that cannot work. */
export function checkSessionOptions(options: ClientSessionOptions): void {
  const { timeoutMs, logLevel, extensions = {} } = options
  if (timeoutMs !== undefined && !isDuration(timeoutMs)) {
    throw new RangeError('timeoutMs must be a number of milliseconds, zero or more, or Infinity')
  }
  if (logLevel !== undefined && !LOGGING_LEVELS.includes(logLevel)) {
    throw new RangeError(`logLevel must be one of ${LOGGING_LEVELS.join(', ')}`)
  }
  for (const identifier of Object.keys(extensions)) assertExtensionIdentifier(identifier)
  checkClaims(options.resultClaims ?? {}, extensions)
  checkBindings(options.notificationBindings ?? [])
}

function checkClaims(
  resultClaims: Readonly<Record<string, readonly ResultClaim[]>>,
  extensions: Readonly<Record<string, JSONObject>>,
): void {
  const claimed = new Set<string>()
  for (const [identifier, claims] of Object.entries(resultClaims)) {
    if (!Object.hasOwn(extensions, identifier)) {
      throw new TypeError(`'${identifier}' has result claims but is not among the extensions`)
    }
    for (const claim of claims) {
      assertResultClaim(claim)
      if (claimed.has(claim.resultType)) throw new TypeError(`The resultType '${claim.resultType}' is claimed twice`)
      claimed.add(claim.resultType)
    }
  }
}

function checkBindings(bindings: readonly NotificationBinding[]): void {
  const methods = new Set<string>()
  for (const binding of bindings) {
    assertNotificationBinding(binding)
    if (methods.has(binding.method)) throw new TypeError(`The notification '${binding.method}' is bound twice`)
    methods.add(binding.method)
  }
}
