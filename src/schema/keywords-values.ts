// Keywords about any value: its type, and which values are allowed at all.
import { canonicalText, isEqual } from './equality.ts'
import { list, showValue, typeName } from './issue.ts'
import { isPlainObject } from './json-schema.ts'
import { ANYTHING, ARRAY, type Keyword, TYPES } from './keyword.ts'
import type { Check } from './node.ts'
import type { Site } from './site.ts'

type TypeTest = (value: unknown) => boolean

const TYPE_TESTS: ReadonlyMap<unknown, TypeTest> = new Map<unknown, TypeTest>([
  ['string', (value) => typeof value === 'string'],
  // NaN and the infinities are not JSON; `1e400` parses to one of them.
  ['number', (value) => typeof value === 'number' && Number.isFinite(value)],
  ['integer', Number.isInteger],
  ['boolean', (value) => typeof value === 'boolean'],
  ['null', (value) => value === null],
  ['array', Array.isArray],
  ['object', isPlainObject],
])

export const VALUE_KEYWORDS: readonly Keyword[] = [
  { name: 'type', vocabulary: 'validation', takes: TYPES, compile: compileType },
  { name: 'enum', vocabulary: 'validation', takes: ARRAY, compile: compileEnum },
  { name: 'const', vocabulary: 'validation', takes: ANYTHING, compile: compileConst },
]

function compileType(site: Site): Check {
  const names: unknown[] = Array.isArray(site.value) ? site.value : [site.value]
  const expected = names.join(' or ')
  const refuse = site.refuse((value) => `expected ${expected}, got ${typeName(value)}`)
  const tests = names.map((name) => TYPE_TESTS.get(name)).filter((test) => test !== undefined)
  const [only] = tests
  if (only !== undefined && tests.length === 1) return (value, run) => only(value) || refuse(value, run)
  return (value, run) => passesAny(tests, value) || refuse(value, run)
}

function passesAny(tests: readonly TypeTest[], value: unknown): boolean {
  for (const test of tests) if (test(value)) return true
  return false
}

const UNMETERED = { enter() {}, leave() {} }

function compileEnum(site: Site): Check {
  const values = site.value as unknown[]
  const refuse = site.refuse((value) => `expected one of ${list(values)}, got ${typeName(value)}`)
  const primitives = new Set(values.filter((value) => !isComposite(value)))
  const composites = new Set(values.filter(isComposite).map((value) => canonicalText(value, UNMETERED)))
  if (composites.size === 0) return (value, run) => primitives.has(value) || refuse(value, run)
  return (value, run) => {
    const fits = isComposite(value) ? composites.has(canonicalText(value, run)) : primitives.has(value)
    return fits || refuse(value, run)
  }
}

// Comparing with a large constant is no single step; one per this many characters of it is.
const CHARACTERS_PER_STEP = 64

function compileConst(site: Site): Check {
  const constant = site.value
  const refuse = site.refuse((value) => `expected ${showValue(constant)}, got ${typeName(value)}`)
  if (!isComposite(constant)) return (value, run) => value === constant || refuse(value, run)
  const weight = Math.ceil(canonicalText(constant, UNMETERED).length / CHARACTERS_PER_STEP)
  return (value, run) => {
    run.spend(weight)
    return isEqual(constant, value) || refuse(value, run)
  }
}

function isComposite(value: unknown): boolean {
  return typeof value === 'object' && value !== null
}
