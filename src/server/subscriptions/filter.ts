// Which changes a client asks for, which of them it is granted, and whether a change is one of these.

import { MCPError } from '../../types/errors/errors.ts'
import type { SubscriptionFilter } from '../../types/features/subscriptions.ts'
import { LIST_CHANGES } from '../../wire/method-rows.ts'
import type { SubscriptionEvent } from './subscriptions.ts'

/** The kinds of change that a server announces. What is absent, it does not. */
export type SupportedChanges = { readonly [Kind in keyof SubscriptionFilter]?: boolean }

/**
 * Whether a client that watches `watchedUri` wants to hear of `updatedUri` too. The specification lets an update name a
 * part of what is watched, but only the server knows which uris are parts of which; without this they must be equal.
 */
export type IsPartOf = (updatedUri: string, watchedUri: string) => boolean

/** What extensions granted: keys by the member of the filter that they are in. */
export type GrantedWatches = Readonly<Record<string, readonly string[]>>

export const ALL_CHANGES: SupportedChanges = Object.freeze({
  toolsListChanged: true,
  promptsListChanged: true,
  resourcesListChanged: true,
  resourceSubscriptions: true,
})

/** The part of what was asked for that is supported, with each uri once and at most `maxUris` of them. */
export function grant(asked: SubscriptionFilter, supported: SupportedChanges, maxUris: number): SubscriptionFilter {
  const granted: SubscriptionFilter = {}
  for (const kind of LIST_CHANGES) {
    if (asked[kind] === true && supported[kind] === true) granted[kind] = true
  }
  const uris = supported.resourceSubscriptions === true ? new Set(asked.resourceSubscriptions) : new Set<string>()
  if (uris.size > 0) granted.resourceSubscriptions = [...uris].slice(0, maxUris)
  return granted
}

/** What the client is granted, and what is announced to it: a resource that it must not know of is granted and not announced. */
export interface Restricted {
  readonly granted: SubscriptionFilter
  readonly heard: SubscriptionFilter
}

/** Takes out the uris that `mayWatch` rejects with an `MCPError`, and silences those that it says `false` to. */
export async function restrict(
  granted: SubscriptionFilter,
  mayWatch: ((uri: string) => Promise<boolean>) | undefined,
): Promise<Restricted> {
  if (granted.resourceSubscriptions === undefined || mayWatch === undefined) return { granted, heard: granted }
  const { resourceSubscriptions: asked, ...lists } = granted
  const told: string[] = []
  const heard: string[] = []
  for (const uri of asked) {
    try {
      if (await mayWatch(uri)) heard.push(uri)
      told.push(uri)
    } catch (error) {
      if (!(error instanceof MCPError)) throw error
    }
  }
  return { granted: withUris(lists, told), heard: withUris(lists, heard) }
}

function withUris(lists: SubscriptionFilter, uris: readonly string[]): SubscriptionFilter {
  return uris.length === 0 ? lists : { ...lists, resourceSubscriptions: [...uris] }
}

/** Whether a watched set of uris covers an updated one. */
export function isWatched(uri: string, watched: ReadonlySet<string>, isPartOf: IsPartOf | undefined): boolean {
  if (watched.has(uri)) return true
  if (isPartOf === undefined) return false
  for (const watchedUri of watched) if (isPartOf(uri, watchedUri)) return true
  return false
}

/** Says of each event whether a client hears of it. */
export type Matcher = (event: SubscriptionEvent) => boolean

/** Lets through what a granted filter names. */
export function createMatcher(
  granted: SubscriptionFilter,
  isPartOf: IsPartOf | undefined,
  watches?: GrantedWatches,
): Matcher {
  if (granted.resourceSubscriptions === undefined && watches === undefined) return listSet(granted).matches
  const watched = new Set(granted.resourceSubscriptions)
  const keys = indexKeys(watches ?? {})
  return (event) => {
    if (event.type === 'extensionChanged') return keys.get(event.filter)?.has(event.key) === true
    return event.type === 'resourceUpdated' ? isWatched(event.uri, watched, isPartOf) : granted[event.type] === true
  }
}

/** Thousands of subscriptions watch nothing but lists, and share what tells these apart: one for each set of lists. The key of such a change is its type. */
const LIST_SETS = Array.from({ length: 2 ** LIST_CHANGES.length }, (_, bits) => {
  const keys: readonly string[] = LIST_CHANGES.filter((_kind, place) => bits & (1 << place))
  const types = new Set(keys)
  const matches: Matcher = ({ type }) => types.has(type)
  return { keys, matches }
})

function listSet(granted: SubscriptionFilter) {
  let bits = 0
  for (const [place, kind] of LIST_CHANGES.entries()) if (granted[kind] === true) bits |= 1 << place
  return LIST_SETS[bits] as (typeof LIST_SETS)[number]
}

/** The keys of changes of the lists that a filter names. */
export function listKeys(granted: SubscriptionFilter): readonly string[] {
  return listSet(granted).keys
}

function indexKeys(watches: GrantedWatches): ReadonlyMap<string, ReadonlySet<string>> {
  return new Map(Object.entries(watches).map(([filter, names]) => [filter, new Set(names)]))
}
