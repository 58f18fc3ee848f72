// Filters of subscriptions: what was requested, what is granted of it, and the events that it selects.
import { typeError } from '../../primitives/help.ts'
import { isPlainObject, ownMember } from '../../primitives/json/objects.ts'
import type { SubscriptionFilter } from '../../types/features/subscriptions.ts'
import { LIST_CHANGES } from '../../wire/method-rows.ts'
import type { OwnedFilters } from '../extensions/owned-filters.ts'
import type { ServerEvent } from './server-events.ts'

/** A filter with members of the specification, and lists of keys by the members that extensions own. */
export type ListenFilter<Filter> = {
  readonly [Member in keyof Filter]: Member extends keyof SubscriptionFilter
    ? SubscriptionFilter[Member]
    : readonly string[]
}

/** The part of a filter that a server granted, or did not. */
export type HonoredFilter<Filter> = SubscriptionFilter & {
  [Member in Exclude<keyof Filter, keyof SubscriptionFilter>]?: string[]
}

/** A checked filter: each member is `true`, or a list of keys that is not empty. */
export type CheckedFilter = SubscriptionFilter & { readonly [member: string]: true | readonly string[] }

/** The caller's filter without its empty parts; throws `TypeError` for a filter of the wrong form. */
export function checkFilter(filter: object, owned: OwnedFilters): CheckedFilter {
  if (!isPlainObject(filter)) {
    throw typeError(
      'wrong-argument',
      'listen() takes an object with the changes to listen for, as in { toolsListChanged: true }',
    )
  }
  const checked: [string, true | string[]][] = []
  for (const [member, value] of Object.entries(filter)) {
    if (value === undefined) continue
    if (isListChange(member)) {
      if (value === true) checked.push([member, true])
      continue
    }
    if (member !== 'resourceSubscriptions' && !owned.has(member)) throw unknownMember(member, owned)
    if (!isStringArray(value)) {
      const of = member === 'resourceSubscriptions' ? 'URIs' : 'strings'
      throw typeError('wrong-argument', `${member} must be an array of ${of}`)
    }
    if (value.length > 0) checked.push([member, [...new Set(value)]])
  }
  return fromEntries(checked)
}

/** The members of a filter that belong to extensions. */
export function extensionMembers(filter: CheckedFilter): string[] {
  return Object.keys(filter).filter((member) => !isListChange(member) && member !== 'resourceSubscriptions')
}

/** What both filters hold. A server may grant less than was requested, and whatever it grants beyond that is ignored. */
export function intersectFilters(requested: CheckedFilter, granted: object): CheckedFilter {
  return select(requested, granted, (isGranted) => isGranted)
}

/** What `requested` holds and `honored` does not. */
export function subtractFilters(requested: CheckedFilter, honored: CheckedFilter): CheckedFilter {
  return select(requested, honored, (isHonored) => !isHonored)
}

/** Whether a filter selects an event. */
export function selects(filter: CheckedFilter, event: ServerEvent): boolean {
  if (event.type === 'extension') return isStringIn(filter[event.filter], event.key)
  // An update may name a resource below a subscribed one, so every update counts once one resource is subscribed.
  if (event.type === 'resourceUpdated') return filter.resourceSubscriptions !== undefined
  return filter[event.type] === true
}

/** Every event that a filter selects. */
export function eventsOfFilter(filter: CheckedFilter, owned: OwnedFilters): ServerEvent[] {
  return Object.entries(filter).flatMap(([member, value]): ServerEvent[] => {
    if (isListChange(member)) return [{ type: member }]
    const keys = value as readonly string[]
    if (member !== 'resourceSubscriptions') return owned.presume(member, keys)
    return keys.map((uri) => ({ type: 'resourceUpdated', uri }))
  })
}

function select(from: CheckedFilter, other: object, takes: (isInOther: boolean) => boolean): CheckedFilter {
  const selected: [string, true | string[]][] = []
  for (const [member, value] of Object.entries(from)) {
    const its = ownMember(other, member)
    if (value === true) {
      if (takes(its === true)) selected.push([member, true])
      continue
    }
    const inOther = new Set<unknown>(Array.isArray(its) ? its : [])
    const keys = (value as readonly string[]).filter((key) => takes(inOther.has(key)))
    if (keys.length > 0) selected.push([member, keys])
  }
  return fromEntries(selected)
}

// From entries, because an extension may name a member `__proto__`.
function fromEntries(entries: [string, true | string[]][]): CheckedFilter {
  return Object.fromEntries(entries) as unknown as CheckedFilter
}

function isListChange(member: string): member is (typeof LIST_CHANGES)[number] {
  return (LIST_CHANGES as readonly string[]).includes(member)
}

function isStringArray(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string')
}

function isStringIn(value: unknown, key: string): boolean {
  return Array.isArray(value) && value.includes(key)
}

function unknownMember(member: string, owned: OwnedFilters): TypeError {
  const known = owned.members.join(', ')
  return typeError(
    'wrong-argument',
    `listen() does not know '${member.slice(0, 64)}'. Use ${known}, or add the extension that has it to extensions.`,
  )
}
