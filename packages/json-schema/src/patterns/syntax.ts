// Reads a regular expression into a tree, as far as the analysis of its running time needs to know it.
// The source has been accepted by the engine before, so syntax errors need no care here.
import {
  ANY,
  type CodePoints,
  classEscape,
  complement,
  notLineEnd,
  single,
  unicodeProperty,
  union,
} from './code-points.ts'

export type PatternTree =
  | { readonly kind: 'set'; readonly set: CodePoints }
  | { readonly kind: 'sequence'; readonly parts: readonly PatternTree[] }
  | { readonly kind: 'choice'; readonly options: readonly PatternTree[] }
  | { readonly kind: 'repeat'; readonly body: PatternTree; readonly min: number; readonly max: number }
  | { readonly kind: 'assertion'; readonly isStart: boolean }
  | { readonly kind: 'lookaround'; readonly body: PatternTree }
  | { readonly kind: 'backreference' }

/** The pattern cannot be analysed; the message completes `the pattern …`. */
export class UnsafePattern extends Error {}

const MAX_GROUP_DEPTH = 40

export function parsePattern(source: string): PatternTree {
  return new PatternParser(source).parse()
}

class PatternParser {
  readonly #source: string
  #at = 0
  #depth = 0

  constructor(source: string) {
    this.#source = source
  }

  parse(): PatternTree {
    const options: PatternTree[] = []
    do options.push(this.#sequence())
    while (this.#take('|'))
    return options.length === 1 ? (options[0] as PatternTree) : { kind: 'choice', options }
  }

  #sequence(): PatternTree {
    const parts: PatternTree[] = []
    while (this.#at < this.#source.length && !this.#sees('|') && !this.#sees(')')) parts.push(this.#term())
    return { kind: 'sequence', parts }
  }

  #term(): PatternTree {
    const body = this.#atom()
    const quantifier = /(?:[*+?]|\{(\d+)(?:(,)(\d*))?\})\??/y
    quantifier.lastIndex = this.#at
    const match = quantifier.exec(this.#source)
    if (match === null) return body
    this.#at = quantifier.lastIndex
    return { kind: 'repeat', body, ...bounds(match) }
  }

  #atom(): PatternTree {
    if (this.#take('(')) return this.#group()
    if (this.#take('[')) return { kind: 'set', set: this.#characterClass() }
    if (this.#take('^')) return { kind: 'assertion', isStart: true }
    if (this.#take('$')) return { kind: 'assertion', isStart: false }
    if (this.#take('.')) return { kind: 'set', set: notLineEnd() }
    if (this.#take('\\')) return this.#escape()
    return { kind: 'set', set: single(this.#codePoint()) }
  }

  #group(): PatternTree {
    this.#depth += 1
    if (this.#depth > MAX_GROUP_DEPTH) throw new UnsafePattern('has too many groups inside groups')
    const isLookaround = /\?<?[=!]/y
    isLookaround.lastIndex = this.#at
    const prefix = /\?(?:<?[=!]|:|<[^>]*>)/y
    prefix.lastIndex = this.#at
    const looks = isLookaround.test(this.#source)
    if (prefix.test(this.#source)) this.#at = prefix.lastIndex
    else if (this.#sees('?')) throw new UnsafePattern('uses flags inside a group, which cannot be analysed')
    const body = this.parse()
    this.#take(')')
    this.#depth -= 1
    return looks ? { kind: 'lookaround', body } : body
  }

  #escape(): PatternTree {
    const next = this.#source[this.#at] ?? ''
    if (next === 'b' || next === 'B') {
      this.#at += 1
      return { kind: 'assertion', isStart: false }
    }
    if (next === 'k' || /[1-9]/.test(next)) {
      const name = /k<[^>]*>|\d+|k/y
      name.lastIndex = this.#at
      name.test(this.#source)
      this.#at = name.lastIndex
      return { kind: 'backreference' }
    }
    return { kind: 'set', set: this.#escapedSet() }
  }

  #characterClass(): CodePoints {
    const isNegated = this.#take('^')
    const ranges: (readonly [number, number])[] = []
    while (this.#at < this.#source.length && !this.#take(']')) {
      const from = this.#classAtom()
      const isRange = this.#sees('-') && !this.#source.startsWith('-]', this.#at) && isSingle(from)
      if (!isRange) {
        ranges.push(...from)
        continue
      }
      this.#at += 1
      const to = this.#classAtom()
      ranges.push([from[0]?.[0] ?? 0, to.at(-1)?.[1] ?? 0])
    }
    return isNegated ? complement(union(ranges)) : union(ranges)
  }

  #classAtom(): CodePoints {
    if (!this.#take('\\')) return single(this.#codePoint())
    if (this.#take('b')) return single(0x08)
    return this.#escapedSet()
  }

  #escapedSet(): CodePoints {
    const longEscape =
      /[pP]\{[^}]*\}|u\{([0-9a-fA-F]+)\}|u([dD][89abAB]..)\\u([dD][c-fC-F]..)|u([0-9a-fA-F]{4})|x(..)|c([A-Za-z])/y
    longEscape.lastIndex = this.#at
    const match = longEscape.exec(this.#source)
    if (match === null) return this.#shortEscape()
    this.#at = longEscape.lastIndex
    const [text, braced, high, low, four, two, control] = match
    if (text[0] === 'p' || text[0] === 'P') return unicodeProperty(`\\${text}`)
    if (control !== undefined) return single(control.charCodeAt(0) % 32)
    if (high !== undefined && low !== undefined) {
      return single(String.fromCharCode(hex(high), hex(low)).codePointAt(0) ?? 0)
    }
    return single(hex(braced ?? four ?? two ?? '0'))
  }

  #shortEscape(): CodePoints {
    const codePoint = this.#codePoint()
    const letter = String.fromCodePoint(codePoint)
    const named = CONTROL_ESCAPES.get(letter)
    return classEscape(letter) ?? single(named ?? codePoint)
  }

  #codePoint(): number {
    const codePoint = this.#source.codePointAt(this.#at) ?? 0
    this.#at += codePoint > 0xffff ? 2 : 1
    return codePoint
  }

  #sees(character: string): boolean {
    return this.#source[this.#at] === character
  }

  #take(character: string): boolean {
    if (!this.#sees(character)) return false
    this.#at += 1
    return true
  }
}

const CONTROL_ESCAPES: ReadonlyMap<string, number> = new Map([
  ['t', 0x09],
  ['n', 0x0a],
  ['v', 0x0b],
  ['f', 0x0c],
  ['r', 0x0d],
  ['0', 0x00],
])

function bounds([text, min, comma, max]: RegExpExecArray): { min: number; max: number } {
  if (text.startsWith('*')) return { min: 0, max: Number.POSITIVE_INFINITY }
  if (text.startsWith('+')) return { min: 1, max: Number.POSITIVE_INFINITY }
  if (text.startsWith('?')) return { min: 0, max: 1 }
  if (comma === undefined) return { min: Number(min), max: Number(min) }
  return { min: Number(min), max: max === '' || max === undefined ? Number.POSITIVE_INFINITY : Number(max) }
}

function isSingle(set: CodePoints): boolean {
  return set.length === 1 && set[0]?.[0] === set[0]?.[1]
}

function hex(digits: string): number {
  return Number.parseInt(digits, 16)
}

/** A tree that stands for any text at all. */
export const ANY_TEXT: PatternTree = {
  kind: 'repeat',
  body: { kind: 'set', set: ANY },
  min: 0,
  max: Number.POSITIVE_INFINITY,
}
