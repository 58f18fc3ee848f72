// Schemas and values within all limits of size that cost as much as the other side could arrange.
import type { JSONSchemaObject } from '../../src/engine/json-schema.ts'

export interface CostlyCase {
  readonly name: string
  readonly schema: () => JSONSchemaObject
  readonly value: () => unknown
}

const MIB = 1024 * 1024

function times<Item>(count: number, make: (index: number) => Item): Item[] {
  return Array.from({ length: count }, (_, index) => make(index))
}

function members<Item>(count: number, make: (index: number) => Item, name = 'k'): Record<string, Item> {
  return Object.fromEntries(times(count, (index) => [`${name}${index}`, make(index)]))
}

const allOf = (count: number, make: (index: number) => unknown) => () =>
  ({ allOf: times(count, make) }) as JSONSchemaObject
const numbers = () => times(99_000, (index) => index + 0.5)
const bigObject = () => members(90_000, () => 1)
/** Longer than what V8 hashes, and all of one length. */
const longTexts = () => times(230, (index) => 'x'.repeat(16_996) + String(1_000 + index))

export const COSTLY_VALUES: readonly CostlyCase[] = [
  { name: 'uniqueItems over long texts', schema: allOf(100, () => ({ uniqueItems: true })), value: longTexts },
  {
    name: 'uniqueItems over texts in objects',
    schema: allOf(900, () => ({ uniqueItems: true })),
    value: () => times(100, (index) => ({ text: 'é'.repeat(19_000) + index })),
  },
  {
    name: 'uniqueItems over texts that JSON escapes',
    schema: allOf(900, () => ({ uniqueItems: true })),
    value: () => times(100, (index) => ({ text: '\ud800'.repeat(6_000) + index })),
  },
  {
    name: 'uniqueItems over names of members',
    schema: allOf(900, () => ({ uniqueItems: true })),
    value: () => times(100, (index) => ({ ['é'.repeat(19_000) + index]: 1 })),
  },
  {
    name: 'uniqueItems over objects of many members',
    schema: allOf(900, () => ({ uniqueItems: true })),
    value: () => times(2, (index) => members(49_000, (member) => member + index)),
  },
  { name: 'uniqueItems over numbers', schema: allOf(900, () => ({ uniqueItems: true })), value: numbers },
  {
    name: 'enum over a large object',
    schema: allOf(900, () => ({ not: { enum: [{}] } })),
    value: () => ({ text: 'é'.repeat(1_900_000) }),
  },
  {
    name: 'enum over long texts of one length',
    schema: () => ({ items: { not: { enum: times(14, (index) => 'x'.repeat(17_000) + (10 + index)) } } }),
    value: () => times(230, (index) => 'x'.repeat(16_999) + (100 + index)),
  },
  {
    name: 'const over an object of many members',
    schema: allOf(900, () => ({ not: { const: { a: 1 } } })),
    value: bigObject,
  },
  {
    name: 'const over a long text',
    schema: () => ({ items: { allOf: times(2, (index) => ({ not: { const: 'x'.repeat(120_000) + index } })) } }),
    value: () => times(30, () => `${'x'.repeat(120_000)}z`),
  },
  { name: 'items true', schema: allOf(900, () => ({ items: true })), value: numbers },
  { name: 'items {}', schema: allOf(900, () => ({ items: {} })), value: numbers },
  { name: 'items of types', schema: allOf(900, () => ({ items: { type: ['null', 'number'] } })), value: numbers },
  { name: 'contains', schema: allOf(900, () => ({ contains: true, minContains: 99_000 })), value: numbers },
  { name: 'contains nothing', schema: allOf(600, () => ({ not: { contains: false } })), value: numbers },
  {
    name: 'prefixItems true',
    schema: allOf(60, () => ({ items: { prefixItems: times(30, () => true) } })),
    value: () => times(9_000, () => times(10, () => 1)),
  },
  { name: 'patternProperties', schema: () => ({ patternProperties: members(1_900, () => true) }), value: bigObject },
  {
    name: 'patternProperties with loops',
    schema: () => ({ patternProperties: Object.fromEntries(times(100, (index) => [`^[a-z]*${index}$`, true])) }),
    value: bigObject,
  },
  { name: 'propertyNames', schema: allOf(900, () => ({ propertyNames: true })), value: bigObject },
  { name: 'additionalProperties', schema: allOf(900, () => ({ additionalProperties: true })), value: bigObject },
  { name: 'unevaluatedProperties', schema: allOf(900, () => ({ unevaluatedProperties: true })), value: bigObject },
  { name: 'unevaluatedItems', schema: allOf(900, () => ({ unevaluatedItems: true })), value: numbers },
  { name: 'minProperties', schema: allOf(900, () => ({ minProperties: 1 })), value: bigObject },
  {
    name: 'an object that fails at its first member',
    schema: () => ({ anyOf: times(900, () => ({ additionalProperties: false })) }),
    value: bigObject,
  },
  {
    name: 'dependentRequired',
    schema: () => ({ items: { dependentRequired: members(2_000, () => times(10, (index) => `k${index}`)) } }),
    value: () => times(900, () => members(100, () => 1)),
  },
  {
    name: 'dependentSchemas',
    schema: () => ({ items: { dependentSchemas: members(1_900, () => true) } }),
    value: () => times(99_000, () => ({})),
  },
  {
    name: 'properties that are not there',
    schema: () => ({ items: { properties: members(1_900, () => true) } }),
    value: () => times(99_000, () => ({})),
  },
  { name: 'minLength', schema: allOf(900, () => ({ minLength: 3 * MIB })), value: () => 'x'.repeat(3.9 * MIB) },
  {
    name: 'length of wide characters, explained',
    schema: () => ({ anyOf: times(900, () => ({ maxLength: 10 })) }),
    value: () => '😀'.repeat(900_000),
  },
  {
    name: 'multipleOf far apart',
    schema: allOf(900, () => ({ items: { multipleOf: 1e-300 } })),
    value: () => times(99_000, () => 1e300),
  },
  { name: 'multipleOf of fractions', schema: allOf(900, () => ({ items: { multipleOf: 0.1 } })), value: numbers },
  {
    name: 'references that stand for others',
    schema: () => ({ $dynamicAnchor: 'a', items: { $dynamicRef: '#a' } }),
    value: () => times(99_000, () => []),
  },
  {
    name: 'references through many resources',
    schema: () => {
      const resources = times(400, (index) => ({
        $id: `r${index}`,
        $dynamicAnchor: 'a',
        ...(index < 399 ? { $ref: `r${index + 1}` } : { items: { $dynamicRef: '#a' } }),
      }))
      return { $dynamicAnchor: 'a', items: { $ref: 'r0' }, $defs: Object.fromEntries(resources.entries()) }
    },
    value: () => times(9_000, () => times(10, () => 1)),
  },
  {
    name: 'alternatives to explain',
    schema: () => ({ items: { anyOf: times(900, (index) => ({ type: 'object', required: [`k${index}`] })) } }),
    value: () => times(9_000, () => ({})),
  },
  {
    name: 'alternatives within alternatives to explain',
    schema: () => {
      const inner = { anyOf: times(40, (index) => ({ properties: { kind: { const: `k${index}` } } })) }
      return { $defs: { inner }, items: { anyOf: times(40, () => ({ anyOf: [{ $ref: '#/$defs/inner' }, false] })) } }
    },
    value: () => times(9_000, () => ({ kind: 'none' })),
  },
  {
    name: 'long names on a deep path, explained',
    schema: () => ({ anyOf: [{ additionalProperties: { $ref: '#' } }], type: ['object'] }),
    value: () => {
      let value: unknown = members(20, () => 'x')
      for (let level = 0; level < 55; level += 1) value = { [`${level}${'~'.repeat(60_000)}`]: value }
      return value
    },
  },
]

/** With `format` checked. */
export const COSTLY_FORMATS: readonly CostlyCase[] = [
  ['uri', `a:${'x'.repeat(3_000_000)}`],
  ['uri-reference', `//[${'x'.repeat(3_000_000)}`],
  ['duration', `P${'1'.repeat(3_000_000)}`],
  ['time', `11:11:11.${'1'.repeat(3_000_000)}`],
  ['date-time', `2020-01-01T11:11:11.${'1'.repeat(3_000_000)}`],
  ['email', `${'a.'.repeat(100)}a@${'b.'.repeat(50)}c`],
  ['hostname', 'a-b.'.repeat(60)],
  ['ipv4', '1'.repeat(3_000_000)],
  ['ipv6', '1:2:3:4:5:6:7:8'],
  ['json-pointer', '/~0'.repeat(1_000_000)],
  ['regex', '[\\p{L}]'.repeat(9_000)],
  ['uuid', '00000000-0000-0000-0000-000000000000'],
].map(([format = '', text = '']) => ({
  name: `format ${format}`,
  schema: () => ({ items: { allOf: times(900, () => ({ format })) } }),
  value: () => times(text.length > 1_000 ? 1 : 9_000, (index) => text + (index % 2 === 0 ? '' : ' ')),
}))

const long = 'x'.repeat(15_000)

export const COSTLY_SCHEMAS: readonly CostlyCase[] = [
  ...(
    [
      ['1,500 patterns with Unicode properties', (index) => `^[\\p{L}\\p{N}_]+${index}$`],
      ['1,500 patterns', (index) => `^(?:[a-z]+${index}|[0-9]{3})+$`],
      ['1,500 patterns of wide characters', (index) => `^${'.'.repeat(30)}${index}`],
      ['1,500 patterns that count', (index) => `^[^a]{0,${1_000 + index}}$`],
      ['1,500 patterns of alternatives', (index) => `^(?:${times(20, (word) => `w${word}x${index}`).join('|')})$`],
    ] satisfies [string, (index: number) => string][]
  ).map(([name, pattern]) => ({
    name,
    schema: allOf(1_500, (index) => ({ pattern: pattern(index) })),
    value: () => 'ab€',
  })),
  {
    name: 'a name that is part of every pointer',
    schema: () => ({ properties: { [long]: { allOf: times(1_900, () => ({})) } } }),
    value: () => 1,
  },
  {
    name: 'names of one length that V8 does not hash',
    schema: () => ({ properties: { ['x'.repeat(100_000)]: { allOf: times(1_900, () => ({})) } } }),
    value: () => 1,
  },
  {
    name: 'identities on a long base',
    schema: () => ({
      $id: `http://x/${long.slice(0, 7_000)}/`,
      allOf: times(1_900, (index) => ({ $id: `a${index}` })),
    }),
    value: () => 1,
  },
  {
    name: 'references on a long base',
    schema: () => ({
      $id: `http://x/${long.slice(0, 7_000)}/`,
      $defs: { a: { $id: 'a' } },
      allOf: times(1_900, () => ({ $ref: 'a' })),
    }),
    value: () => 1,
  },
  {
    name: 'anchors that are given again and again',
    schema: () => ({ allOf: times(1_000, () => ({ $anchor: 'a', enum: times(40, (index) => index) })) }),
    value: () => 1,
  },
  {
    name: 'references to where no schema stands',
    schema: () => ({
      strange: { [long]: members(60, () => ({})) },
      allOf: times(10, (i) => ({ $ref: `#/strange/${long}/k${i}` })),
    }),
    value: () => 1,
  },
]
