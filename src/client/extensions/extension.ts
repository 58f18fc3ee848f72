// Extensions of the protocol in a client: what they declare, and which results and notifications belong to them.

import type { MaybePromise } from '../../primitives/async/promises.ts'
import { typeError } from '../../primitives/help.ts'
import type { InputRequests, InputResponse } from '../../types/features/input-required.ts'
import type { CreateTaskResult, TaskMetadata } from '../../types/features/tasks.ts'
import type { CallToolResult } from '../../types/features/tools.ts'
import { CORE_RESULT_TYPES } from '../../types/protocol/base.ts'
import { assertExtensionIdentifier } from '../../types/protocol/extension-identifier.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import { isModernVersion, type ModernVersion } from '../../types/protocol/versions.ts'
import type { Client } from '../client.ts'
import type { ClientToolCallOptions } from '../client-options.ts'
import type { ClientCallbackContext } from '../session/callbacks.ts'
import type { ClientSession } from '../session/session.ts'
import type { Subscription } from '../subscriptions/subscription.ts'
import type { ClientExtensionFilters } from './owned-filters.ts'
import type { ClientExtensionRequests } from './owned-requests.ts'

/** A result whose `resultType` belongs to an extension. */
export interface ClaimedResult extends JSONObject {
  /** The type that the extension has claimed, such as `task`. */
  resultType: string
}

/**
 * The options of a call as they hold for what an extension does to finish it. They can be passed on to requests of the session:
 * `maxTotalMs` is what is left of the call's when it is read, and `timeoutMs` counts for each request by itself, as an answer is a
 * sign of life. Other members of the options of the call are here too, for extensions that read them.
 */
export type ClaimOptions = Omit<
  ClientToolCallOptions,
  'signal' | 'requestId' | 'onRequestId' | 'inputResponses' | 'requestState' | 'within'
> & {
  /** Aborts when the caller gives up the call. */
  readonly signal: AbortSignal
}

/** The call whose result belongs to the extension. */
export interface ClaimContext {
  /** The session that made the call, for requests that finish it. */
  readonly session: ClientSession
  /** The name of the tool that was called. */
  readonly toolName: string
  /**
   * Aborts when the caller cancels the call, its `maxTotalMs` is over, or the client closes. The call then rejects at once. The
   * extension has one second to clean up, as by a request that cancels its work; `client.close()` waits for that.
   */
  readonly signal: AbortSignal
  /** The options of the call, with the time that is left. Pass them on to your own requests. */
  readonly options: ClaimOptions
  /**
   * Answers questions of the server with the callbacks of the client, after the checks that any question of the server gets. Each
   * answer comes by itself, so that a slow one does not hold up the others. A question that is rejected, or whose `signal` aborts,
   * rejects its answer.
   */
  ask(questions: InputRequests, signal?: AbortSignal): ReadonlyMap<string, Promise<InputResponse>>
  /**
   * Rejects with `InvalidResultError` for a result that a server could not have returned for this tool: by its form, or by the
   * tool's output schema. The result of `resolve` is checked like this by itself.
   */
  checkResult(result: CallToolResult): Promise<void>
}

/** Declares that results of a `tools/call` with this `resultType` belong to an extension. Modern only. */
export interface ResultClaim<Claimed extends ClaimedResult = ClaimedResult> {
  /** The `resultType` that the extension handles. Must not be one of the specification. */
  readonly resultType: string
  /** The revisions of the claim (default: all modern ones). */
  readonly protocolVersions?: readonly ModernVersion[]
  /** Whether a result has the shape of the extension. One that has not rejects the call with `InvalidResultError`. */
  isValid?(result: ClaimedResult): boolean
  /** Finishes the call: turns the claimed result into a `CallToolResult`. */
  resolve(result: Claimed, context: ClaimContext): MaybePromise<CallToolResult>
}

/**
 * Handles a notification that the specification does not define, one at a time and in order. When too many wait, the oldest is
 * dropped and reported.
 */
export interface NotificationBinding<Params = JSONObject> {
  /** The method of the notification. Must not be one of the specification. */
  readonly method: string
  /** Checks and converts the params. When it throws, the notification is dropped and reported. */
  parse?(params: JSONObject): Params
  /** Called for each notification, with what `parse` returned. An error is reported as a fault. */
  handle(params: Params, context: NotificationContext): MaybePromise<void>
}

/** The second argument of a binding. */
export interface NotificationContext extends ClientCallbackContext {
  /** The subscription that the notification belongs to, which got it first. `undefined` for any other notification. */
  readonly subscription: Subscription | undefined
}

/** A call of a tool that its listing allows to be called as a task. */
export interface TaskCallFacts {
  /** The name of the tool. */
  readonly toolName: string
  /** The options of the call, such as `task: true`. */
  readonly options: ClientToolCallOptions
  /** Whether the tool can be called in no other way. */
  readonly isRequired: boolean
}

/**
 * Calls of tools as tasks of revision 2025-11-25, which has tasks in its own specification. Used where the server offers them; a
 * tool whose listing does not is always called plainly.
 */
export interface TaskCallRules {
  /** `task` of the params, for a call that is to be sent as a task; `undefined` sends it plainly. */
  taskFor(call: TaskCallFacts): TaskMetadata | undefined
  /** Finishes the call, as `resolve` of a claim does. */
  resolve(result: CreateTaskResult, context: ClaimContext): MaybePromise<CallToolResult>
}

/** What an extension adds to a client. */
export interface ClientExtensionParts {
  /** The value of the capability. */
  readonly settings?: JSONObject
  /** Results of `tools/call` that the extension finishes (default: none). */
  readonly claims?: readonly ResultClaim[]
  /** Notifications that the extension handles (default: none). */
  readonly notifications?: readonly NotificationBinding[]
  /** By method: requests that the client sends with `session.sendRequest()`. */
  readonly requests?: ClientExtensionRequests
  /** One extension of a client can have it. */
  readonly taskCalls?: TaskCallRules
  /** By name: members of the filter of `client.listen()`. */
  readonly filters?: ClientExtensionFilters
  /**
   * Called once, while the client opens and a revision is agreed on, to load what the extension needs. A client whose extension
   * fails does not open. What it returns is what the client's own member for the extension gives, such as `client.tasks`; its
   * `close`, where it has one, is called when the client closes, before the connection ends.
   */
  readonly open?: (session: ClientSession) => MaybePromise<object | undefined>
}

/** The client part of an extension. Read once for each client, at its construction. */
export interface ClientExtension extends ClientExtensionParts {
  /** Such as `com.example/search`. */
  readonly identifier: string
  /**
   * Called once for each client, at its construction: what it returns belongs to this client alone, and goes in the place of the
   * members above. The client can be kept, and used once it is open.
   */
  readonly forClient?: (client: Client) => ClientExtensionParts
}

/**
 * An extension that only declares itself.
 *
 * @example
 * ```ts
 * import { advertise, Client } from 'mcpwire/client'
 * const extensions = [advertise('com.example/search', { maxResults: 10 })]
 * const client = await Client.connect('https://example.com/mcp', { extensions })
 * ```
 */
export function advertise(identifier: string, settings: JSONObject = {}): ClientExtension {
  assertExtensionIdentifier(identifier)
  return { identifier, settings }
}

const CORE_TYPES: ReadonlySet<string> = new Set(CORE_RESULT_TYPES)

/** Throws `TypeError` for a claim that cannot work, or that claims a result of the specification. */
export function assertResultClaim({ resultType, protocolVersions, resolve }: ResultClaim): void {
  if (typeof resultType !== 'string' || resultType === '')
    throw typeError('bad-extension', 'A result claim has no resultType. Set it to a string.')
  if (CORE_TYPES.has(resultType)) {
    throw typeError('bad-extension', `The resultType '${resultType}' belongs to the specification. Claim another one.`)
  }
  if (typeof resolve !== 'function')
    throw typeError('bad-extension', `The claim of '${resultType}' has no resolve function. Add one.`)
  if (protocolVersions === undefined) return
  if (protocolVersions.length === 0 || !protocolVersions.every(isModernVersion)) {
    throw typeError(
      'bad-extension',
      `The protocolVersions of the claim of '${resultType}' are not modern revisions. Name at least one, or leave it out.`,
    )
  }
}

export function assertNotificationBinding({ method, handle }: NotificationBinding): void {
  if (typeof method !== 'string' || method === '')
    throw typeError('bad-extension', 'A notification binding has no method. Set it to a string.')
  if (typeof handle !== 'function')
    throw typeError('bad-extension', `The binding of '${method}' has no handle function. Add one.`)
}
