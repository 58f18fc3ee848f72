// The changes that a server announces, as one small type in both eras, and the filters that select them.

import { isPlainObject, ownMember } from '../../primitives/json/objects.ts'
import type { SubscriptionFilter } from '../../types/features/subscriptions.ts'
import { LIST_CHANGES, type ListChange, notificationFacts } from '../../wire/method-rows.ts'

/** One of the server's lists has changed. */
export interface ListChangedEvent {
  readonly type: ListChange
  /** The server did not announce it: there was no subscription for a while, and the list may have changed in that time. */
  readonly isPresumed?: true
}

/** The content of a subscribed resource, or of a resource below it, has changed. */
export interface ResourceUpdatedEvent {
  readonly type: 'resourceUpdated'
  readonly uri: string
  /** As in `ListChangedEvent`. */
  readonly isPresumed?: true
}

export type ServerEvent = ListChangedEvent | ResourceUpdatedEvent

/** The change that a notification announces; `undefined` for all other notifications. */
export function toServerEvent(method: string, params: unknown): ServerEvent | undefined {
  const change = notificationFacts(method)?.change
  if (change === undefined) return undefined
  if (change !== 'resourceUpdated') return { type: change }
  const uri = ownMember(params, 'uri')
  return typeof uri === 'string' ? { type: change, uri } : undefined
}

/** The caller's filter without its empty parts; throws `TypeError` for a filter of the wrong form. */
export function checkFilter(filter: SubscriptionFilter): SubscriptionFilter {
  if (!isPlainObject(filter)) {
    throw new TypeError('listen() takes an object with the changes to listen for, as in { toolsListChanged: true }')
  }
  const { resourceSubscriptions: uris = [] }: SubscriptionFilter = filter
  if (!isStringArray(uris)) throw new TypeError('resourceSubscriptions must be an array of URIs')
  return createFilter((type) => (filter as SubscriptionFilter)[type] === true, uris)
}

/** What both filters hold. A server may grant less than was requested, and whatever it grants beyond that is ignored. */
export function intersectFilters(requested: SubscriptionFilter, granted: SubscriptionFilter): SubscriptionFilter {
  const grantedUris = new Set(granted.resourceSubscriptions)
  const uris = (requested.resourceSubscriptions ?? []).filter((uri) => grantedUris.has(uri))
  return createFilter((type) => requested[type] === true && granted[type] === true, uris)
}

/** What `requested` holds and `honored` does not. */
export function subtractFilters(requested: SubscriptionFilter, honored: SubscriptionFilter): SubscriptionFilter {
  const honoredUris = new Set(honored.resourceSubscriptions)
  const uris = (requested.resourceSubscriptions ?? []).filter((uri) => !honoredUris.has(uri))
  return createFilter((type) => requested[type] === true && honored[type] !== true, uris)
}

/** Every event that a filter selects. */
export function eventsOfFilter(filter: SubscriptionFilter): ServerEvent[] {
  const lists = LIST_CHANGES.filter((type) => filter[type] === true).map((type) => ({ type }))
  const uris = filter.resourceSubscriptions ?? []
  return [...lists, ...uris.map((uri) => ({ type: 'resourceUpdated' as const, uri }))]
}

function createFilter(has: (type: ListChange) => boolean, uris: string[]): SubscriptionFilter {
  const filter: SubscriptionFilter = {}
  for (const type of LIST_CHANGES) if (has(type)) filter[type] = true
  if (uris.length > 0) filter.resourceSubscriptions = [...uris]
  return filter
}

function isStringArray(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string')
}
