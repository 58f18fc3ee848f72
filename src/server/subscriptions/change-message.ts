// Changes as nodes tell each other of them. Whoever can write to the engine can write this, so that it is read as text of a stranger.
import { isPlainObject } from '../../primitives/json/objects.ts'
import { CHANGE_NOTIFICATIONS, LIST_CHANGES, type ListChange } from '../../wire/method-rows.ts'
import { decodeObject, isNodeId } from '../cluster/node-message.ts'
import { MAX_URI_BYTES } from './kept-bytes.ts'
import type { SubscriptionEvent } from './subscriptions.ts'
import { keyOf } from './subscriptions.ts'

const VERSION = 1

/** Topics that the changes of resources and extensions are spread over. A node listens to those that its clients need. */
const SHARDS = 64

/** Longer messages are not read. A batch stays far below. */
const MAX_MESSAGE_LENGTH = 1024 * 1024

export const LIST_TOPIC = 'changes'

export interface ChangeMessage {
  /** The node whose changes these are. */
  readonly from: string
  /** The name of the server that has changed; absent in what older releases send. */
  readonly server?: string
  /** `all`: there were too many to name them; everything of this topic may have changed. */
  readonly changes: readonly SubscriptionEvent[] | 'all'
}

export function topicOf(event: SubscriptionEvent): string {
  return event.type === 'resourceUpdated' || event.type === 'extensionChanged' ? topicOfKey(keyOf(event)) : LIST_TOPIC
}

/** By a digest: what a client sent is no part of a topic. */
export function topicOfKey(key: string): string {
  // FNV-1a: which topic it is must only be the same on every node.
  let hash = 0x811c9dc5
  for (let index = 0; index < key.length; index += 1) {
    hash = Math.imul(hash ^ key.charCodeAt(index), 0x01000193)
  }
  return `${LIST_TOPIC}.${(hash >>> 0) % SHARDS}`
}

/** Whether a client may watch it, and other nodes may hear of it. */
export function canBeSent(event: SubscriptionEvent): boolean {
  return keyOf(event).length <= 2 * MAX_URI_BYTES
}

export function encodeChanges({ from, server, changes }: ChangeMessage): string {
  return JSON.stringify({ v: VERSION, from, server, changes: changes === 'all' ? changes : changes.map(toEntry) })
}

/** `undefined` for anything that is no message of this version. Changes that this release does not know are left out. */
export function decodeChanges(text: string): ChangeMessage | undefined {
  if (text.length > MAX_MESSAGE_LENGTH) return undefined
  const value = decodeObject(text)
  if (!isPlainObject(value) || value['v'] !== VERSION) return undefined
  const { from, server, changes } = value
  if (!isNodeId(from)) return undefined
  const origin = { from, ...(typeof server === 'string' && { server }) }
  if (changes === 'all') return { ...origin, changes }
  return Array.isArray(changes) ? { ...origin, changes: changes.flatMap((entry) => toEvent(entry) ?? []) } : undefined
}

function toEntry(event: SubscriptionEvent): readonly string[] {
  if (event.type === 'resourceUpdated') return [event.type, event.uri]
  return event.type === 'extensionChanged' ? [event.type, event.filter, event.key] : [event.type]
}

function toEvent(entry: unknown): SubscriptionEvent | undefined {
  if (!Array.isArray(entry) || !entry.every((part) => typeof part === 'string')) return undefined
  const [type = '', name, key] = entry as readonly string[]
  if (type === 'resourceUpdated') return name === undefined ? undefined : { type, uri: name }
  if (type === 'extensionChanged') {
    return name === undefined || key === undefined ? undefined : { type, filter: name, key }
  }
  return isListChange(type) ? { type } : undefined
}

function isListChange(type: string): type is ListChange {
  return Object.hasOwn(CHANGE_NOTIFICATIONS, type) && (LIST_CHANGES as readonly string[]).includes(type)
}
