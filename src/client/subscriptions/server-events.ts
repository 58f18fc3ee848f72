// The changes that a server announces, as one small type in both eras.

import { ownMember } from '../../primitives/json/objects.ts'
import { type ListChange, notificationFacts } from '../../wire/method-rows.ts'
import type { ExtensionEvent } from '../extensions/owned-filters.ts'

/** One of the server's lists has changed. */
export interface ListChangedEvent {
  /** Which list changed. Request it again to see how. */
  readonly type: ListChange
  /** The server did not announce it: there was no subscription for a while, and the list may have changed in that time. */
  readonly isPresumed?: true
}

/** The content of a subscribed resource, or of a resource below it, has changed. */
export interface ResourceUpdatedEvent {
  /** Marks an update of one resource. */
  readonly type: 'resourceUpdated'
  /** The resource that changed. It may be below one that was subscribed to. */
  readonly uri: string
  /** As in `ListChangedEvent`. */
  readonly isPresumed?: true
}

/** A change of what the specification defines. */
export type ChangeEvent = ListChangedEvent | ResourceUpdatedEvent

/** What a subscription yields: changes of lists and resources, and events of extensions. */
export type ServerEvent = ChangeEvent | ExtensionEvent

/** The change that a notification announces; `undefined` for all other notifications. */
export function toServerEvent(method: string, params: unknown): ChangeEvent | undefined {
  const change = notificationFacts(method)?.change
  if (change === undefined) return undefined
  if (change !== 'resourceUpdated') return { type: change }
  const uri = ownMember(params, 'uri')
  return typeof uri === 'string' ? { type: change, uri } : undefined
}
