// Answers that are too large for a model: cut where a reader can tell, by whole items, at lines.
import { isPlainObject } from '../../primitives/json/objects.ts'
import { type Members, setMember } from '../document/members.ts'

export interface CutValue {
  readonly value: unknown
  readonly text: string
  /** What was cut, as a sentence; `undefined` where nothing was. */
  readonly note?: string | undefined
}

const encoder = new TextEncoder()

export function byteLength(text: string): number {
  return text.length > 1_000_000 ? text.length : encoder.encode(text).length
}

/** A value within `maxBytes` of JSON. A list at the root keeps whole items and says how many there were. */
export function cutJSON(value: unknown, maxBytes: number, keepsRoot: boolean): CutValue {
  const text = JSON.stringify(value)
  if (text.length <= maxBytes && byteLength(text) <= maxBytes) return { value, text }
  if (Array.isArray(value)) return cutList(value, maxBytes, keepsRoot)
  const cuts: string[] = []
  const cut = shrink(value, maxBytes, '', cuts, 0)
  return { value: cut, text: JSON.stringify(cut), note: `The answer was too large and was cut: ${cuts.join('; ')}.` }
}

function cutList(list: readonly unknown[], maxBytes: number, keepsRoot: boolean): CutValue {
  const items = firstItems(list, maxBytes - 100)
  const shown = items.length
  const note = `The answer was too large and was cut: ${shown} of ${list.length} items are shown.`
  const value = keepsRoot ? items : { items, truncated: true, total: list.length, shown }
  return { value, text: JSON.stringify(value), note }
}

/** As many as fit; the first one is cut itself where it alone does not. */
function firstItems(list: readonly unknown[], maxBytes: number): unknown[] {
  const items: unknown[] = []
  let left = maxBytes
  for (const item of list) {
    const size = byteLength(JSON.stringify(item)) + 1
    if (size > left) {
      if (items.length === 0) items.push(shrink(item, Math.max(left, 0), '', [], 1))
      break
    }
    items.push(item)
    left -= size
  }
  return items
}

const MAX_DEPTH = 8

/** Cuts the largest member, then the next, until the rest fits. */
function shrink(value: unknown, maxBytes: number, path: string, cuts: string[], depth: number): unknown {
  const where = path === '' ? 'it' : path
  if (typeof value === 'string') {
    cuts.push(`${where} has ${value.length} characters`)
    return `${cutChars(value, maxBytes)}…`
  }
  if (Array.isArray(value)) {
    const items = depth > MAX_DEPTH ? [] : firstItems(value, maxBytes)
    cuts.push(`${where} has ${value.length} items, ${items.length} are shown`)
    return items
  }
  if (!isPlainObject(value)) return value
  if (depth > MAX_DEPTH) {
    cuts.push(`${where} is left out`)
    return {}
  }
  const sizes = Object.entries(value).map(([key, member]) => ({
    key,
    member,
    size: byteLength(JSON.stringify(member)),
  }))
  let total = sizes.reduce((sum, { key, size }) => sum + size + byteLength(JSON.stringify(key)) + 2, 2)
  const cut = new Map<string, unknown>()
  for (const { key, member, size } of [...sizes].sort((a, b) => b.size - a.size)) {
    if (total <= maxBytes) break
    const room = Math.max(0, maxBytes - (total - size) - 8)
    const smaller = room < 16 ? null : shrink(member, room, path === '' ? key : `${path}.${key}`, cuts, depth + 1)
    if (smaller === null) cuts.push(`${path === '' ? key : `${path}.${key}`} is left out`)
    cut.set(key, smaller)
    total += byteLength(JSON.stringify(smaller)) - size
  }
  const kept: Members = {}
  // Members without end, none of them large: the last ones go.
  let left = maxBytes
  for (const { key, member } of sizes) {
    const shown = cut.has(key) ? cut.get(key) : member
    left -= byteLength(JSON.stringify(shown)) + byteLength(JSON.stringify(key)) + 2
    if (left < 0) {
      cuts.push(`${where} has ${sizes.length} members, ${Object.keys(kept).length} are shown`)
      break
    }
    if (!(shown === null && member !== null)) setMember(kept, key, shown)
  }
  if (cuts.length > 20) cuts.splice(20)
  return kept
}

function cutChars(text: string, maxBytes: number): string {
  const bytes = encoder.encode(text.slice(0, maxBytes)).subarray(0, Math.max(0, maxBytes))
  return new TextDecoder().decode(bytes).replace(/\ufffd+$/, '')
}

/** The beginning of a text, up to the end of a line. */
export function cutLines(text: string, maxBytes: number): CutValue {
  if (byteLength(text) <= maxBytes) return { value: text, text }
  const head = cutChars(text, maxBytes)
  const line = head.lastIndexOf('\n')
  const cut = line > maxBytes / 2 ? head.slice(0, line) : head
  return {
    value: cut,
    text: cut,
    note: `The answer was too large and was cut after ${cut.length} of ${text.length} characters.`,
  }
}
