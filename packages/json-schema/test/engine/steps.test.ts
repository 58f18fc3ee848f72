// The budget of schemas: a bound on steps that is a bound on time, because all work is paid for.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { countReads } from '../../../../test/support/counted-reads.ts'
import { cpuMilliseconds } from '../../../../test/support/cpu-time.ts'
import { type CompileOptions, compileJsonSchema, compileRoot } from '../../src/compile.ts'
import { LimitError } from '../../src/engine/errors.ts'
import type { JSONSchemaObject } from '../../src/engine/json-schema.ts'
import { DEFAULT_SCHEMA_LIMITS, resolveLimits } from '../../src/engine/limits.ts'
import { Run } from '../../src/engine/run.ts'
import { Budget } from '../../src/engine/steps.ts'
import { COSTLY_FORMATS, COSTLY_SCHEMAS, COSTLY_VALUES, type CostlyCase } from './costly-cases.ts'

interface Spending {
  readonly compiling: number
  readonly validating: number
  /** Whether a limit was reached. */
  readonly isRejected: boolean
}

/** What `compileJsonSchema(schema).validate(value)` does, with its steps. */
function spend(schema: JSONSchemaObject, value: unknown, options: CompileOptions = {}): Spending {
  const limits = resolveLimits(options.limits)
  const budget = new Budget(limits.maxCompilationSteps)
  const run = new Run(limits)
  let isRejected = false
  try {
    const root = compileRoot(schema, options, limits, budget)
    run.start()
    if (!root.check(value, run, undefined)) {
      run.startExplaining()
      root.check(value, run, undefined)
      run.takeIssues()
    }
  } catch (error) {
    if (!(error instanceof LimitError)) throw error
    isRejected = true
  }
  return { compiling: budget.spent, validating: run.steps, isRejected }
}

const name = fc.constantFrom('a', 'b', 'c', 'dd')
const text = fc.constantFrom('', 'a', 'bb', 'x'.repeat(300))
const simple = fc.oneof(text, fc.integer({ min: -3, max: 3 }), fc.constantFrom(null, true, 0.5, 1e300))
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 2 },
    simple,
    fc.array(tie('value'), { maxLength: 20 }),
    fc.dictionary(fc.oneof(name, fc.nat(60).map(String)), tie('value'), { maxKeys: 20 }),
  ),
}))
/** Long enough that a loop which nobody pays for stands out. */
const broad = fc.oneof(
  value,
  fc.array(simple, { minLength: 50, maxLength: 200, size: 'max' }),
  fc.dictionary(fc.nat(300).map(String), simple, { minKeys: 50, maxKeys: 200, size: 'max' }),
)
const { schema } = fc.letrec<{ schema: unknown }>((tie) => {
  const inner = tie('schema')
  const list = fc.array(inner, { minLength: 1, maxLength: 5 })
  const names = fc.uniqueArray(name)
  const map = fc.dictionary(name, inner, { maxKeys: 4 })
  const keywords: Record<string, fc.Arbitrary<unknown>> = {
    type: fc.constantFrom('array', 'object', ['array', 'object', 'number'], 'string'),
    enum: fc.array(value, { minLength: 1, maxLength: 10 }),
    const: value,
    uniqueItems: fc.boolean(),
    items: inner,
    prefixItems: list,
    contains: inner,
    minContains: fc.nat(4),
    maxContains: fc.nat(4),
    unevaluatedItems: inner,
    required: names,
    properties: map,
    patternProperties: fc.dictionary(fc.constantFrom('a', '^b', '.*', '[a-c]+$'), inner),
    additionalProperties: inner,
    propertyNames: inner,
    unevaluatedProperties: inner,
    minProperties: fc.nat(4),
    dependentRequired: fc.dictionary(name, names),
    dependentSchemas: map,
    allOf: list,
    anyOf: list,
    oneOf: list,
    not: inner,
    if: inner,
    // biome-ignore lint/suspicious/noThenProperty: a keyword
    then: inner,
    else: inner,
    $ref: fc.constant('#/$defs/shared'),
    minLength: fc.nat(400),
    pattern: fc.constantFrom('a', '^x*$', '[a-z]+b'),
    multipleOf: fc.constantFrom(1, 0.1, 1e-300),
  }
  const one = Object.entries(keywords).map(([keyword, made]) => made.map((content) => [keyword, content] as const))
  const some = fc.array(fc.oneof(...one), { maxLength: 3 }).map((entries) => Object.fromEntries(entries))
  return { schema: fc.oneof({ maxDepth: 3 }, fc.boolean(), some) }
})
const rooted = fc
  .tuple(schema, schema)
  .map(([root, shared]) => ({ allOf: [root], $defs: { shared: withoutReferences(shared) } }) as JSONSchemaObject)

/** What others refer to refers to nothing, so that nothing goes round. */
function withoutReferences(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(withoutReferences)
  if (typeof part !== 'object' || part === null) return part
  const entries = Object.entries(part).filter(([key]) => key !== '$ref')
  return Object.fromEntries(entries.map(([key, member]) => [key, withoutReferences(member)]))
}

describe('F193 every step of a validation is paid for', () => {
  it('F193 no schema looks at more of a value than its steps say, whatever the schema and the value', () => {
    fc.assert(
      fc.property(rooted, broad, (generated, instance) => {
        const counter = { reads: 0 }
        const { validating } = spend(generated, countReads(instance, counter))
        // What is asked of a value whatever it is, as its length, comes with the price of the schema.
        expect(counter.reads).toBeLessThanOrEqual(validating + 10)
      }),
      { seed: 193, numRuns: 3_000 },
    )
  })

  it('F193 the same work takes the same steps, and one step less is rejected', () => {
    fc.assert(
      fc.property(rooted, value, (generated, instance) => {
        const { validating, compiling } = spend(generated, instance)
        fc.pre(validating > 1)
        const limits = { maxValidationSteps: validating, maxCompilationSteps: compiling }
        compileJsonSchema(generated, { limits }).validate(instance)
        const stingy = compileJsonSchema(generated, {
          limits: { ...limits, maxValidationSteps: validating * 0.999 - 1 },
        })
        expect(() => stingy.validate(instance)).toThrow(LimitError)
        const less = { ...limits, maxCompilationSteps: compiling - 1 }
        expect(() => compileJsonSchema(generated, { limits: less })).toThrow(LimitError)
      }),
      { seed: 194, numRuns: 500 },
    )
  })

  it.each<[string, JSONSchemaObject, (text: string) => unknown]>([
    ['uniqueItems', { uniqueItems: true }, (long) => [long, `${long.slice(1)}y`]],
    ['uniqueItems of objects', { uniqueItems: true }, (long) => [{ a: long }, { a: 1 }]],
    ['uniqueItems by names', { uniqueItems: true }, (long) => [{ [long]: 1 }, { a: 1 }]],
    ['enum of objects', { not: { enum: [{ a: 'b' }] } }, (long) => ({ a: long })],
    ['const', { not: { const: `${'x'.repeat(99_999)}y` } }, (long) => long],
    ['pattern', { pattern: '^x*$' }, (long) => long],
    ['format', { format: 'uri-reference' }, (long) => long],
    ['minLength', { minLength: 60_000 }, (long) => long],
  ])('F193 each character that %s looks at is paid for', (_, keyword, instance) => {
    const short = spend(keyword, instance('x'), { formats: 'assert' })
    const long = spend(keyword, instance('x'.repeat(100_000)), { formats: 'assert' })
    expect(long.validating - short.validating).toBeGreaterThanOrEqual(100_000 / 150)
  })
})

/** Many looks into a table, which is what validations are made of. */
function referenceLoop(turns: number): number {
  const table = new Map(Array.from({ length: 1_024 }, (_, index) => [`name${index}`, index]))
  const names = [...table.keys()]
  let sum = 0
  for (let turn = 0; turn < turns; turn++) sum += table.get(names[(turn * 7) & 1_023] as string) ?? 0
  return sum
}

const REFERENCE_TURNS = 2_000_000
// A turn of the reference takes about as long as a step may: with ten million of them, 100 ms. What is more costly than
// two and a half turns would break the promise of 250 ms.
const MAX_TURNS_PER_STEP = 2.5
const ATTEMPTS = 6

/** What 1,000 steps cost, in turns of the reference. A busy machine slows down both; the best of a few attempts counts. */
function turnsPerStep(work: () => number): number {
  let best = Number.POSITIVE_INFINITY
  for (let attempt = 0; attempt < ATTEMPTS && best > MAX_TURNS_PER_STEP; attempt++) {
    const turnMs = cpuMilliseconds(() => referenceLoop(REFERENCE_TURNS)) / REFERENCE_TURNS
    let steps = 0
    const ms = cpuMilliseconds(() => {
      steps = work()
    })
    // What takes less than a tenth of the budget is no attack; the first use of a function costs more than that.
    const leastSteps = DEFAULT_SCHEMA_LIMITS.maxValidationSteps / 10
    best = Math.min(best, ms / Math.max(steps, leastSteps) / turnMs)
  }
  return best
}

describe('F193 a step is a bound on time: 1,000 of them against a reference loop', () => {
  it.each(COSTLY_VALUES)('F193 $name', ({ schema: make, value: makeValue }) => {
    expectBounded({ make, makeValue, options: {} })
  })

  it.each(COSTLY_FORMATS)('F193 $name', ({ schema: make, value: makeValue }) => {
    expectBounded({ make, makeValue, options: { formats: 'assert' } })
  })

  it.each(COSTLY_SCHEMAS)('F193 compiling $name', ({ schema: make, value: makeValue }) => {
    expectBounded({ make, makeValue, options: {} })
  })

  interface Attack {
    readonly make: CostlyCase['schema']
    readonly makeValue: CostlyCase['value']
    readonly options: CompileOptions
  }

  function expectBounded({ make, makeValue, options }: Attack): void {
    const attacking = make()
    const instance: unknown = JSON.parse(JSON.stringify(makeValue()))
    const turns = turnsPerStep(() => {
      const { compiling, validating } = spend(attacking, instance, options)
      return compiling + validating
    })
    expect(turns).toBeLessThanOrEqual(MAX_TURNS_PER_STEP)
  }
})
