// Members of the filter of `listen()` that belong to extensions, and the notifications that come for them.
import { typeError } from '../../primitives/help.ts'
import { ownMember } from '../../primitives/json/objects.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import { CHANGE_NOTIFICATIONS, isSpecMethod } from '../../wire/method-rows.ts'

/** A list of keys in the filter of `listen()`, as `taskIds`, whose changes a notification of the extension announces. Modern only. */
export interface ClientExtensionFilter {
  /** The method of the notification. */
  readonly notification: string
  /** The member of its params that is the key. */
  readonly keyParam: string
}

/** By name: the members that an extension adds to the filter of `client.listen()`. */
export type ClientExtensionFilters = Readonly<Record<string, ClientExtensionFilter>>

/** A change of a key that an extension watches. */
export interface ExtensionEvent {
  /** Marks an event of an extension. */
  readonly type: 'extension'
  /** The member of the filter, such as `taskIds`. */
  readonly filter: string
  /** The key that changed, such as the id of a task. */
  readonly key: string
  /** The method of the notification. */
  readonly method: string
  /** The params of the notification, as the server sent them. Absent where the change is presumed. */
  readonly params?: JSONObject
  /** The server did not announce it: there was no subscription for a while, and the key may have changed in that time. */
  readonly isPresumed?: true
}

/** The members of the specification. */
const CORE_MEMBERS: readonly string[] = [
  ...Object.keys(CHANGE_NOTIFICATIONS).filter((change) => change !== 'resourceUpdated'),
  'resourceSubscriptions',
]

/** Throws `TypeError` for a filter that cannot work, or that belongs to the specification. */
export function assertExtensionFilter(member: string, { notification, keyParam }: ClientExtensionFilter): void {
  if (member === '') throw typeError('bad-extension', 'A filter of an extension has no name. Set it to a string.')
  if (CORE_MEMBERS.includes(member))
    throw typeError('bad-extension', `The filter '${member}' belongs to the specification. Choose another name.`)
  if (typeof notification !== 'string' || notification === '' || typeof keyParam !== 'string' || keyParam === '') {
    throw typeError('bad-extension', `The filter '${member}' lacks notification or keyParam. Set both to strings.`)
  }
  if (isSpecMethod(notification)) {
    throw typeError(
      'bad-extension',
      `'${notification}' of the filter '${member}' belongs to the specification. Name another method.`,
    )
  }
}

/** The filters of all extensions of a session. */
export class OwnedFilters {
  readonly #filters: ClientExtensionFilters
  readonly #memberOf: ReadonlyMap<string, string>

  constructor(filters: ClientExtensionFilters = {}) {
    this.#filters = filters
    this.#memberOf = new Map(Object.entries(filters).map(([member, { notification }]) => [notification, member]))
  }

  /** Every member that a filter may have. */
  get members(): readonly string[] {
    return [...CORE_MEMBERS, ...Object.keys(this.#filters)]
  }

  has(member: string): boolean {
    return Object.hasOwn(this.#filters, member)
  }

  /** The change that a notification announces; `undefined` where it belongs to no filter, or names no key. */
  toEvent(method: string, params: JSONObject): ExtensionEvent | undefined {
    const filter = this.#memberOf.get(method)
    if (filter === undefined) return undefined
    const key = ownMember(params, (this.#filters[filter] as ClientExtensionFilter).keyParam)
    return typeof key === 'string' ? { type: 'extension', filter, key, method, params } : undefined
  }

  /** As if all keys of this member had changed. */
  presume(filter: string, keys: readonly string[]): ExtensionEvent[] {
    const method = this.#filters[filter]?.notification ?? ''
    return keys.map((key) => ({ type: 'extension', filter, key, method, isPresumed: true }))
  }
}
