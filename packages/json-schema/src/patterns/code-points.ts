// Sets of characters as sorted ranges: what the analysis of patterns compares.
import { lazily } from '../engine/lazily.ts'

/** Ranges of code points, both ends included, sorted and apart from each other. */
export type CodePoints = readonly (readonly [number, number])[]

const LAST = 0x10ffff
const LAST_ASCII = 0x7f

export const ANY: CodePoints = [[0, LAST]]

const DIGIT = '09'
const WORD = '09AZ__az'
const SPACE = '\t\r  \u00a0\u00a0\u1680\u1680\u2000\u200a\u2028\u2029\u202f\u202f\u205f\u205f\u3000\u3000\ufeff\ufeff'
const LINE_END = '\n\n\r\r\u2028\u2029'

/** What `.` matches. */
export const notLineEnd: () => CodePoints = lazily(() => complement(rangesOf(LINE_END)))

const classEscapes: () => ReadonlyMap<string, CodePoints> = lazily(
  () =>
    new Map([
      ['d', rangesOf(DIGIT)],
      ['D', complement(rangesOf(DIGIT))],
      ['w', rangesOf(WORD)],
      ['W', complement(rangesOf(WORD))],
      ['s', rangesOf(SPACE)],
      ['S', complement(rangesOf(SPACE))],
    ]),
)

/** The set behind `\d`, `\w`, `\s` and their opposites. */
export function classEscape(letter: string): CodePoints | undefined {
  return classEscapes().get(letter)
}

export function single(codePoint: number): CodePoints {
  return [[codePoint, codePoint]]
}

/** Sorts ranges and joins those that touch. */
export function union(ranges: CodePoints): CodePoints {
  const joined: [number, number][] = []
  for (const [from, to] of ranges.toSorted(([a], [b]) => a - b)) {
    const last = joined.at(-1)
    if (last !== undefined && from <= last[1] + 1) last[1] = Math.max(last[1], to)
    else joined.push([from, to])
  }
  return joined
}

export function complement(set: CodePoints): CodePoints {
  const gaps: [number, number][] = []
  let next = 0
  for (const [from, to] of set) {
    if (from > next) gaps.push([next, from - 1])
    next = to + 1
  }
  if (next <= LAST) gaps.push([next, LAST])
  return gaps
}

/** Whether some character is in both sets. */
export function overlap(a: CodePoints, b: CodePoints): boolean {
  let i = 0
  let j = 0
  for (;;) {
    const left = a[i]
    const right = b[j]
    if (left === undefined || right === undefined) return false
    if (left[1] < right[0]) i += 1
    else if (right[1] < left[0]) j += 1
    else return true
  }
}

const ALL_OF_ASCII = Array.from({ length: LAST_ASCII + 1 }, (_, code) => String.fromCharCode(code)).join('')

// Letters of all alphabets take V8 some time, and schemas use the same few.
const MAX_KNOWN_PROPERTIES = 64
const knownProperties = new Map<string, CodePoints>()

/** A Unicode property, exact for ASCII and taken to be everything beyond, which errs on the safe side. */
export function unicodeProperty(propertyEscape: string): CodePoints {
  const known = knownProperties.get(propertyEscape)
  if (known !== undefined) return known
  const ascii = Array.from(ALL_OF_ASCII.matchAll(new RegExp(propertyEscape, 'gu')), ({ index }) => single(index)).flat()
  const set = union([...ascii, [LAST_ASCII + 1, LAST]])
  if (knownProperties.size < MAX_KNOWN_PROPERTIES) knownProperties.set(propertyEscape, set)
  return set
}

function rangesOf(ends: string): CodePoints {
  const codes = [...ends].map((character) => character.codePointAt(0) ?? 0)
  return union(codes.flatMap((code, index) => (index % 2 === 0 ? [[code, codes[index + 1] ?? code]] : [])))
}
