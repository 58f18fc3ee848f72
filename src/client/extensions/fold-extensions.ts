// Turns the extensions of a client into session options, and rejects extensions that conflict.

import type { MaybePromise } from '../../primitives/async/promises.ts'
import { typeError } from '../../primitives/help.ts'
import { assertExtensionIdentifier, assertExtensionObject } from '../../types/protocol/extension-identifier.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import type { Client } from '../client.ts'
import type { ClientSession } from '../session/session.ts'
import {
  assertNotificationBinding,
  assertResultClaim,
  type ClientExtension,
  type NotificationBinding,
  type ResultClaim,
  type TaskCallRules,
} from './extension.ts'
import { assertExtensionFilter, type ClientExtensionFilter } from './owned-filters.ts'
import { assertExtensionRequest, type ClientExtensionRequest } from './owned-requests.ts'

export interface FoldedExtensions {
  extensions: Record<string, JSONObject>
  resultClaims: Record<string, readonly ResultClaim[]>
  notificationBindings: NotificationBinding[]
  extensionRequests: Record<string, ClientExtensionRequest>
  extensionFilters: Record<string, ClientExtensionFilter>
}

/** What is opened with the client, by identifier. */
export type ExtensionOpeners = ReadonlyMap<string, (session: ClientSession) => MaybePromise<object | undefined>>

/** What the extensions of a client add to it: to its session, to its opening, and to its calls. */
export interface ClientExtensionSet {
  readonly folded: FoldedExtensions
  readonly openers: ExtensionOpeners
  readonly taskCalls: TaskCallRules | undefined
}

/** Reads each extension once. Throws `TypeError` for one that cannot work, or that conflicts with another. */
export function foldExtensions(extensions: readonly ClientExtension[], client: Client): ClientExtensionSet {
  if (!Array.isArray(extensions)) {
    throw typeError(
      'bad-extension',
      "extensions is not an array. Write [advertise('com.example/search', settings)] to declare one.",
    )
  }
  const folded: FoldedExtensions = {
    extensions: {},
    resultClaims: {},
    notificationBindings: [],
    extensionRequests: {},
    extensionFilters: {},
  }
  const owners = {
    resultType: new Map<string, string>(),
    notification: new Map<string, string>(),
    request: new Map<string, string>(),
    filter: new Map<string, string>(),
  }
  const taskOwners = new Map<string, string>()
  let taskCalls: TaskCallRules | undefined
  const openers = new Map<string, (session: ClientSession) => MaybePromise<object | undefined>>()
  for (const [index, extension] of (extensions as readonly ClientExtension[]).entries()) {
    assertExtensionObject(extension, index)
    const { identifier } = extension
    const parts = { ...extension, ...extension.forClient?.(client) }
    const { settings = {}, claims = [], notifications = [], requests = {}, filters = {}, open } = parts
    assertExtensionIdentifier(identifier)
    if (Object.hasOwn(folded.extensions, identifier))
      throw typeError('bad-extension', `The extension '${identifier}' is given twice. Remove one.`)
    folded.extensions[identifier] = settings
    for (const claim of claims) {
      assertResultClaim(claim)
      assertSingleOwner(owners.resultType, claim.resultType, identifier, 'claim the resultType')
    }
    if (claims.length > 0) folded.resultClaims[identifier] = [...claims]
    for (const binding of notifications) {
      assertNotificationBinding(binding)
      assertSingleOwner(owners.notification, binding.method, identifier, 'bind the notification')
      folded.notificationBindings.push(binding)
    }
    for (const [method, request] of Object.entries(requests)) {
      assertExtensionRequest(method, request)
      assertSingleOwner(owners.request, method, identifier, 'own the request')
      folded.extensionRequests[method] = request
    }
    for (const [member, filter] of Object.entries(filters)) {
      assertExtensionFilter(member, filter)
      assertSingleOwner(owners.filter, member, identifier, 'own the filter')
      folded.extensionFilters[member] = filter
    }
    if (open !== undefined) openers.set(identifier, open)
    if (parts.taskCalls === undefined) continue
    assertSingleOwner(taskOwners, 'tools/call', identifier, 'send as tasks calls of')
    taskCalls = parts.taskCalls
  }
  return { folded, openers, taskCalls }
}

/** The claims of all extensions, by `resultType`. */
export function claimsByType({ resultClaims }: FoldedExtensions): ReadonlyMap<string, ResultClaim> {
  const claims = Object.values(resultClaims).flat()
  return new Map(claims.map((claim) => [claim.resultType, claim]))
}

function assertSingleOwner(owners: Map<string, string>, what: string, identifier: string, verb: string): void {
  const owner = owners.get(what)
  if (owner !== undefined)
    throw typeError(
      'bad-extension',
      `Both '${owner}' and '${identifier}' ${verb} '${what}'. Remove one of the extensions.`,
    )
  owners.set(what, identifier)
}
