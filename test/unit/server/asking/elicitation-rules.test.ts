import { describe, expect, it } from 'vitest'
import {
  checkElicitAnswer,
  checkElicitUrl,
  checkElicitUrlAnswer,
  checkRequestedSchema,
} from '../../../../src/server/asking/elicitation-rules.ts'
import { InvalidResultError } from '../../../../src/types/errors/failures.ts'
import type { ElicitRequestedSchema } from '../../../../src/types/features/elicitation.ts'

const form: ElicitRequestedSchema = {
  type: 'object',
  properties: {
    email: { type: 'string', format: 'email', maxLength: 40 },
    age: { type: 'integer', minimum: 0 },
    subscribe: { type: 'boolean', default: true },
    size: { type: 'string', enum: ['s', 'm'] },
    colours: { type: 'array', items: { type: 'string', enum: ['red', 'blue'] }, maxItems: 1 },
  },
  required: ['email'],
}

function problemOf(schema: unknown): string {
  try {
    checkRequestedSchema(schema)
  } catch (error) {
    expect(error).toBeInstanceOf(TypeError)
    return (error as TypeError).message.replace('Cannot elicit with this requestedSchema: ', '')
  }
  return 'none'
}

/** Some answers are told at once. */
const answerTo = async (...given: Parameters<typeof checkElicitAnswer>) => checkElicitAnswer(...given)

const withField = (field: unknown, name = 'x') => ({ type: 'object', properties: { [name]: field } })

describe('checkRequestedSchema', () => {
  it('takes a flat form', () => {
    expect(problemOf(form)).toBe('none')
    expect(problemOf({ type: 'object', properties: {} })).toBe('none')
  })

  it.each([
    { type: 'string', title: 't', description: 'd', minLength: 1, maxLength: 2, format: 'date', default: 'x' },
    { type: 'number', minimum: 0.5, maximum: 1, default: 1 },
    { type: 'string', enum: ['a'], enumNames: ['A'], default: 'a' },
    { type: 'string', oneOf: [{ const: 'a', title: 'A' }] },
    { type: 'array', items: { anyOf: [{ const: 'a', title: 'A' }] }, minItems: 1, default: ['a'] },
  ])('takes the field %j', (field) => {
    expect(problemOf(withField(field))).toBe('none')
  })

  it('takes further keywords, as schema libraries write them', () => {
    const schema = { ...withField({ type: 'string', pattern: '^a+$' }), additionalProperties: false }
    expect(problemOf({ $schema: 'https://json-schema.org/draft/2020-12/schema', ...schema })).toBe('none')
  })

  it.each([
    ['a nested object', { type: 'object', properties: {} }],
    ['a list of numbers', { type: 'array', items: { type: 'number' } }],
    ['a list of anything', { type: 'array' }],
    ['two types', { type: ['string', 'null'] }],
    ['no type', { anyOf: [{ type: 'string' }] }],
    ['a reference', { $ref: '#/$defs/x' }],
    ['true', true],
    ['an unknown format', { type: 'string', format: 'uuid' }],
    ['a choice of numbers', { type: 'string', enum: [1, 2] }],
    ['a choice without titles', { type: 'string', oneOf: [{ const: 'a' }] }],
    ['a bound that is no number', { type: 'integer', minimum: '0' }],
    ['a default of the wrong type', { type: 'boolean', default: 'yes' }],
    ['an impossible length', { type: 'string', minLength: -1 }],
  ])('refuses %s and names the field', (_what, field) => {
    expect(problemOf(withField(field, 'birthday'))).toContain('birthday')
  })

  it.each([
    ['null', null],
    ['a list', []],
    ['a schema of something else', { type: 'string' }],
    ['no properties', { type: 'object' }],
    ['properties that are a list', { type: 'object', properties: [] }],
    ['required that is no list', { ...form, required: 'email' }],
    ['an unknown dialect', { ...form, $schema: 'https://example.com/my-dialect' }],
  ])('refuses %s', (_what, schema) => {
    expect(problemOf(schema)).not.toBe('none')
  })

  it('refuses to require a field that is not there', () => {
    expect(problemOf({ ...form, required: ['email', 'name'] })).toBe('required[1]: it must name one of the properties')
    expect(problemOf({ ...form, required: ['constructor'] })).toContain('required[0]')
  })

  it('tells where a field is wrong', () => {
    expect(problemOf(withField({ type: 'integer', minimum: '0' }, 'age'))).toBe(
      'properties.age.minimum: expected number, got string',
    )
  })
})

describe('checkElicitAnswer', () => {
  it('refuses an answer that would take too long to check', async () => {
    const names = Array.from({ length: 20 }, (_, index) => `field${index}`)
    const properties = Object.fromEntries(
      names.map((name) => [name, { type: 'string' as const, minLength: 1_500_000 }]),
    )
    const content = Object.fromEntries(names.map((name) => [name, 'x'.repeat(2_000_000)]))
    await expect(answerTo({ type: 'object', properties }, { action: 'accept', content })).rejects.toThrow(
      expect.objectContaining({ name: 'InvalidResultError', path: 'content' }),
    )
  })

  it('gives back accepted content that fits', async () => {
    const content = { email: 'a@example.com', age: 3, colours: ['red'] }
    expect(await answerTo(form, { action: 'accept', content })).toEqual({ action: 'accept', content })
  })

  it.each(['decline', 'cancel'])('has no content with %s', async (action) => {
    expect(await answerTo(form, { action, content: { email: 'x' } })).toEqual({ action })
    expect(await answerTo(form, { action })).toEqual({ action })
  })

  it('reads accept without content as an empty form', async () => {
    const optional: ElicitRequestedSchema = { type: 'object', properties: { x: { type: 'string' } } }
    expect(await answerTo(optional, { action: 'accept' })).toEqual({ action: 'accept', content: {} })
    await expect(answerTo(form, { action: 'accept' })).rejects.toThrow(InvalidResultError)
  })

  it.each([
    ['a missing field', { age: 3 }, 'content'],
    ['the wrong type', { email: 'a@example.com', age: 'old' }, 'content.age'],
    ['a fraction', { email: 'a@example.com', age: 0.5 }, 'content.age'],
    ['no e-mail address', { email: 'secret-value' }, 'content.email'],
    ['a choice that was not offered', { email: 'a@example.com', size: 'xl' }, 'content.size'],
    ['too many choices', { email: 'a@example.com', colours: ['red', 'blue'] }, 'content.colours'],
  ])('refuses %s and says where, without the value', async (_what, content, path) => {
    await expect(answerTo(form, { action: 'accept', content })).rejects.toThrow(
      expect.objectContaining({ name: 'InvalidResultError', path, message: expect.not.stringContaining('secret') }),
    )
  })

  it.each([null, undefined, 'accept', {}, { action: 'maybe' }, { action: 'accept', content: { email: {} } }])(
    'refuses %j, which is no answer',
    async (result) => {
      await expect(answerTo(form, result)).rejects.toThrow(InvalidResultError)
    },
  )

  it('holds __proto__ for a field like any other', async () => {
    const content = JSON.parse('{"email":"a@example.com","__proto__":"x"}')
    const answer = await answerTo(form, { action: 'accept', content })
    expect(answer).toEqual({ action: 'accept', content })
  })
})

describe('URL mode', () => {
  it.each(['https://example.com', 'http://localhost:3000/consent?id=1#top', 'HTTPS://EXAMPLE.COM/'])(
    'takes %s',
    (url) => {
      expect(() => checkElicitUrl(url)).not.toThrow()
    },
  )

  it.each([
    '',
    '/consent',
    'example.com',
    'https:example.com',
    'https://',
    'javascript:alert(1)',
    'file:///etc/passwd',
    'ftp://example.com',
    ' https://example.com',
    'https://exa mple.com',
    'https://example.com/\njavascript:alert(1)',
    'https://user:password@example.com/',
    'https://user@example.com/',
  ])('refuses %j without repeating it', (url) => {
    expect(() => checkElicitUrl(url)).toThrow(
      expect.objectContaining({ name: 'TypeError', message: expect.not.stringContaining('example.com') }),
    )
  })

  it('answers with an action and nothing else', () => {
    expect(checkElicitUrlAnswer({ action: 'accept', content: { x: 1 } })).toEqual({ action: 'accept' })
    expect(() => checkElicitUrlAnswer({ action: 'yes' })).toThrow(InvalidResultError)
  })
})
