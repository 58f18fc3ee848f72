// Where the members of a JSON message begin and end. Takes nothing that `JSON.parse` would not take, within the same bounds as
// json-scan.ts, so that what is passed on as text needs no parsing.

import type { StructureLimits } from './json-scan.ts'
import { PlainText } from './plain-text.ts'

/** A member of an object, by its places in the text. */
export interface MemberSpan {
  /** Of the name, with its quotes. */
  readonly nameStart: number
  readonly nameEnd: number
  /** Of the value. */
  readonly start: number
  readonly end: number
}

export interface MessageSpans {
  /** The members of the message itself. */
  readonly members: readonly MemberSpan[]
  /** Those of its `result`, where that is an object. Of several the last counts. */
  readonly result: readonly MemberSpan[] | undefined
  /** Whether there are line breaks between the values. */
  readonly hasLineBreaks: boolean
}

/** More members than any message of the protocol has: then nothing is said about them. */
const MAX_SPANS = 64

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const COLON = 0x3a
const SPACE = 0x20
const TAB = 0x09
const NEWLINE = 0x0a
const CARRIAGE_RETURN = 0x0d
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
const MINUS = 0x2d
const ZERO = 0x30
const NINE = 0x39

// What may come next.
const VALUE = 0
const VALUE_OR_CLOSE = 1
const NAME = 2
const NAME_OR_CLOSE = 3
const AFTER_VALUE = 4

/** `undefined` for what is no object, no JSON, beyond the limits, or has more members than are worth keeping. */
export function spansOf(bytes: Uint8Array, limits: StructureLimits): MessageSpans | undefined {
  const scan = new Scan(bytes, limits)
  return scan.run() ? scan : undefined
}

class Scan implements MessageSpans {
  readonly members: MemberSpan[] = []
  result: MemberSpan[] | undefined = undefined
  hasLineBreaks = false
  readonly #bytes: Uint8Array
  readonly #limits: StructureLimits
  readonly #plain: PlainText
  /** For each level that is open: whether it is an object. */
  readonly #isObject: boolean[] = []
  #nameStart = [0, 0]
  #nameEnd = [0, 0]
  #start = [0, 0]
  #isInResult = false
  /** A name of the message itself that is written with escapes may be that of another member. */
  #hasEscapedNames = false

  constructor(bytes: Uint8Array, limits: StructureLimits) {
    this.#bytes = bytes
    this.#limits = limits
    this.#plain = new PlainText(bytes)
  }

  run(): boolean {
    const bytes = this.#bytes
    const { maxDepth, maxElements } = this.#limits
    const { length } = bytes
    let next = VALUE
    let depth = 0
    let elements = 0
    let isObject = false
    for (let at = 0; at < length; at++) {
      const byte = bytes[at] as number
      if (byte <= SPACE) {
        if (byte === NEWLINE || byte === CARRIAGE_RETURN) this.hasLineBreaks = true
        else if (byte !== SPACE && byte !== TAB) return false
      } else if (next === AFTER_VALUE) {
        if (depth === 0) return false
        if (depth <= 2 && isObject) {
          this.#closeMember(depth, at)
          if (this.members.length > MAX_SPANS || (this.result?.length ?? 0) > MAX_SPANS) return false
        }
        if (byte === COMMA) {
          elements += 1
          if (elements > maxElements) return false
          next = isObject ? NAME : VALUE
        } else if (byte === (isObject ? CLOSE_BRACE : CLOSE_BRACKET)) {
          depth -= 1
          this.#isObject.pop()
          isObject = depth > 0 && (this.#isObject[depth - 1] as boolean)
        } else return false
      } else if (next === NAME || next === NAME_OR_CLOSE) {
        if (byte === QUOTE) {
          const end = endOfString(bytes, at, this.#plain)
          if (end === -1) return false
          const colon = skipSpace(bytes, end + 1)
          if (bytes[colon] !== COLON) return false
          if (depth <= 2) this.#openMember(depth, at, end + 1, skipSpace(bytes, colon + 1))
          if (!this.hasLineBreaks) this.hasLineBreaks = hasBreaks(bytes, end + 1, colon)
          at = colon
          next = VALUE
        } else if (byte === CLOSE_BRACE && next === NAME_OR_CLOSE) {
          depth -= 1
          this.#isObject.pop()
          isObject = depth > 0 && (this.#isObject[depth - 1] as boolean)
          next = AFTER_VALUE
        } else return false
      } else if (byte === CLOSE_BRACKET && next === VALUE_OR_CLOSE) {
        depth -= 1
        this.#isObject.pop()
        isObject = depth > 0 && (this.#isObject[depth - 1] as boolean)
        next = AFTER_VALUE
      } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
        if (depth === 0 && byte === OPEN_BRACKET) return false
        isObject = byte === OPEN_BRACE
        this.#isObject.push(isObject)
        depth += 1
        elements += 1
        if (depth > maxDepth || elements > maxElements) return false
        if (depth === 2) this.#openResult(isObject)
        next = isObject ? NAME_OR_CLOSE : VALUE_OR_CLOSE
      } else {
        if (depth === 0) return false
        const end = endOfScalar(bytes, at, byte, this.#plain)
        if (end === -1) return false
        at = end - 1
        next = AFTER_VALUE
      }
    }
    return depth === 0 && next === AFTER_VALUE && !this.#hasEscapedNames
  }

  #openMember(depth: number, nameStart: number, nameEnd: number, start: number): void {
    this.#nameStart[depth] = nameStart
    this.#nameEnd[depth] = nameEnd
    this.#start[depth] = start
    if (depth > 1) return
    if (isResult(this.#bytes, nameStart, nameEnd)) this.result = undefined
    else if (this.#bytes.subarray(nameStart, nameEnd).includes(BACKSLASH)) this.#hasEscapedNames = true
  }

  /** An object or an array that stands in the message itself. */
  #openResult(isObject: boolean): void {
    this.#isInResult = isObject && isResult(this.#bytes, this.#nameStart[1] as number, this.#nameEnd[1] as number)
    if (this.#isInResult) this.result = []
  }

  /** `at` is what follows the value, after spaces. */
  #closeMember(depth: number, at: number): void {
    const members = depth === 1 ? this.members : this.#isInResult ? this.result : undefined
    if (members === undefined) return
    let end = at
    while ((this.#bytes[end - 1] as number) <= SPACE) end -= 1
    const nameStart = this.#nameStart[depth] as number
    const nameEnd = this.#nameEnd[depth] as number
    members.push({ nameStart, nameEnd, start: this.#start[depth] as number, end })
  }
}

const RESULT = new TextEncoder().encode('"result"')

function isResult(bytes: Uint8Array, start: number, end: number): boolean {
  if (end - start !== RESULT.length) return false
  for (let at = 0; at < RESULT.length; at++) if (bytes[start + at] !== RESULT[at]) return false
  return true
}

function skipSpace(bytes: Uint8Array, from: number): number {
  let at = from
  for (let byte = bytes[at]; byte === SPACE || byte === NEWLINE || byte === TAB || byte === CARRIAGE_RETURN; ) {
    at += 1
    byte = bytes[at]
  }
  return at
}

function hasBreaks(bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (bytes[at] === NEWLINE || bytes[at] === CARRIAGE_RETURN) return true
  return false
}

/** The index of the closing quote of the string that opens at `start`; -1 for what is no string. */
function endOfString(bytes: Uint8Array, start: number, plain: PlainText): number {
  const { length } = bytes
  for (let at = plain.endFrom(start + 1); at < length; at = plain.endFrom(at + 1)) {
    const byte = bytes[at] as number
    if (byte === QUOTE) return at
    if (byte !== BACKSLASH) return -1
    at += 1
    const escaped = bytes[at]
    if (escaped === 0x75) {
      for (let digit = 1; digit <= 4; digit++) if (!isHex(bytes[at + digit])) return -1
      at += 4
    } else if (escaped === undefined || !ESCAPES.has(escaped)) return -1
  }
  return -1
}

const ESCAPES: ReadonlySet<number> = new Set([...'"\\/bfnrt'].map((character) => character.charCodeAt(0)))

function isHex(byte: number | undefined): boolean {
  if (byte === undefined) return false
  const lower = byte | 0x20
  return (byte >= ZERO && byte <= NINE) || (lower >= 0x61 && lower <= 0x66)
}

/** The index after a string, a number or a word; -1 for what is none. */
function endOfScalar(bytes: Uint8Array, start: number, first: number, plain: PlainText): number {
  if (first === QUOTE) {
    const end = endOfString(bytes, start, plain)
    return end === -1 ? -1 : end + 1
  }
  if (first === MINUS || (first >= ZERO && first <= NINE)) return endOfNumber(bytes, start)
  const word = WORDS.get(first)
  if (word === undefined) return -1
  for (let at = 0; at < word.length; at++) if (bytes[start + at] !== word[at]) return -1
  return start + word.length
}

const WORDS: ReadonlyMap<number, Uint8Array> = new Map(
  ['true', 'false', 'null'].map((word) => [word.charCodeAt(0), new TextEncoder().encode(word)]),
)

function endOfNumber(bytes: Uint8Array, start: number): number {
  let at = bytes[start] === MINUS ? start + 1 : start
  if (bytes[at] === ZERO) at += 1
  else {
    const end = endOfDigits(bytes, at)
    if (end === at) return -1
    at = end
  }
  if (bytes[at] === 0x2e) {
    const end = endOfDigits(bytes, at + 1)
    if (end === at + 1) return -1
    at = end
  }
  if (((bytes[at] ?? 0) | 0x20) !== 0x65) return at
  at += bytes[at + 1] === MINUS || bytes[at + 1] === 0x2b ? 2 : 1
  const end = endOfDigits(bytes, at)
  return end === at ? -1 : end
}

function endOfDigits(bytes: Uint8Array, start: number): number {
  let at = start
  for (let byte = bytes[at]; byte !== undefined && byte >= ZERO && byte <= NINE; byte = bytes[at]) at += 1
  return at
}
