// What the last `list` of a target saw, for completion: completing a word connects to nothing.
import { resolve } from 'node:path'
import { isPlainObject } from '../terminal/primitives.ts'
import { cacheFile, readUserFile, writeUserFile } from './user-files.ts'

/** Arguments by their names, each with the values that can be chosen. */
export type Keys = Readonly<Record<string, readonly string[]>>

export interface Offers {
  readonly tools: Readonly<Record<string, Keys>>
  readonly prompts: Readonly<Record<string, Keys>>
  readonly uris: readonly string[]
}

const FILE = 'offers.json'
const MAX_TARGETS = 50
const MAX_NAMES = 500
const MAX_CHOICES = 50
const NONE: Offers = { tools: {}, prompts: {}, uris: [] }

function readCache(): Record<string, Partial<Offers>> {
  const kept = readUserFile(cacheFile(FILE))
  const entries = Object.entries(isPlainObject(kept) ? kept : {})
  return Object.fromEntries(entries.filter((entry): entry is [string, Partial<Offers>] => isPlainObject(entry[1])))
}

/** The same target in another folder is another one. */
function keyOf(label: string): string {
  return /^(?:@|https?:|:\d|-- )/.test(label) ? label : resolve(label)
}

/** Lists that were not asked for stay as they were. */
export function rememberOffers(label: string, seen: Partial<Offers>): void {
  const { [keyOf(label)]: before = {}, ...others } = readCache()
  const kept = Object.entries(others).slice(-(MAX_TARGETS - 1))
  writeUserFile(cacheFile(FILE), Object.fromEntries([...kept, [keyOf(label), { ...before, ...bounded(seen) }]]))
}

function bounded({ tools, prompts, uris }: Partial<Offers>): Partial<Offers> {
  return {
    ...(tools !== undefined && { tools: boundedKeys(tools) }),
    ...(prompts !== undefined && { prompts: boundedKeys(prompts) }),
    ...(uris !== undefined && { uris: uris.slice(0, MAX_NAMES) }),
  }
}

function boundedKeys(offered: Offers['tools']): Offers['tools'] {
  const shorten = (keys: Keys) =>
    Object.entries(keys)
      .slice(0, MAX_CHOICES)
      .map(([name, choices]) => [name, choices.slice(0, MAX_CHOICES)])
  return Object.fromEntries(
    Object.entries(offered)
      .slice(0, MAX_NAMES)
      .map(([name, keys]) => [name, Object.fromEntries(shorten(keys)) as Keys]),
  )
}

/** Only what a shell takes as one word. */
export function rememberedOffers(label: string): Offers {
  const { tools, prompts, uris } = { ...NONE, ...readCache()[keyOf(label)] }
  return { tools: plainKeys(tools), prompts: plainKeys(prompts), uris: plainWords(uris) }
}

const WORD = /^[\w./:@+?&%-]+$/

function plainWords(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((word) => typeof word === 'string' && WORD.test(word)) : []
}

function plainKeys(value: unknown): Record<string, Keys> {
  const plain = <T>(members: unknown, read: (member: unknown) => T): Record<string, T> =>
    Object.fromEntries(
      Object.entries(isPlainObject(members) ? members : {})
        .filter(([name]) => WORD.test(name))
        .map(([name, member]) => [name, read(member)]),
    )
  return plain(value, (keys) => plain(keys, plainWords))
}
