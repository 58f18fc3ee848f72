import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { compileJsonSchema } from '../src/compile.ts'
import { SchemaError } from '../src/engine/errors.ts'

describe('F190 references out of the schema', () => {
  let canary: Server
  let origin: string
  const requests: string[] = []

  beforeAll(async () => {
    canary = createServer((request, response) => {
      requests.push(request.url ?? '')
      response.end('{"type":"string"}')
    })
    await new Promise<void>((resolve) => canary.listen(0, '127.0.0.1', resolve))
    origin = `http://127.0.0.1:${(canary.address() as AddressInfo).port}`
  })

  afterAll(() => new Promise((resolve) => canary.close(resolve)))

  /** Whatever would be fetched would be on its way by the time that a request of our own is answered. */
  async function requestsSeen(): Promise<string[]> {
    await fetch(`${origin}/own`)
    return requests.splice(0).filter((url) => url !== '/own')
  }

  it.each(['$ref', '$dynamicRef', '$schema'])('R24 F190 %s is never fetched', async (keyword) => {
    for (const location of [
      `${origin}/s.json`,
      `${origin}/s.json#/$defs/a`,
      'file:///etc/passwd',
      'data:,{}',
      'x.json',
    ]) {
      expect(() => compileJsonSchema({ [keyword]: location })).toThrow(SchemaError)
    }
    expect(await requestsSeen()).toEqual([])
  })

  it('F190 an $id is a name, and references relative to it are not fetched either', async () => {
    const named = { $id: `${origin}/s.json`, $ref: '#/$defs/a', $defs: { a: { type: 'string' } } }
    expect(compileJsonSchema(named).check('text')).toBe(true)
    expect(() => compileJsonSchema({ $id: `${origin}/s.json`, $ref: 'other.json' })).toThrow(SchemaError)
    expect(await requestsSeen()).toEqual([])
  })

  it('F190 the reason says what to do', () => {
    expect(() => compileJsonSchema({ properties: { a: { $ref: 'https://example.com/s.json' } } })).toThrow(
      'Unusable JSON Schema at #/properties/a/$ref: "$ref" "https://example.com/s.json" leads nowhere: ' +
        'references are never fetched; inline it under "$defs" or give it in the option "documents"',
    )
  })

  it('F190 one schema that cannot be used leaves the others fine', () => {
    expect(() => compileJsonSchema({ $ref: `${origin}/s.json` })).toThrow(SchemaError)
    expect(compileJsonSchema({ type: 'string' }).check('text')).toBe(true)
  })
})

describe('references inside the schema', () => {
  it.each(['#/$defs/b', '#b', '#/%ZZ', '#/$defs/a/0', '#/__proto__', '#/$defs/constructor', 'urn:x:y#b'])(
    'that lead nowhere are rejected at once: %s',
    ($ref) => {
      expect(() => compileJsonSchema({ $defs: { a: {} }, items: { $ref } })).toThrow(SchemaError)
    },
  )

  it('are rejected even where no value would follow them', () => {
    expect(() => compileJsonSchema({ $defs: { unused: { $ref: '#/$defs/gone' } } })).toThrow('#/$defs/unused/$ref')
  })

  it('may lead to where no keyword holds a schema, and that is checked as well', () => {
    const schema = { 'x-shared': { name: { type: 'string' } }, items: { $ref: '#/x-shared/name' } }
    expect(compileJsonSchema(schema).check([1])).toBe(false)
    expect(() => compileJsonSchema({ ...schema, 'x-shared': { name: { type: 1 } } })).toThrow('#/x-shared/name/type')
    expect(() => compileJsonSchema({ ...schema, 'x-shared': { name: 'text' } })).toThrow('must be a schema')
  })

  it('understand definitions without a dialect that has them', () => {
    const schema = { $ref: '#/definitions/a', definitions: { a: { $anchor: 'a', type: 'string' } } }
    expect(compileJsonSchema(schema).check(1)).toBe(false)
    expect(compileJsonSchema({ ...schema, $ref: '#a' }).check('text')).toBe(true)
  })

  it('to relative $ids work without any base', () => {
    const schema = { $ref: 'name', $defs: { name: { $id: 'name', type: 'string' } } }
    expect([compileJsonSchema(schema).check('text'), compileJsonSchema(schema).check(1)]).toEqual([true, false])
  })
})

describe('documents that the caller gives', () => {
  const documents = {
    'https://example.com/name.json': { $anchor: 'name', type: 'string' },
    'https://example.com/person.json': { properties: { name: { $ref: 'name.json#name' } } },
    'https://example.com/broken.json': { type: 'nothing' },
  }

  it('are found by their URI, however it is spelled', () => {
    const { check } = compileJsonSchema({ $ref: 'HTTPS://EXAMPLE.com:443/person.json' }, { documents })
    expect([check({ name: 'Ada' }), check({ name: 1 })]).toEqual([true, false])
  })

  it('are looked at only when something refers to them', () => {
    expect(compileJsonSchema({ type: 'string' }, { documents }).check('text')).toBe(true)
    expect(() => compileJsonSchema({ $ref: 'https://example.com/broken.json' }, { documents })).toThrow(
      'https://example.com/broken.json#/type',
    )
  })

  it('the meta-schemas need not be given', () => {
    const { check } = compileJsonSchema({ $ref: 'https://json-schema.org/draft/2020-12/schema' })
    expect([check({ properties: { a: { minLength: 1 } } }), check({ properties: { a: { minLength: -1 } } })]).toEqual([
      true,
      false,
    ])
  })
})
