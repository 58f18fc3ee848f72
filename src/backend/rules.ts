// What every engine checks before it makes a trip.
import { typeError } from '../primitives/help.ts'
import { BackendError } from './backend-error.ts'
import type { TakeOptions } from './limits.ts'

/** Nothing is kept for longer. */
export const MAX_TTL_MS = 400 * 24 * 60 * 60_000
export const MAX_VALUE_BYTES = 1024 * 1024
export const TIMEOUT_MS = 2_000
/** What a page of a log has at most where nobody says otherwise. */
export const MAX_PAGE_BYTES = 1024 * 1024

/** The URL or path of a backend often comes from an environment variable. */
export function checkGiven(what: string, value: unknown): void {
  if (value !== undefined && value !== null && value !== '') return
  const found = value === '' ? 'an empty text' : String(value)
  throw typeError(
    'bad-backend',
    `${what}, not ${found}. If it comes from an environment variable, that variable is not set.`,
  )
}

const NAME = /^[\w.:-]{1,200}$/

/** Of a key, log, topic, writer or holder. */
export function checkName(operation: string, name: string): void {
  if (typeof name === 'string' && NAME.test(name)) return
  const message = `${operation} takes names of 1 to 200 letters, digits and the characters - _ . : only.`
  throw new BackendError(message, { kind: 'refused', operation })
}

export function checkTtl(operation: string, ttlMs: number): void {
  if (ttlMs > 0 && ttlMs <= MAX_TTL_MS) return
  const message = `${operation} takes a time to live above 0 and of at most 400 days (${MAX_TTL_MS} ms), not ${ttlMs} ms.`
  throw new BackendError(message, { kind: 'refused', operation })
}

const REVISION = /^[\w-]{16}$/

/** Of a revision that the caller has chosen. */
export function checkRevision(operation: string, revision: string | undefined): void {
  if (revision === undefined || (typeof revision === 'string' && REVISION.test(revision))) return
  const message = `${operation} takes a revision of 16 letters, digits and the characters - and _ only.`
  throw new BackendError(message, { kind: 'refused', operation })
}

/** Of a number, a position or a maximum. */
export function checkCount(operation: string, name: string, value: number, least = 1): void {
  if (Number.isSafeInteger(value) && value >= least) return
  const message = `${operation} takes a whole number of at least ${least} as ${name}, not ${value}.`
  throw new BackendError(message, { kind: 'refused', operation })
}

/** More tokens than a full bucket holds can never be taken. */
export function checkTake(operation: string, { perSecond, burst, tokens = 1 }: TakeOptions): void {
  for (const [name, value] of Object.entries({ perSecond, burst, tokens })) {
    if (value > 0 && value < Infinity) continue
    throw new BackendError(`${operation} takes a number above 0 as ${name}, not ${value}.`, {
      kind: 'refused',
      operation,
    })
  }
  if (tokens <= burst) return
  const message = `${operation} takes at most as many tokens as the burst, ${burst}, not ${tokens}.`
  throw new BackendError(message, { kind: 'refused', operation })
}

/** Values are text, limited by their size in UTF-8. */
export function checkValue(operation: string, value: string, maxBytes: number): void {
  // Most values are far below: a character takes at most three bytes.
  if (value.length * 3 <= maxBytes || utf8Length(value) <= maxBytes) return
  throw new BackendError(`${operation} got a value of more than ${maxBytes} bytes.`, {
    kind: 'too-large',
    operation,
    limit: { name: 'maxValueBytes', max: maxBytes },
  })
}

/** The bytes that the text takes in UTF-8; a lone surrogate counts as the three that replace it. */
export function utf8Length(text: string): number {
  let bytes = text.length
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index)
    if (code < 0x80) continue
    bytes += code < 0x800 ? 1 : 2
    const isPair = code >= 0xd800 && code < 0xdc00 && isLowSurrogate(text.charCodeAt(index + 1))
    // A pair takes four bytes and two characters.
    if (isPair) index += 1
  }
  return bytes
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code < 0xe000
}
