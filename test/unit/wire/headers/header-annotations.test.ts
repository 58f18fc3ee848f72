import { describe, expect, it } from 'vitest'
import { readHeaderAnnotations } from '../../../../src/wire/headers/header-annotations.ts'

const annotated = { type: 'string', 'x-mcp-header': 'Region' }

function schemaWith(properties: Record<string, unknown>) {
  return { type: 'object', properties }
}

function reasonFor(schema: unknown): string {
  const reading = readHeaderAnnotations(schema)
  return reading.ok ? 'none' : reading.reason
}

describe('valid annotations', () => {
  it('are listed with name, path and type, in the order of the schema', () => {
    const schema = schemaWith({
      region: annotated,
      plain: { type: 'string' },
      address: schemaWith({ city: { type: 'string', 'x-mcp-header': 'City' } }),
      count: { type: 'integer', 'x-mcp-header': 'Count' },
      dry: { type: 'boolean', 'x-mcp-header': 'Method' },
    })
    expect(readHeaderAnnotations(schema)).toEqual({
      ok: true,
      annotations: [
        { name: 'Region', path: ['region'], type: 'string' },
        { name: 'City', path: ['address', 'city'], type: 'string' },
        { name: 'Count', path: ['count'], type: 'integer' },
        { name: 'Method', path: ['dry'], type: 'boolean' },
      ],
    })
  })

  it.each([[['string', 'null']], [['null', 'integer']]])('may be on a nullable property: %j', (type) => {
    expect(readHeaderAnnotations(schemaWith({ a: { type, 'x-mcp-header': 'A' } }))).toMatchObject({
      ok: true,
      annotations: [{ type: type.find((name) => name !== 'null') }],
    })
  })

  it.each(["!#$%&'*+-.^_`|~", '0', 'X-Y_z'])('may have any token as name: %s', (name) => {
    expect(reasonFor(schemaWith({ a: { type: 'string', 'x-mcp-header': name } }))).toBe('none')
  })

  it.each([
    undefined,
    null,
    true,
    5,
    [],
    {},
    { properties: null },
    { properties: [annotated] },
    { properties: { a: true } },
  ])('are none in %j', (schema) => {
    expect(readHeaderAnnotations(schema)).toEqual({ ok: true, annotations: [] })
  })
})

describe('what is no annotation', () => {
  it('a property that is called x-mcp-header', () => {
    const schema = schemaWith({ 'x-mcp-header': { type: 'number' }, properties: schemaWith({ 'x-mcp-header': {} }) })
    expect(readHeaderAnnotations(schema)).toEqual({ ok: true, annotations: [] })
  })

  it.each(['const', 'enum', 'default', 'examples', '$ref', 'x-vendor'])('data inside %s', (keyword) => {
    const data = { properties: { a: { 'x-mcp-header': '' } }, 'x-mcp-header': 5 }
    expect(reasonFor(schemaWith({ a: { [keyword]: data } }))).toBe('none')
    expect(reasonFor(schemaWith({ a: { [keyword]: [data] } }))).toBe('none')
  })

  it('F059 an inherited keyword', () => {
    expect(reasonFor(schemaWith({ a: Object.create({ 'x-mcp-header': '' }) }))).toBe('none')
    expect(reasonFor(Object.create(schemaWith({ a: { 'x-mcp-header': '' } })))).toBe('none')
  })
})

describe('invalid annotations', () => {
  it.each(['', null, 5, true, ['A'], {}])('a name that is no text: %j', (name) => {
    expect(reasonFor(schemaWith({ a: { type: 'string', 'x-mcp-header': name } }))).toContain('non-empty string')
  })

  it.each(['a b', 'a:b', 'a/b', 'a"b', 'é', 'a\t', 'Region\n', '\u0000', '(a)', 'a,b'])(
    'a name that is no token: %j',
    (name) => {
      expect(reasonFor(schemaWith({ a: { type: 'string', 'x-mcp-header': name } }))).toContain('HTTP token')
    },
  )

  it('two names that differ in case only', () => {
    const schema = schemaWith({ a: annotated, b: schemaWith({ c: { type: 'string', 'x-mcp-header': 'REGION' } }) })
    expect(reasonFor(schema)).toContain('repeats a name')
  })

  it.each([
    'number',
    'object',
    'array',
    'null',
    undefined,
    ['string'],
    ['string', 'integer'],
    ['string', 'integer', 'null'],
    ['number', 'null'],
    ['null', 'null'],
  ])('a property of type %j', (type) => {
    expect(reasonFor(schemaWith({ a: { type, 'x-mcp-header': 'A' } }))).toContain('type is not')
  })

  it('one on the schema as a whole', () => {
    expect(reasonFor({ ...annotated, properties: {} })).toBe(
      'x-mcp-header at the root must be on a property, not on the schema as a whole',
    )
  })

  it.each([
    'items',
    'additionalItems',
    'unevaluatedItems',
    'contains',
    'additionalProperties',
    'unevaluatedProperties',
    'propertyNames',
    'not',
    'if',
    'then',
    'else',
    'contentSchema',
  ])('one below %s', (keyword) => {
    expect(reasonFor({ [keyword]: annotated })).toContain('properties alone')
    expect(reasonFor(schemaWith({ a: { [keyword]: schemaWith({ b: annotated }) } }))).toContain('properties alone')
  })

  it.each(['prefixItems', 'allOf', 'anyOf', 'oneOf', 'items'])('one in the list of %s', (keyword) => {
    expect(reasonFor({ [keyword]: [true, annotated] })).toContain('properties alone')
  })

  it.each(['patternProperties', 'dependentSchemas', '$defs', 'definitions', 'dependencies'])(
    'one by name below %s',
    (keyword) => {
      expect(reasonFor({ [keyword]: { a: annotated } })).toContain('properties alone')
    },
  )

  it('says where, in bounded and printable words', () => {
    const place = schemaWith({ [`\n${'long'.repeat(1000)}`]: { type: 'number', 'x-mcp-header': 'A' } })
    expect(reasonFor(schemaWith({ outer: place }))).toMatch(/^x-mcp-header at "outer\.\\nlong[ -~]{1,300}$/)
  })
})

describe('hostile schemas', () => {
  it('may be very deep', () => {
    let schema: Record<string, unknown> = { type: 'object' }
    for (let depth = 0; depth < 50_000; depth++) schema = depth % 2 === 0 ? { not: schema } : schemaWith({ a: schema })
    expect(readHeaderAnnotations(schema)).toEqual({ ok: true, annotations: [] })
  })

  it('may be wide', () => {
    const properties = Object.fromEntries(
      Array.from({ length: 50_000 }, (_, index) => [`p${index}`, { type: 'string' }]),
    )
    expect(reasonFor(schemaWith(properties))).toBe('none')
  })

  it('are refused when they have no end', () => {
    const schema: Record<string, unknown> = { type: 'object' }
    schema['allOf'] = [schema, schema]
    expect(reasonFor(schema)).toContain('subschemas')
  })

  it('are refused when annotations are too many or too deep', () => {
    const property = (index: number) => [`p${index}`, { type: 'string', 'x-mcp-header': `H${index}` }]
    const many = (count: number) =>
      schemaWith(Object.fromEntries(Array.from({ length: count }, (_, index) => property(index))))
    expect(reasonFor(many(256))).toBe('none')
    expect(reasonFor(many(257))).toContain('more than 256')
    const deep = (depth: number) => {
      let schema: Record<string, unknown> = annotated
      for (let level = 0; level < depth; level++) schema = schemaWith({ a: schema })
      return schema
    }
    expect(reasonFor(deep(64))).toBe('none')
    expect(reasonFor(deep(65))).toContain('64 properties deep')
  })

  it('F059 may have a property called __proto__', () => {
    const schema = JSON.parse('{"properties":{"__proto__":{"type":"string","x-mcp-header":"P"}}}')
    expect(readHeaderAnnotations(schema)).toMatchObject({ annotations: [{ path: ['__proto__'] }] })
  })
})
