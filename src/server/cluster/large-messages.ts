// A message that is too large for a topic is put into records, in parts; the topic carries their name.

import { BackendError } from '../../backend/backend-error.ts'
import type { Records } from '../../backend/records.ts'
import { randomName } from './digest.ts'
import { decodeObject } from './node-message.ts'

/** In characters: below 1 MiB in UTF-8, also when an engine encrypts it and writes that as Base64. */
const MAX_PART_LENGTH = 240 * 1024

/** More than any message that a client can send with the default limit of 4 MiB. */
const MAX_PARTS = 64

/** How long the parts wait for their reader. */
const PART_TTL_MS = 60_000

/** What a topic gets of a large message is shorter. */
const MAX_NOTE_LENGTH = 128

const NAME = /^[\w-]{22}$/

export function isLarge(text: string): boolean {
  return text.length > MAX_PART_LENGTH
}

export function isPacked(text: string): boolean {
  return text.length < MAX_NOTE_LENGTH && text.startsWith('{"large":')
}

/** Puts the text into records. What it returns goes to the topic. */
export async function pack(records: Records, text: string): Promise<string> {
  const parts = splitText(text)
  if (parts.length > MAX_PARTS) {
    throw new BackendError(`A message to another node has more than ${MAX_PARTS * MAX_PART_LENGTH} characters.`, {
      kind: 'too-large',
      operation: 'topics.publish',
    })
  }
  const name = randomName(16)
  await Promise.all(
    parts.map((part, index) => records.put(keyOf(name, index), part, { ttlMs: PART_TTL_MS, if: 'absent' })),
  )
  return JSON.stringify({ large: name, parts: parts.length })
}

/** The text that was packed; `undefined` where it is not all there. The parts are deleted. */
export async function unpack(records: Records, text: string): Promise<string | undefined> {
  const { large: name, parts: count } = decodeObject(text) ?? {}
  if (typeof name !== 'string' || !NAME.test(name) || !isPartCount(count)) return undefined
  const keys = Array.from({ length: count }, (_, index) => keyOf(name, index))
  const parts = await Promise.all(keys.map(async (key) => (await records.get(key))?.value))
  for (const key of keys) void forget(records, key)
  return parts.includes(undefined) ? undefined : parts.join('')
}

/** In parts that an engine takes as a value each. */
export function splitText(text: string): string[] {
  const parts: string[] = []
  for (let start = 0; start < text.length; ) {
    let end = Math.min(start + MAX_PART_LENGTH, text.length)
    // Half of a surrogate pair is no text that an engine could keep.
    if (end < text.length && isHighSurrogate(text.charCodeAt(end - 1))) end -= 1
    parts.push(text.slice(start, end))
    start = end
  }
  return parts
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code < 0xdc00
}

function isPartCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) > 0 && (value as number) <= MAX_PARTS
}

function keyOf(name: string, index: number): string {
  return `m.${name}.${index}`
}

async function forget(records: Records, key: string): Promise<void> {
  try {
    await records.delete(key)
  } catch {
    // It goes by itself when its time is over.
  }
}
