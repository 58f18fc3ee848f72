// Regular expressions of schemas, kept from blocking the process: rejected, bounded, or fine as they are.
import { LimitError, SchemaError } from '../engine/errors.ts'
import { quote } from '../engine/issue.ts'
import type { Run } from '../engine/run.ts'
import type { Budget } from '../engine/steps.ts'
import { TURN } from '../engine/steps.ts'
import type { Effort } from './automaton.ts'
import { type Cost, costOf } from './safety.ts'
import { MAX_PATTERN_LENGTH, sizeOf } from './size.ts'
import { parsePattern, UnsafePattern } from './syntax.ts'

const NEEDLESS_ESCAPE = /[-_!"#%&',:;<=>@`~ ]/
const CLASS_ESCAPE = /[dDwWsS]/

/** The same pattern without needless backslashes, and with one before a hyphen that makes no range. */
function tidyEscapes(source: string): string {
  let tidied = ''
  let isInClass = false
  let isAfterClassEscape = false
  for (let at = 0; at < source.length; at++) {
    const character = source[at] as string
    if (character === '\\') {
      const next = source[at + 1] ?? ''
      at += 1
      tidied += NEEDLESS_ESCAPE.test(next) && !(isInClass && next === '-') ? next : `\\${next}`
      isAfterClassEscape = CLASS_ESCAPE.test(next)
      continue
    }
    const isHyphenBesideClass =
      isInClass && character === '-' && (isAfterClassEscape || isClassEscapeAt(source, at + 1))
    tidied += isHyphenBesideClass ? '\\-' : character
    if (character === '[') isInClass = true
    if (character === ']') isInClass = false
    isAfterClassEscape = false
  }
  return tidied
}

function isClassEscapeAt(source: string, at: number): boolean {
  return source[at] === '\\' && CLASS_ESCAPE.test(source[at + 1] ?? '')
}

/** Something that matches text; a `RegExp` is one. */
export interface TextPattern {
  /** Returns whether the text fits the pattern. */
  test(text: string): boolean
}

/** Creates the matcher of a pattern. Its author is responsible for its running time. */
export type CreatePattern = (source: string) => TextPattern

/** A pattern that pays for its work and rejects texts that would take too long. */
export interface GuardedPattern {
  matches(text: string, run: Run): boolean
}

// About 50 ms of the engine's slowest mode, in which a pattern runs at first.
const MAX_WORK = 8_000_000
// What a comparison costs in that mode, and in the one that follows.
const FIRST_STEPS_PER_WORK = 0.6
const STEPS_PER_WORK = 0.2
// How often the engine compiles a pattern: for either mode, and for texts of narrow and of wide characters.
const COMPILATIONS = 4
// A pattern that is only safe for shorter texts than this is of no use.
const MIN_TEXT_LENGTH = 40
// The engine's backtracking stack overflows somewhere above this.
const MAX_TEXT_LENGTH = 4 << 20
/** To start the engine. */
const MATCH_STEPS = 10
/** A pattern of the caller's, per character. */
const TRUSTED_STEPS = 0.1
/** Positions, edges and comparisons that the patterns of one schema may cost: some 20 ms. */
const EFFORT_PER_SCHEMA = 1_000_000
const STEPS_PER_EFFORT = 3
/** To analyse a pattern that is not plain, however short it is. */
const ANALYSIS_STEPS = 15_000
const OVERLAPS = 'has too many overlapping parts'

/** The patterns of one schema, each analysed once. */
export class PatternSource {
  readonly #create: CreatePattern | undefined
  readonly #known = new Map<string, GuardedPattern>()
  readonly #effort: Effort = { left: EFFORT_PER_SCHEMA }

  readonly #budget: Budget

  constructor(create: CreatePattern | undefined, budget: Budget) {
    this.#create = create
    this.#budget = budget
  }

  /** Throws `SchemaError` for a pattern that is malformed or not safe to run. */
  get(source: string, schemaPath: string): GuardedPattern {
    const known = this.#known.get(source)
    if (known !== undefined) return known
    if (source.length > MAX_PATTERN_LENGTH) throw unsafePattern(source, schemaPath, 'is too long')
    const create = this.#create
    const pattern =
      create === undefined ? this.#guard(source, schemaPath) : trust(() => create(source), source, schemaPath)
    this.#known.set(source, pattern)
    return pattern
  }

  #guard(source: string, schemaPath: string): GuardedPattern {
    const size = sizeOf(source)
    this.#budget.spend(size.toRead)
    const pattern = createOrReject(() => createRegExp(source), source, schemaPath)
    const cost = this.#costOf(pattern.source, schemaPath)
    const workFor = createEstimate(cost)
    let compilations = COMPILATIONS
    const maxLength = maxLengthFor(cost)
    if (maxLength < MIN_TEXT_LENGTH) throw unsafePattern(source, schemaPath, OVERLAPS)
    return {
      matches(text, run) {
        if (text.length > maxLength) throw new LimitError('length of a text with a pattern', maxLength)
        const work = workFor(text.length)
        if (compilations > 0) {
          compilations -= 1
          run.spend(TURN + size.toCompile + Math.ceil(work * FIRST_STEPS_PER_WORK))
        } else {
          run.spend(TURN + MATCH_STEPS + Math.ceil(work * STEPS_PER_WORK))
        }
        return pattern.test(text)
      },
    }
  }

  #costOf(source: string, schemaPath: string): Cost {
    const before = this.#effort.left
    try {
      return costOf(parsePattern(source), this.#effort)
    } catch (error) {
      if (error instanceof UnsafePattern) throw unsafePattern(source, schemaPath, error.message)
      throw error
    } finally {
      const effort = before - this.#effort.left
      if (effort > 0) this.#budget.spend(ANALYSIS_STEPS + effort * STEPS_PER_EFFORT)
    }
  }
}

/** Why a text can make this pattern block the process; `undefined` where none can, and for what is no pattern of JSON Schema. */
export function dangerOf(source: string): string | undefined {
  try {
    const cost = costOf(parsePattern(createRegExp(source).source), { left: EFFORT_PER_SCHEMA })
    return maxLengthFor(cost) < MIN_TEXT_LENGTH ? OVERLAPS : undefined
  } catch (error) {
    return error instanceof UnsafePattern ? error.message : undefined
  }
}

/** JSON Schema Core 6.4 asks for Unicode mode, in which many existing patterns have a backslash too many. */
function createRegExp(source: string): RegExp {
  try {
    return new RegExp(source, 'u')
  } catch (error) {
    const tidied = tidyEscapes(source)
    if (tidied === source) throw error
    return new RegExp(tidied, 'u')
  }
}

function trust(create: () => TextPattern, source: string, schemaPath: string): GuardedPattern {
  const pattern = createOrReject(create, source, schemaPath)
  return {
    matches(text, run) {
      run.spend(TURN + MATCH_STEPS + Math.ceil(text.length * TRUSTED_STEPS))
      return pattern.test(text)
    },
  }
}

function createOrReject<Pattern>(create: () => Pattern, source: string, schemaPath: string): Pattern {
  try {
    return create()
  } catch (cause) {
    throw new SchemaError(`the pattern ${quote(source)} is not a valid regular expression`, schemaPath, { cause })
  }
}

function unsafePattern(source: string, schemaPath: string, reason: string): SchemaError {
  const advice = 'simplify it, or give the option "regexp" a linear-time engine such as re2js'
  return new SchemaError(`the pattern ${quote(source)} ${reason}; ${advice}`, schemaPath)
}

/** Nested choices of places in a text of length n: n over (degree + 1), times the spread. */
function createEstimate({ degree, spread }: Cost): (length: number) => number {
  if (degree < 0) return () => spread
  if (degree === 0) return (length) => spread * length
  const factor = spread / factorial(degree + 1)
  return (length) => factor * length ** (degree + 1)
}

function maxLengthFor({ degree, spread }: Cost): number {
  const length = Math.floor(((MAX_WORK / spread) * factorial(degree + 1)) ** (1 / (degree + 1)))
  return Math.min(length, MAX_TEXT_LENGTH)
}

function factorial(n: number): number {
  return n <= 1 ? 1 : n * factorial(n - 1)
}
