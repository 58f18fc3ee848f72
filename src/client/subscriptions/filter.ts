// What a subscription is about: read from the caller with care, from the server with more, and compared.
import { isPlainObject } from '../../primitives/json/objects.ts'
import type { SubscriptionFilter } from '../../types/features/subscriptions.ts'
import type { ServerEvent } from './server-events.ts'

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
