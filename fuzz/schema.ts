// The schema engine against two others: if those two agree, ours must agree with them.
import { Validator } from '@cfworker/json-schema'
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { compileSchema } from '../src/schema/engine.ts'
import { asProperty, demand, type FuzzTarget } from './target.ts'

const name = fc.constantFrom('a', 'b', 'c', '__proto__', 'constructor', 'é', '')
const text = fc.constantFrom('', 'a', 'ab', 'é', '😀', '1', '2020-02-30', 'x'.repeat(20))
const number = fc.constantFrom(0, -0, 1, -1, 2.5, 0.3, 1e300, 1e-7, 3)
const primitive: fc.Arbitrary<unknown> = fc.oneof(text, number, fc.constantFrom(true, false, null))
const count = fc.nat(3)

const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    primitive,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(name, tie('value'), { maxKeys: 4, noNullPrototype: true }),
  ),
}))

const { schema } = fc.letrec<{ schema: unknown }>((tie) => {
  const inner = tie('schema')
  const list = fc.array(inner, { minLength: 1, maxLength: 3 })
  const plainName = fc.constantFrom('a', 'b', 'c')
  const map = fc.dictionary(plainName, inner, { maxKeys: 3, noNullPrototype: true })
  const type = fc.constantFrom('null', 'boolean', 'object', 'array', 'number', 'integer', 'string')
  const keywords: Record<string, fc.Arbitrary<unknown>> = {
    type: fc.oneof(type, fc.uniqueArray(type, { minLength: 1, maxLength: 3 })),
    enum: fc.array(value, { minLength: 1, maxLength: 4 }),
    const: value,
    multipleOf: fc.constantFrom(1, 2, 0.5),
    maximum: number,
    exclusiveMinimum: number,
    minLength: count,
    maxLength: count,
    pattern: fc.constantFrom('^a', 'b$', '[a-c]+', '^\\p{L}*$', '(?:a|b)?1'),
    minItems: count,
    maxItems: count,
    uniqueItems: fc.boolean(),
    minProperties: count,
    maxProperties: count,
    required: fc.uniqueArray(plainName, { maxLength: 2 }),
    dependentRequired: fc.dictionary(plainName, fc.uniqueArray(plainName), { maxKeys: 2, noNullPrototype: true }),
    properties: map,
    patternProperties: fc.dictionary(fc.constantFrom('^a', 'b', '.'), inner, { maxKeys: 2, noNullPrototype: true }),
    additionalProperties: inner,
    propertyNames: inner,
    dependentSchemas: map,
    prefixItems: list,
    items: inner,
    contains: inner,
    allOf: list,
    anyOf: list,
    oneOf: list,
    not: inner,
    if: inner,
    // biome-ignore lint/suspicious/noThenProperty: the name of a keyword
    then: inner,
    else: inner,
    $ref: fc.constantFrom('#/$defs/leaf', '#leaf'),
  }
  const one = Object.entries(keywords).map(([keyword, made]) => made.map((content) => [keyword, content] as const))
  const some = fc.array(fc.oneof(...one), { maxLength: 4 }).map((entries) => Object.fromEntries(entries))
  return { schema: fc.oneof({ maxDepth: 3 }, fc.boolean(), some) }
})

const leaf = fc.constantFrom({ $anchor: 'leaf', type: 'string' }, { $anchor: 'leaf', minimum: 1 }, { $anchor: 'leaf' })

const ajv = new Ajv2020({ strict: false, validateFormats: false })

/** `undefined` if an engine fails: the code that Ajv generates has bugs. */
function opinionOf(judge: () => boolean): boolean | undefined {
  try {
    return judge()
  } catch {
    return undefined
  }
}

export const schemaTarget: FuzzTarget = {
  name: 'schema',
  about: 'the schema engine agrees with Ajv and @cfworker/json-schema, and explains each error',
  runs: 500,
  property: asProperty(
    fc.property(schema, leaf, fc.array(value, { minLength: 4, maxLength: 4 }), (part, shared, values) => {
      const whole = { $defs: { leaf: shared }, allOf: [part] }
      const ours = compileSchema(whole)
      const validate = ajv.compile(whole)
      // Ajv caches every schema.
      ajv.removeSchema(whole)
      const other = new Validator(whole as ConstructorParameters<typeof Validator>[0], '2020-12')
      for (const candidate of values) {
        const fits = ours.check(candidate)
        demand((ours.validate(candidate).length === 0) === fits, 'check and validate differ')
        const byAjv = opinionOf(() => validate(candidate))
        if (byAjv === undefined || byAjv !== opinionOf(() => other.validate(candidate).valid)) continue
        demand(fits === byAjv, `${JSON.stringify(candidate)} ${fits ? 'fits' : 'does not fit'} here alone`)
      }
    }),
  ),
}
