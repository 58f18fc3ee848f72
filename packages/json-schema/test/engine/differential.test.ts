// Implementations that share no code must agree: ours, Ajv, and for `unevaluated…`, where Ajv errs, a few plain lines.
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { compileJsonSchema } from '../../src/compile.ts'

const key = fc.constantFrom('a', 'b', 'c')
const primitive = fc.constantFrom<unknown>('x', 'yy', 0, 1, 2.5, true, null)
const size = fc.integer({ min: 0, max: 3 })

const { schema } = fc.letrec<{ schema: Record<string, unknown> | boolean }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 2, withCrossShrink: true },
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

interface Open {
  properties?: Record<string, true>
  required?: string[]
  allOf?: Open[]
  anyOf?: Open[]
  oneOf?: Open[]
  not?: Open
  if?: Open
  then?: Open
  else?: Open
  dependentSchemas?: Record<string, Open>
  unevaluatedProperties?: false
}

/** The specification read aloud: the evaluated members, or `undefined` where the value does not fit. */
function evaluated(tested: Open, object: object): Set<string> | undefined {
  const names = Object.keys(object)
  const seen = new Set(names.filter((name) => name in (tested.properties ?? {})))
  const apply = (schemas: Open[] = []) => schemas.map((part) => evaluated(part, object))
  const take = (outcomes: (Set<string> | undefined)[]) => {
    for (const outcome of outcomes) for (const name of outcome ?? []) seen.add(name)
    return outcomes.filter((outcome) => outcome !== undefined).length
  }
  if (tested.required?.some((name) => !names.includes(name))) return undefined
  if (take(apply(tested.allOf)) !== (tested.allOf?.length ?? 0)) return undefined
  if (tested.anyOf !== undefined && take(apply(tested.anyOf)) === 0) return undefined
  if (tested.oneOf !== undefined && take(apply(tested.oneOf)) !== 1) return undefined
  if (tested.not !== undefined && evaluated(tested.not, object) !== undefined) return undefined
  if (tested.if !== undefined) {
    const branch = take(apply([tested.if])) === 1 ? tested.then : tested.else
    if (branch !== undefined && take(apply([branch])) === 0) return undefined
  }
  const dependent = Object.entries(tested.dependentSchemas ?? {}).filter(([name]) => names.includes(name))
  if (take(apply(dependent.map(([, part]) => part))) !== dependent.length) return undefined
  return tested.unevaluatedProperties === false && names.some((name) => !seen.has(name)) ? undefined : seen
}

const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: false })

/** Compares our outcome with another's; the number of values that fit. */
function compare(tested: object | boolean, values: readonly unknown[], fits: (value: unknown) => boolean): number {
  const { check, validate } = compileJsonSchema(tested)
  for (const candidate of values) {
    const expected = fits(candidate)
    expect({ tested, candidate, fits: check(candidate) }).toEqual({ tested, candidate, fits: expected })
    expect(validate(candidate).length === 0).toBe(expected)
  }
  return values.filter(fits).length
}

it('agrees with Ajv on any schema', () => {
  let fitting = 0
  fc.assert(
    fc.property(fc.oneof(schema, sparse), fc.array(value, { minLength: 8, maxLength: 8 }), (tested, values) => {
      const validate = ajv.compile(tested)
      fitting += compare(tested, values, (candidate) => validate(candidate))
    }),
    { seed: 7, numRuns: 60 },
  )
  expect(fitting).toBeGreaterThan(100)
})

it('agrees with the specification on what is left unevaluated', () => {
  let fitting = 0
  fc.assert(
    fc.property(closed, fc.array(members, { minLength: 8, maxLength: 8 }), (tested, values) => {
      fitting += compare(tested, values, (candidate) => evaluated(tested as Open, candidate as object) !== undefined)
    }),
    { seed: 8, numRuns: 500 },
  )
  expect(fitting).toBeGreaterThan(200)
})
