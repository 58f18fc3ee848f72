import { describe, expect, it } from 'vitest'
import { createSchemaEngine } from '../../../src/schema/engine.ts'
import { SchemaError } from '../../../src/schema/json-schema.ts'
import { heapUsed, MIB } from '../../support/heap.ts'

describe('our engine', () => {
  it('compiles a schema object once', () => {
    const engine = createSchemaEngine()
    const schema = { type: 'string' }
    expect(engine.compile(schema)).toBe(engine.compile(schema))
    expect(engine.compile({ type: 'string' })).not.toBe(engine.compile(schema))
    expect(engine.compile(false).check(1)).toBe(false)
  })

  it('passes its options on', () => {
    const engine = createSchemaEngine({ formats: 'assert', dialect: 'draft-07', limits: { maxIssues: 1 } })
    const { check, validate } = engine.compile({ items: [{ format: 'ipv4' }, { type: 'null' }] })
    expect([check(['127.0.0.1', null]), check(['127.1', null])]).toEqual([true, false])
    expect(validate(['127.1', 1])).toHaveLength(1)
  })

  it('F194 a schema that cannot be used is refused every time', () => {
    const engine = createSchemaEngine()
    const schema = { type: 'text' }
    expect(() => engine.compile(schema)).toThrow(SchemaError)
    expect(() => engine.compile(schema)).toThrow(SchemaError)
  })

  it('F196 R44 100,000 different schemas leave nothing behind', async () => {
    const engine = createSchemaEngine()
    const compileMany = (amount: number, name: string) => {
      for (let index = 0; index < amount; index++) {
        engine.compile({ properties: { [`${name}${index}`]: { type: 'string' } } }).check({})
      }
    }
    compileMany(1_000, 'warm')
    const before = await heapUsed()
    compileMany(100_000, 'p')
    const after = await heapUsed()
    // The engine is still in use; kept validators would be some 200 MB.
    expect(engine.compile(true).check({})).toBe(true)
    expect(after - before).toBeLessThan(8 * MIB)
  })
})
