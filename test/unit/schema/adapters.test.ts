import { Ajv2020 } from 'ajv/dist/2020.js'
import Type from 'typebox'
import { Compile } from 'typebox/compile'
import { describe, expect, it } from 'vitest'
import { ajvEngine, typeboxEngine } from '../../../src/schema/adapters.ts'
import { createSchemaEngine, type SchemaEngine } from '../../../src/schema/engine.ts'
import { SchemaError } from '../../../src/schema/json-schema.ts'

const schema = {
  type: 'object',
  properties: {
    title: { type: 'string' },
    tags: { type: 'array', items: { type: 'string' } },
    'a/b': { type: 'null' },
  },
  required: ['title'],
}

const ENGINES: [string, () => SchemaEngine][] = [
  ['ours', () => createSchemaEngine()],
  ['Ajv', () => ajvEngine(new Ajv2020({ allErrors: true }))],
  ['TypeBox', () => typeboxEngine(Compile)],
]

describe.each(ENGINES)('the engine of %s', (_, createEngine) => {
  it('tells values that fit from those that do not', () => {
    const { check, validate } = createEngine().compile(schema)
    expect([check({ title: 'x', tags: ['y'] }), check({ title: 1 }), check({})]).toEqual([true, false, false])
    expect(validate({ title: 'x' })).toEqual([])
  })

  it('says where, with indexes as numbers', () => {
    const issues = createEngine()
      .compile(schema)
      .validate({ title: 'x', tags: ['y', 2], 'a/b': 1 })
    expect(issues.map(({ path, instancePath }) => ({ path, instancePath }))).toEqual([
      { path: ['tags', 1], instancePath: '/tags/1' },
      { path: ['a/b'], instancePath: '/a~1b' },
    ])
    expect(issues[0]?.message).toMatch(/^tags\[1\]: .*string/)
    expect(issues[0]?.keyword).toBe('type')
  })

  it('bounds the number of issues', () => {
    const issues = createEngine()
      .compile({ type: 'array', items: { type: 'string' } })
      .validate(Array.from({ length: 100 }, (_, index) => index))
    expect(issues.length).toBeLessThanOrEqual(20)
    expect(issues.length).toBeGreaterThan(0)
  })

  it('serves several schemas at once', () => {
    const engine = createEngine()
    const text = engine.compile({ type: 'string' })
    const number = engine.compile({ type: 'number' })
    expect([text.check('x'), number.check('x'), text.check(1), number.check(1)]).toEqual([true, false, false, true])
  })
})

describe('Ajv', () => {
  it('what it refuses is our error, with its own as cause', () => {
    const engine = ajvEngine(new Ajv2020())
    expect(() => engine.compile({ type: 'text' })).toThrow(SchemaError)
    expect(() => engine.compile({ $ref: 'http://127.0.0.1:1/s.json' })).toThrow(
      expect.objectContaining({ cause: expect.any(Error) }),
    )
  })

  it('F196 forgets the schemas it compiled', () => {
    const engine = ajvEngine(new Ajv2020())
    const named = () => ({ $id: 'https://example.com/s.json', type: 'string' })
    expect(engine.compile(named()).check('x')).toBe(true)
    expect(engine.compile(named()).check('x')).toBe(true)
  })

  it('asynchronous schemas are refused', () => {
    const { check } = ajvEngine(new Ajv2020()).compile({ $async: true, type: 'string' })
    expect(() => check('x')).toThrow('$async')
  })
})

it('a TypeBox schema is a JSON Schema to every engine', () => {
  const person = Type.Object({ name: Type.String(), age: Type.Optional(Type.Integer({ minimum: 0 })) })
  for (const [, createEngine] of ENGINES) {
    const { check } = createEngine().compile({ ...person })
    expect([check({ name: 'Ada' }), check({ name: 'Ada', age: -1 }), check({})]).toEqual([true, false, false])
  }
})
