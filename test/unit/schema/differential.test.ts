// Two engines that share no code must agree: ours and Ajv, on random schemas and values.
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { compileSchema } from '../../../src/schema/compile.ts'

const key = fc.constantFrom('a', 'b', 'c')
const primitive = fc.constantFrom<unknown>('x', 'yy', 0, 1, 2.5, true, null)
const size = fc.integer({ min: 0, max: 3 })

const { schema } = fc.letrec<{ schema: Record<string, unknown> | boolean }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.boolean(),
    fc.record(
      {
        type: fc.constantFrom<unknown>('string', 'number', 'object', 'array', ['integer', 'null'], 'boolean'),
        enum: fc.uniqueArray(primitive, { minLength: 1, maxLength: 3 }),
        minLength: size,
        maximum: size,
        required: fc.uniqueArray(key, { maxLength: 2 }),
        maxProperties: size,
        uniqueItems: fc.boolean(),
        properties: fc.dictionary(key, tie('schema'), { maxKeys: 3 }),
        patternProperties: fc.dictionary(fc.constantFrom('^a', '[bc]'), tie('schema'), { maxKeys: 2 }),
        additionalProperties: tie('schema'),
        unevaluatedProperties: tie('schema'),
        dependentSchemas: fc.dictionary(key, tie('schema'), { maxKeys: 1 }),
        prefixItems: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }),
        items: tie('schema'),
        contains: tie('schema'),
        unevaluatedItems: tie('schema'),
        allOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }),
        anyOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }),
        oneOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }),
        not: tie('schema'),
        if: tie('schema'),
        // biome-ignore lint/suspicious/noThenProperty: the name of the keyword
        then: tie('schema'),
        else: tie('schema'),
      },
      { requiredKeys: [] },
    ),
  ),
}))

const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    primitive,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(key, tie('value'), { maxKeys: 3 }),
  ),
}))

/** A few keywords at a time are more likely to let values through. */
const sparse = schema.map((full) => (typeof full === 'boolean' ? full : thin(full)))

function thin(full: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(full).filter((_, index) => index % 4 === Object.keys(full).length % 4))
}

/** Schemas that pass most values on to `unevaluatedProperties`, through every keyword that applies schemas in place. */
const { open } = fc.letrec<{ open: Record<string, unknown> }>((tie) => ({
  open: fc.oneof(
    { maxDepth: 3 },
    fc.record({ properties: fc.dictionary(key, fc.constant(true), { minKeys: 1, maxKeys: 2 }) }),
    fc.record({ required: fc.tuple(key) }),
    fc.record({ allOf: fc.tuple(tie('open'), tie('open')) }),
    fc.record({ anyOf: fc.tuple(tie('open'), tie('open')) }),
    fc.record({ oneOf: fc.tuple(tie('open'), tie('open')) }),
    fc.record({ not: fc.record({ not: tie('open') }) }),
    // biome-ignore lint/suspicious/noThenProperty: the name of the keyword
    fc.record({ if: tie('open'), then: tie('open'), else: tie('open') }),
    fc.record({ dependentSchemas: fc.dictionary(key, tie('open'), { minKeys: 1, maxKeys: 2 }) }),
  ),
}))
const closed = fc.tuple(open, open).map(([a, b]) => ({ ...a, ...b, unevaluatedProperties: false }))
const members = fc.dictionary(key, fc.constant(1), { maxKeys: 3 })

const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: false })

/** Compares the engines on one schema; the number of values that fit. */
function compare(tested: Record<string, unknown> | boolean, values: readonly unknown[]): number {
  const theirs = ajv.compile(tested)
  const ours = compileSchema(tested)
  for (const candidate of values) {
    const expected = theirs(candidate)
    expect({ tested, candidate, fits: ours.check(candidate) }).toEqual({ tested, candidate, fits: expected })
    expect(ours.validate(candidate).length === 0).toBe(expected)
  }
  return values.filter((candidate) => theirs(candidate)).length
}

it.each([
  ['any schema', fc.oneof(schema, sparse), value],
  ['what others left unevaluated', closed, members],
])('agrees with Ajv on %s', (_, schemas, values) => {
  let fitting = 0
  fc.assert(
    fc.property(schemas, fc.array<unknown>(values, { minLength: 8, maxLength: 8 }), (tested, candidates) => {
      fitting += compare(tested, candidates)
    }),
    { seed: 7, numRuns: 200 },
  )
  expect(fitting).toBeGreaterThan(200)
})
