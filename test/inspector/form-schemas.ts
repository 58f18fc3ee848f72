// Schemas with a value that fits each: as public servers have them, and generated ones.

export interface SchemaCase {
  readonly name: string
  readonly schema: Readonly<Record<string, unknown>>
  readonly value: Readonly<Record<string, unknown>>
}

const object = (properties: object, required: readonly string[] = []) => ({ type: 'object', properties, required })

const WRITTEN: readonly (readonly [name: string, schema: object, value: object])[] = [
  ['nothing', { type: 'object' }, {}],
  ['nothing_closed', { type: 'object', properties: {}, additionalProperties: false }, {}],
  ['text', object({ a: { type: 'string' } }), { a: 'x' }],
  ['text_unset', object({ a: { type: 'string' }, b: { type: 'string' } }), { b: '' }],
  ['text_long', object({ a: { type: 'string', maxLength: 500 } }), { a: 'one\ntwo' }],
  ['text_media', object({ a: { type: 'string', contentMediaType: 'text/html' } }), { a: '<p>hi</p>' }],
  ['date', object({ a: { type: 'string', format: 'date' } }), { a: '2026-11-16' }],
  ['time', object({ a: { type: 'string', format: 'time' } }), { a: '10:20' }],
  ['date_time', object({ a: { type: 'string', format: 'date-time' } }), { a: '2026-11-16T10:20:30Z' }],
  ['email', object({ a: { type: 'string', format: 'email' } }), { a: 'ada@example.com' }],
  ['uri', object({ a: { type: 'string', format: 'uri' } }), { a: 'https://example.com/' }],
  ['color', object({ a: { type: 'string', format: 'color' } }), { a: '#ff0000' }],
  ['password', object({ a: { type: 'string', writeOnly: true } }), { a: 'secret' }],
  ['few_choices', object({ a: { type: 'string', enum: ['x', 'y'] } }), { a: 'y' }],
  ['some_choices', object({ a: { enum: ['a', 'b', 'c', 'd', 'e', 'f'] } }), { a: 'f' }],
  ['many_choices', object({ a: { enum: Array.from({ length: 30 }, (_one, at) => `v${at}`) } }), { a: 'v7' }],
  ['mixed_choices', object({ a: { enum: [1, 'one', null, true] } }), { a: null }],
  [
    'named_choices',
    object({
      a: {
        oneOf: [
          { const: 1, title: 'One' },
          { const: 2, title: 'Two' },
        ],
      },
    }),
    { a: 2 },
  ],
  ['const', object({ a: { const: 'only' } }, ['a']), { a: 'only' }],
  ['number', object({ a: { type: 'number', minimum: 0, maximum: 1 } }), { a: 0.5 }],
  ['integer', object({ a: { type: 'integer' } }), { a: -12 }],
  ['zero', object({ a: { type: 'integer' } }), { a: 0 }],
  ['boolean', object({ a: { type: 'boolean' } }, ['a']), { a: true }],
  ['boolean_optional', object({ a: { type: 'boolean' }, b: { type: 'boolean' } }), { a: false }],
  [
    'nested',
    object({ a: object({ b: object({ c: { type: 'string' } }, ['c']) }, ['b']) }, ['a']),
    { a: { b: { c: 'deep' } } },
  ],
  ['nested_optional', object({ a: object({ b: { type: 'string' } }) }), {}],
  ['map', object({ a: { type: 'object', additionalProperties: { type: 'number' } } }), { a: { x: 1, 'y z': 2 } }],
  [
    'pattern',
    object({ a: { type: 'object', patternProperties: { '^x-': { type: 'string' } } } }),
    { a: { 'x-1': 'y' } },
  ],
  ['any_members', { type: 'object', additionalProperties: true }, { free: { as: ['it', 1] } }],
  ['list', object({ a: { type: 'array', items: { type: 'string' } } }), { a: ['x', 'y', ''] }],
  ['list_empty', object({ a: { type: 'array', items: { type: 'string' } } }), { a: [] }],
  ['list_numbers', object({ a: { type: 'array', items: { type: 'number' } } }), { a: [1, 2.5] }],
  [
    'list_objects',
    object({ a: { type: 'array', items: object({ b: { type: 'string' } }, ['b']) } }),
    { a: [{ b: 'x' }, { b: 'y' }] },
  ],
  [
    'list_lists',
    object({ a: { type: 'array', items: { type: 'array', items: { type: 'integer' } } } }),
    { a: [[1], [2, 3]] },
  ],
  ['list_choices', object({ a: { type: 'array', items: { enum: ['r', 'g', 'b'] } } }), { a: ['b', 'r'] }],
  [
    'tuple',
    object({ a: { type: 'array', prefixItems: [{ type: 'string' }, { type: 'integer' }], items: false } }),
    { a: ['x', 1] },
  ],
  ['any_of', object({ a: { anyOf: [{ type: 'string' }, { type: 'number' }] } }), { a: 5 }],
  ['nullable', object({ a: { type: ['string', 'null'] } }), { a: null }],
  ['nullable_set', object({ a: { anyOf: [{ type: 'string' }, { type: 'null' }] } }), { a: 'x' }],
  [
    'tagged',
    object({
      a: {
        oneOf: [
          object({ kind: { const: 'circle' }, r: { type: 'number' } }, ['kind', 'r']),
          object({ kind: { const: 'box' }, w: { type: 'number' } }, ['kind', 'w']),
        ],
      },
    }),
    { a: { kind: 'box', w: 3 } },
  ],
  [
    'ref',
    { ...object({ a: { $ref: '#/$defs/point' } }), $defs: { point: object({ x: { type: 'number' } }, ['x']) } },
    { a: { x: 1 } },
  ],
  [
    'recursive',
    {
      ...object({ a: { $ref: '#/$defs/tree' } }),
      $defs: {
        tree: object({ name: { type: 'string' }, children: { type: 'array', items: { $ref: '#/$defs/tree' } } }),
      },
    },
    { a: { name: 'root', children: [{ name: 'leaf', children: [] }] } },
  ],
  [
    'all_of',
    object({ a: { allOf: [object({ b: { type: 'string' } }), object({ c: { type: 'number' } })] } }),
    { a: { b: 'x', c: 1 } },
  ],
  ['if_then', object({ a: { type: 'object', if: {} } }), { a: { any: 1 } }],
  ['no_type', object({ a: {} }), { a: { free: [1, null, 'x'] } }],
  ['true_schema', object({ a: true as unknown as object }), { a: 1 }],
  ['default_kept', object({ a: { type: 'string', default: 'd' }, b: { type: 'integer', default: 3 } }), { b: 4 }],
  [
    'odd_names',
    object({ 'a b': { type: 'string' }, 'c.d/e': { type: 'string' }, 'ü"<': { type: 'string' } }),
    { 'a b': '1', 'c.d/e': '2', 'ü"<': '3' },
  ],
  ['not_fitting', object({ a: { type: 'string' } }), { a: { not: 'a text' } }],
  ['unknown_member', object({ a: { type: 'string' } }), { a: 'x', extra: [1] }],
]

/** The same numbers each time. */
function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296
    return state / 4_294_967_296
  }
}

function generate(random: () => number, depth: number): { schema: object; value: unknown } {
  const pick = Math.floor(random() * (depth > 2 ? 4 : 6))
  if (pick === 0) return { schema: { type: 'string', description: 'A text' }, value: `t${Math.floor(random() * 99)}` }
  if (pick === 1) return { schema: { type: 'integer' }, value: Math.floor(random() * 1_000) }
  if (pick === 2) return { schema: { type: 'boolean' }, value: random() > 0.5 }
  if (pick === 3) return { schema: { enum: ['one', 'two', 'three', 'four', 'five'] }, value: 'four' }
  if (pick === 4) {
    const { schema, value } = generate(random, depth + 1)
    return { schema: { type: 'array', items: schema, uniqueItems: false }, value: [value, value] }
  }
  const members = Array.from(
    { length: 1 + Math.floor(random() * 3) },
    (_one, at) => [`m${at}`, generate(random, depth + 1)] as const,
  )
  const isSent = members.map(() => random() > 0.3)
  return {
    schema: object(
      Object.fromEntries(members.map(([name, { schema }]) => [name, schema])),
      members.flatMap(([name], at) => (isSent[at] === true && random() > 0.5 ? [name] : [])),
    ),
    value: Object.fromEntries(members.flatMap(([name, { value }], at) => (isSent[at] === true ? [[name, value]] : []))),
  }
}

function generated(count: number): SchemaCase[] {
  const random = createRandom(7)
  return Array.from({ length: count }, (_one, at) => {
    const { schema, value } = generate(random, 0)
    return { name: `generated_${at}`, schema: object({ a: schema }), value: { a: value } as Record<string, unknown> }
  })
}

export const SCHEMA_CASES: readonly SchemaCase[] = [
  ...WRITTEN.map(([name, schema, value]) => ({
    name,
    schema: schema as SchemaCase['schema'],
    value: value as SchemaCase['value'],
  })),
  ...generated(14),
]
