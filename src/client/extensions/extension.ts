// Extensions of the protocol on the client side: what they declare, which results and notifications are theirs.
import type { MaybePromise } from '../../primitives/async/promises.ts'
import type { CallToolResult } from '../../types/features/tools.ts'
import { CORE_RESULT_TYPES } from '../../types/protocol/base.ts'
import { assertExtensionIdentifier } from '../../types/protocol/extension-identifier.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import { isModernVersion, type ModernVersion } from '../../types/protocol/versions.ts'
import type { ClientCallbackContext } from '../session/callbacks.ts'
import type { ClientSession } from '../session/session.ts'

/** A result whose `resultType` belongs to an extension. */
export interface ClaimedResult extends JSONObject {
  resultType: string
}

/** The call whose result was claimed. */
export interface ClaimContext {
  readonly session: ClientSession
  readonly toolName: string
  /** Aborted when the caller gives the call up. */
  readonly signal?: AbortSignal | undefined
}

/** Says that results of a `tools/call` with this `resultType` belong to an extension. Modern era only. */
export interface ResultClaim<Claimed extends ClaimedResult = ClaimedResult> {
  readonly resultType: string
  /** The revisions at which the claim holds; all modern ones unless given. */
  readonly protocolVersions?: readonly ModernVersion[]
  /** Whether a result has the form that the extension gives it. What has not is an invalid result. */
  isValid?(result: ClaimedResult): boolean
  /** Finishes the call: turns the claimed result into the ordinary one. */
  resolve(result: Claimed, context: ClaimContext): MaybePromise<CallToolResult>
}

/**
 * Listens for a notification of a vendor. Handled one at a time, in order; where too many wait, the oldest is dropped and
 * reported. A method that the negotiated revision itself defines does not come here.
 */
export interface NotificationBinding<Params = JSONObject> {
  readonly method: string
  /** Checks and converts the params. What it throws on is reported and dropped; without it any object will do. */
  parse?(params: JSONObject): Params
  handle(params: Params, context: ClientCallbackContext): MaybePromise<void>
}

/** An extension as a client takes part in it. It is read once, when the client is made. */
export interface ClientExtension {
  /** As in `com.example/search`. */
  readonly identifier: string
  /** What the capability says beside being there. */
  readonly settings?: JSONObject
  readonly claims?: readonly ResultClaim[]
  readonly notifications?: readonly NotificationBinding[]
}

/** An extension that does nothing but declare itself. */
export function advertise(identifier: string, settings: JSONObject = {}): ClientExtension {
  assertExtensionIdentifier(identifier)
  return { identifier, settings }
}

const CORE_TYPES: ReadonlySet<string> = new Set(CORE_RESULT_TYPES)

/** Refuses a claim that could never hold, or would take a result away from the specification. */
export function assertResultClaim({ resultType, protocolVersions, resolve }: ResultClaim): void {
  if (typeof resultType !== 'string' || resultType === '') throw new TypeError('A result claim needs a resultType')
  if (CORE_TYPES.has(resultType)) {
    throw new TypeError(`The resultType '${resultType}' belongs to the specification and cannot be claimed`)
  }
  if (typeof resolve !== 'function') throw new TypeError(`The claim of '${resultType}' has no resolve function`)
  if (protocolVersions === undefined) return
  if (protocolVersions.length === 0 || !protocolVersions.every(isModernVersion)) {
    throw new TypeError(`The claim of '${resultType}' must name modern protocol versions, at least one`)
  }
}

export function assertNotificationBinding({ method, handle }: NotificationBinding): void {
  if (typeof method !== 'string' || method === '') throw new TypeError('A notification binding needs a method')
  if (typeof handle !== 'function') throw new TypeError(`The binding of '${method}' has no handle function`)
}
