// The messages of a failed validation, for a model or a person: the place, what was expected, what came. Values are never quoted.
import { lazily } from './lazily.ts'

/** One reason why a value does not fit its schema. */
export interface Issue {
  /** A sentence for a model or a person, beginning with the place, as in `user.age: expected integer, got string`. */
  readonly message: string
  /** The place in the value, key by key; empty for the value as a whole. */
  readonly path: readonly (string | number)[]
  /** The same place as a JSON Pointer. */
  readonly instancePath: string
  /** The keyword that rejected the value, and its place in the schema. Engines other than ours may leave them out. */
  readonly keyword?: string
  /** Where in the schema, as a JSON Pointer. */
  readonly schemaPath?: string
}

/** The outcome of a validation. Standard Schemas may transform, so the value to go on with is in the outcome. */
export type Validation<Value = unknown> =
  | {
      /** True: the value fits. */
      readonly ok: true
      /** The value that was validated. */
      readonly value: Value
    }
  | {
      /** False: the value does not fit. */
      readonly ok: false
      /** Why the value does not fit. */
      readonly issues: readonly Issue[]
    }

export interface IssueSource {
  readonly keyword: string
  readonly schemaPath: string
}

const MAX_NAME_LENGTH = 64
const MAX_LABEL_LENGTH = 200
const MAX_LISTED = 10

/** An issue whose message begins with the place that it is about. */
export function createIssue(text: string, path: readonly (string | number)[], source?: IssueSource): Issue {
  const label = labelOf(path)
  const message = label === '' ? text : `${label}: ${text}`
  const instancePath = path.map((key) => `/${escapePointer(String(key))}`).join('')
  if (source === undefined) return { message, path, instancePath }
  return { message, path, instancePath, keyword: source.keyword, schemaPath: source.schemaPath }
}

/** The kind of a value in the words of JSON Schema. */
export function typeName(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'number' && !Number.isFinite(value)) return 'a number that JSON cannot hold'
  return typeof value
}

/** A property name in quotes, shortened and free of control characters. */
export function quote(name: string): string {
  return escapeHidden(JSON.stringify(shorten(name, MAX_NAME_LENGTH)))
}

/** Words of others on one line, shortened: they may repeat what a peer sent. */
export function toLine(text: string, maxLength: number): string {
  return escapeHidden(shorten(text, maxLength).replace(BLANKS, ' '))
}

/** Spaces and control characters. */
const BLANKS = /[^!-~\u{A1}-\u{10FFFF}]+/gu

/** Characters that are not seen, or turn around what is: control characters, and marks of direction and width. */
const HIDDEN = /[\u{7F}-\u{9F}\u{AD}\u{200B}-\u{200F}\u{2028}-\u{202E}\u{2060}-\u{2069}\u{FEFF}\u{E0000}-\u{E007F}]/gu

function escapeHidden(text: string): string {
  return isAllSeen(text) ? text : text.replace(HIDDEN, escapeCharacter)
}

function escapeCharacter(character: string): string {
  const digits = (character.codePointAt(0) ?? 0).toString(16)
  return digits.length > 4 ? `\\u{${digits}}` : `\\u${digits.padStart(4, '0')}`
}

/** Most names are: looking is sooner done than a pattern is made at the start of a program. */
function isAllSeen(text: string): boolean {
  for (let i = 0; i < text.length; i += 1) if (text.charCodeAt(i) >= 0x7f) return false
  return true
}

/** `"a", "b" and 3 more`: names or values of the schema, a few of them. */
export function list(items: readonly unknown[]): string {
  const shown = items.slice(0, MAX_LISTED).map(showValue).join(', ')
  return items.length <= MAX_LISTED ? shown : `${shown} and ${items.length - MAX_LISTED} more`
}

/** A value of the schema, never of the peer's data. */
export function showValue(value: unknown): string {
  if (typeof value === 'string') return quote(value)
  if (typeof value !== 'object' || value === null) return String(value)
  return Array.isArray(value) ? 'a certain array' : 'a certain object'
}

/** `1 item`, `2 items`. */
export function count(amount: number, noun: string, plural = `${noun}s`): string {
  return `${amount} ${amount === 1 ? noun : plural}`
}

export function escapePointer(segment: string): string {
  return segment.replaceAll('~', '~0').replaceAll('/', '~1')
}

/** A name that needs no quotes. */
const PLAIN_NAME = String.raw`^[\p{L}\p{N}_$-]{1,64}$`
// Made for the first mistake only: V8 takes its time to look up what letters there are.
const plainName = lazily(() => new RegExp(PLAIN_NAME, 'u'))

/** The place as a person would write it: `filters[0].name`. */
export function labelOf(path: readonly (string | number)[]): string {
  let label = ''
  for (const key of path) {
    if (label.length > MAX_LABEL_LENGTH) return `${label}…`
    if (typeof key === 'number') label += `[${key}]`
    else if (!plainName().test(key)) label += `[${quote(key)}]`
    else label += label === '' ? key : `.${key}`
  }
  return label
}

function shorten(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : `${text.slice(0, maxLength)}…`
}
