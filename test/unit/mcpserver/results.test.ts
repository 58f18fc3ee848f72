import fc from 'fast-check'
import { expect, it } from 'vitest'
import { audio, image, resourceLink } from '../../../src/mcpserver/media.ts'
import { isWholeResult, toResult } from '../../../src/mcpserver/results.ts'

const text = (value: string) => ({ type: 'text', text: value })

it('makes a result of every kind of value', () => {
  expect(toResult(undefined)).toEqual({ content: [] })
  expect(toResult(null)).toEqual({ content: [] })
  expect(toResult('hello')).toEqual({ content: [text('hello')] })
  expect(toResult(3)).toEqual({ content: [text('3')], structuredContent: { result: 3 } })
  expect(toResult(false)).toEqual({ content: [text('false')], structuredContent: { result: false } })
  expect(toResult({ a: [1] })).toEqual({ content: [text('{"a":[1]}')], structuredContent: { a: [1] } })
  expect(toResult([])).toEqual({ content: [] })
})

it('keeps content blocks, alone and in mixed lists', () => {
  const picture = image(new Uint8Array([1, 2, 3]))
  const sound = audio('AQID', 'audio/mpeg', { annotations: { priority: 1 }, meta: { 'example.com/take': 2 } })
  const link = resourceLink('notes://today', { title: 'Today' })
  const embedded = { type: 'resource', resource: { uri: 'notes://today', text: 'x' } }
  expect(picture).toEqual({ type: 'image', data: 'AQID', mimeType: 'image/png' })
  expect(toResult(picture)).toEqual({ content: [picture] })
  expect(toResult(['see', picture, sound, link, embedded, 7, { a: 1 }, undefined, null])).toEqual({
    content: [text('see'), picture, sound, link, embedded, text('7'), text('{"a":1}'), text('null')],
  })
})

it('F201 takes no text for a picture that is not Base64', () => {
  expect(() => image('not base64!')).toThrow(TypeError)
  expect(() => audio('AQI')).toThrow(TypeError)
})

it('tells a whole result from data that has content too', () => {
  expect(isWholeResult({ content: [text('x')], isError: true })).toBe(true)
  expect(isWholeResult({ content: [] })).toBe(true)
  expect(isWholeResult({ content: ['chapter 1'], author: 'Ada' })).toBe(false)
  expect(isWholeResult({ content: ['chapter 1'] })).toBe(false)
  expect(isWholeResult({ content: [text('x')], author: 'Ada' })).toBe(false)
})

it('refuses what has no JSON form, and bytes that nobody can read', () => {
  expect(() => toResult(() => 1)).toThrow(TypeError)
  expect(() => toResult(10n)).toThrow(TypeError)
  expect(() => toResult(new Uint8Array(3))).toThrow(/bytes/)
  const loop: { self?: unknown } = {}
  loop.self = loop
  expect(() => toResult(loop)).toThrow(TypeError)
})

it('sends structured content that is what its text says, whatever the value was made of', () => {
  class Point {
    x = 1
    readonly hidden = undefined
  }
  const values = fc.anything({ withDate: true, withMap: true, withNullPrototype: true, withObjectString: true })
  const objects = fc.oneof(
    fc.dictionary(fc.string(), values),
    fc.constant(new Point()),
    fc.constant({ deep: { at: new Date(0), nan: Number.NaN, none: undefined } }),
    fc.constant(JSON.parse('{"__proto__": {"a": 1}}')),
  )
  fc.assert(
    fc.property(objects, (value) => {
      fc.pre(!isWholeResult(value) && !('type' in value))
      const { content, structuredContent } = toResult(value)
      const [block] = content
      expect(block?.type).toBe('text')
      expect(JSON.stringify(structuredContent)).toBe(block?.type === 'text' && block.text)
      expect(JSON.parse(JSON.stringify(structuredContent))).toStrictEqual(structuredContent)
    }),
    { seed: 41, numRuns: 200 },
  )
})
