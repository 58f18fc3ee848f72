// The changes that a server announces, as one small type, whichever era and notification they came by.
import { isPlainObject } from '../../primitives/json/objects.ts'
import type { SubscriptionFilter } from '../../types/features/subscriptions.ts'

/** One of the server's lists is not what it was. */
export interface ListChangedEvent {
  readonly type: 'toolsListChanged' | 'promptsListChanged' | 'resourcesListChanged'
  /** Nobody said so: there was no subscription for a while, and it may have changed in that time. */
  readonly isPresumed?: true
}

/** The content of a watched resource, or of something below it, is not what it was. */
export interface ResourceUpdatedEvent {
  readonly type: 'resourceUpdated'
  readonly uri: string
  /** As in `ListChangedEvent`. */
  readonly isPresumed?: true
}

export type ServerEvent = ListChangedEvent | ResourceUpdatedEvent

const LIST_CHANGES: ReadonlyMap<string, ListChangedEvent> = new Map([
  ['notifications/tools/list_changed', { type: 'toolsListChanged' }],
  ['notifications/prompts/list_changed', { type: 'promptsListChanged' }],
  ['notifications/resources/list_changed', { type: 'resourcesListChanged' }],
])

/** The change that a notification announces; `undefined` for all other notifications. */
export function eventOf(method: string, params: unknown): ServerEvent | undefined {
  if (method !== 'notifications/resources/updated') return LIST_CHANGES.get(method)
  const uri = isPlainObject(params) && Object.hasOwn(params, 'uri') ? params['uri'] : undefined
  return typeof uri === 'string' ? { type: 'resourceUpdated', uri } : undefined
}

// What a subscription is about: read from the caller with care, from the server with more, and compared.

const KINDS = ['toolsListChanged', 'promptsListChanged', 'resourcesListChanged'] as const

/** The caller's filter without what asks for nothing; a `TypeError` for a filter of the wrong form. */
export function checkFilter(filter: SubscriptionFilter): SubscriptionFilter {
  if (!isPlainObject(filter)) throw new TypeError('listen() takes an object that says which changes to listen for')
  const { resourceSubscriptions: uris = [] }: SubscriptionFilter = filter
  if (!isStrings(uris)) throw new TypeError('resourceSubscriptions must be an array of URIs')
  return pick((kind) => (filter as SubscriptionFilter)[kind] === true, uris)
}

/** What both filters hold. A server grants parts of what was asked for; the rest of what it says means nothing. */
export function commonTo(requested: SubscriptionFilter, granted: SubscriptionFilter): SubscriptionFilter {
  const grantedUris = new Set(granted.resourceSubscriptions)
  const uris = (requested.resourceSubscriptions ?? []).filter((uri) => grantedUris.has(uri))
  return pick((kind) => requested[kind] === true && granted[kind] === true, uris)
}

/** What `requested` holds and `honored` does not. */
export function missingFrom(honored: SubscriptionFilter, requested: SubscriptionFilter): SubscriptionFilter {
  const honoredUris = new Set(honored.resourceSubscriptions)
  const uris = (requested.resourceSubscriptions ?? []).filter((uri) => !honoredUris.has(uri))
  return pick((kind) => requested[kind] === true && honored[kind] !== true, uris)
}

/** Every event that a filter can bring. */
export function eventsOf(filter: SubscriptionFilter): ServerEvent[] {
  const lists = KINDS.filter((kind) => filter[kind] === true).map((type) => ({ type }))
  const uris = filter.resourceSubscriptions ?? []
  return [...lists, ...uris.map((uri) => ({ type: 'resourceUpdated' as const, uri }))]
}

function pick(has: (kind: (typeof KINDS)[number]) => boolean, uris: string[]): SubscriptionFilter {
  const filter: SubscriptionFilter = {}
  for (const kind of KINDS) if (has(kind)) filter[kind] = true
  if (uris.length > 0) filter.resourceSubscriptions = [...uris]
  return filter
}

function isStrings(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string')
}
