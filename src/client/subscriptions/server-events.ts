// The changes that a server announces, as one small type, whichever era and notification they came by.
import { isPlainObject } from '../../primitives/json/objects.ts'

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
