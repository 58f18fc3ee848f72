// Keywords about any value: its type, and which values are allowed at all.
import { DistinctValues, isEqual } from '../engine/equality.ts'
import { list, showValue, typeName } from '../engine/issue.ts'
import { isPlainObject } from '../engine/json-schema.ts'
import type { KeywordChecks, Site } from '../engine/keyword.ts'
import type { Check } from '../engine/node.ts'
import { ENTRY, UNMETERED } from '../engine/steps.ts'

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

export const VALUE_CHECKS: KeywordChecks = {
  type: { weigh: (value) => [value].flat().length, compile: compileType },
  enum: { weigh: () => ENTRY, compile: compileEnum },
  const: { compile: compileConst },
}

function compileType(site: Site): Check {
  const names = [...new Set([site.value].flat())]
  const expected = names.join(' or ')
  const reject = site.reject((value) => `expected ${expected}, got ${typeName(value)}`)
  const tests = names.map((name) => TYPE_TESTS.get(name)).filter((test) => test !== undefined)
  const [only] = tests
  if (only !== undefined && tests.length === 1) return (value, run) => only(value) || reject(value, run)
  return (value, run) => passesAny(tests, value) || reject(value, run)
}

function passesAny(tests: readonly TypeTest[], value: unknown): boolean {
  for (const test of tests) if (test(value)) return true
  return false
}

function compileEnum(site: Site): Check {
  const values = site.value as unknown[]
  const reject = site.reject((value) => `expected one of ${list(values)}, got ${typeName(value)}`)
  if (values.every(isSimple)) {
    const known = new Set(values)
    return (value, run) => (isSimple(value) && known.has(value)) || reject(value, run)
  }
  const known = new DistinctValues()
  for (const value of values) known.add(value, UNMETERED)
  return (value, run) => known.has(value, run) || reject(value, run)
}

/** Short texts are hashed once and for all; what is longer, or no single value, takes steps each time. */
const SHORT_TEXT = 1_000

function isSimple(value: unknown): boolean {
  return typeof value === 'string' ? value.length <= SHORT_TEXT : !isComposite(value)
}

function compileConst(site: Site): Check {
  const constant = site.value
  const reject = site.reject((value) => `expected ${showValue(constant)}, got ${typeName(value)}`)
  if (isSimple(constant)) return (value, run) => value === constant || reject(value, run)
  return (value, run) => isEqual(constant, value, run) || reject(value, run)
}

function isComposite(value: unknown): boolean {
  return typeof value === 'object' && value !== null
}
