import { expect, it } from 'vitest'
import { planOutput } from '../../../../src/mcpserver/tools/output.ts'
import { toStructuredResult } from '../../../../src/mcpserver/tools/structured-result.ts'
import { compileSchema, createSchemaEngine } from '../../../../src/schema/engine.ts'
import { resolveSchema } from '../../../../src/schema/user-schema.ts'
import type { JSONObject } from '../../../../src/types/protocol/json.ts'

const plan = (schema: JSONObject) =>
  planOutput(resolveSchema(schema, { direction: 'output', engine: createSchemaEngine() }))

it('leaves the schema of an object as it is in both forms', () => {
  const schema = { type: 'object', properties: { a: { type: 'number' } } }
  expect(plan(schema).listed).toEqual({ objects: schema, anything: schema })
})

it('wraps every other schema where only objects are allowed', () => {
  const { listed } = plan({ $schema: 'https://json-schema.org/draft/2020-12/schema', type: 'array', items: {} })
  expect(listed.anything.type).toBe('array')
  expect(listed.objects).toEqual({
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties: { result: { type: 'array', items: {} } },
    required: ['result'],
  })
})

it('moves references one level down, and leaves data that looks like one', () => {
  const tree = {
    anyOf: [{ type: 'null' }, { $ref: '#/$defs/node' }],
    $defs: { node: { type: 'object', properties: { next: { $ref: '#' } }, required: ['next'] } },
    default: { $ref: '#/$defs/node' },
  }
  const { objects, anything } = plan(tree).listed
  expect(objects.properties?.['result']).toMatchObject({ default: { $ref: '#/$defs/node' } })
  const [wrapped, plain] = [compileSchema(objects), compileSchema(anything)]
  for (const value of [null, { next: null }, { next: { next: null } }, { next: 1 }, {}, 'x']) {
    expect(wrapped.check({ result: value })).toBe(plain.check(value))
  }
})

it('sends the value that the listed schema describes, in each form', async () => {
  const numbers = plan({ type: 'array', items: { type: 'number' } })
  expect(await toStructuredResult(numbers, [1, 2], 'anything')).toMatchObject({
    result: { content: [{ type: 'text', text: '[1,2]' }], structuredContent: [1, 2] },
    structure: { text: '[1,2]' },
  })
  expect(await toStructuredResult(numbers, [1, 2], 'objects')).toMatchObject({
    result: { content: [{ type: 'text', text: '[1,2]' }], structuredContent: { result: [1, 2] } },
    structure: { text: '{"result":[1,2]}' },
  })
})

it('F195 rejects a value that does not fit, and names the path without the value', () => {
  const output = plan({ type: 'object', properties: { secret: { type: 'number' } } })
  expect(() => toStructuredResult(output, { secret: 'hunter2' }, 'anything')).toThrow(/^(?!.*hunter2).*secret/)
})

it('validates whole results as well, unless they have isError', async () => {
  const output = plan({ type: 'number' })
  const whole = { content: [{ type: 'text' as const, text: 'three' }], structuredContent: 3 }
  expect(await toStructuredResult(output, whole, 'anything')).toEqual(whole)
  expect(await toStructuredResult(output, whole, 'objects')).toEqual({ ...whole, structuredContent: { result: 3 } })
  await expect(toStructuredResult(output, { content: [] }, 'anything')).rejects.toThrow(TypeError)
  const failed = { content: [], isError: true }
  expect(await toStructuredResult(output, failed, 'anything')).toBe(failed)
})

it('treats a value that fits the schema as data, even if it looks like a result', async () => {
  const message = { type: 'object', properties: { type: { const: 'text' }, text: { type: 'string' } } }
  const schema = { type: 'object', properties: { content: { type: 'array', items: message } }, required: ['content'] }
  const value = { content: [{ type: 'text', text: 'x' }] }
  expect(await toStructuredResult(plan(schema), value, 'anything')).toMatchObject({
    result: { content: [{ type: 'text', text: JSON.stringify(value) }], structuredContent: value },
  })
  const around = { content: [], structuredContent: value }
  expect(await toStructuredResult(plan(schema), around, 'anything')).toEqual(around)
  const failed = { ...value, isError: true }
  expect(await toStructuredResult(plan(schema), failed, 'anything')).toBe(failed)
  expect(() => toStructuredResult(plan(schema), { content: [1], structuredContent: value }, 'anything')).toThrow(
    TypeError,
  )
  const flags = plan({ type: 'object', properties: { isError: { type: 'boolean' } }, additionalProperties: false })
  expect(await toStructuredResult(flags, { isError: true }, 'anything')).toMatchObject({ text: '{"isError":true}' })
})
