import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { DispatchContext } from '../../../src/dispatcher/dispatcher.ts'
import { encodeMessage } from '../../../src/dispatcher/encode.ts'
import { audio, image, resourceLink } from '../../../src/mcpserver/media.ts'
import { isWholeResult, toResult } from '../../../src/mcpserver/results.ts'
import { Connection } from '../../../src/server/connection.ts'
import { ServerRequestContext } from '../../../src/server/context.ts'
import { finishPlainResult, type PlainResult } from '../../../src/server/finished-result.ts'
import { Server } from '../../../src/server/server.ts'
import type { JSONObject } from '../../../src/types/json.ts'
import type { CallToolResult } from '../../../src/types/tools.ts'
import type { ProtocolVersion } from '../../../src/types/versions.ts'
import { checkResult } from '../../../src/wire/check.ts'

const VERSIONS = ['2024-11-05', '2025-11-25', '2026-07-28'] as const

const dispatch = { transport: { kind: 'wire', canSendRequest: false, writesResults: true } } as DispatchContext
const inProcess = { transport: { kind: 'in-process', canSendRequest: false } } as DispatchContext

/** A call of a client that speaks this revision. */
function requestAt(version: ProtocolVersion, by = dispatch): ServerRequestContext {
  const connection = Connection.fromEnvelope({ protocolVersion: version, clientCapabilities: {} })
  return new ServerRequestContext(new Server('test'), connection, by, 'tools/call', {})
}

function resultOf(value: unknown): CallToolResult {
  const made = toResult(value)
  return 'result' in made ? (made as PlainResult).result : made
}

/** What the kernel makes of it for such a client. */
function finish(request: ServerRequestContext, value: unknown): JSONObject {
  return finishPlainResult(request, toResult(value) as PlainResult)
}

const text = (value: string) => ({ type: 'text', text: value })

it('makes a result of every kind of value', () => {
  expect(resultOf(undefined)).toEqual({ content: [] })
  expect(resultOf(null)).toEqual({ content: [] })
  expect(resultOf('hello')).toEqual({ content: [text('hello')] })
  expect(resultOf(3)).toEqual({ content: [text('3')], structuredContent: { result: 3 } })
  expect(resultOf(false)).toEqual({ content: [text('false')], structuredContent: { result: false } })
  expect(resultOf({ a: [1] })).toEqual({ content: [text('{"a":[1]}')], structuredContent: { a: [1] } })
  expect(resultOf([])).toEqual({ content: [] })
})

it('keeps content blocks, alone and in mixed lists', () => {
  const picture = image(new Uint8Array([1, 2, 3]))
  const sound = audio('AQID', 'audio/mpeg', { annotations: { priority: 1 }, meta: { 'example.com/take': 2 } })
  const link = resourceLink('notes://today', { title: 'Today' })
  const embedded = { type: 'resource', resource: { uri: 'notes://today', text: 'x' } }
  expect(picture).toEqual({ type: 'image', data: 'AQID', mimeType: 'image/png' })
  expect(resultOf(picture)).toEqual({ content: [picture] })
  expect(resultOf(['see', picture, sound, link, embedded, 7, { a: 1 }, undefined, null])).toEqual({
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
  expect(() => resultOf(() => 1)).toThrow(TypeError)
  expect(() => resultOf(10n)).toThrow(TypeError)
  expect(() => resultOf(new Uint8Array(3))).toThrow(/bytes/)
  const loop: { self?: unknown } = {}
  loop.self = loop
  expect(() => resultOf(loop)).toThrow(TypeError)
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
      const { content, structuredContent } = resultOf(value)
      const [block] = content
      expect(block?.type).toBe('text')
      expect(JSON.stringify(structuredContent)).toBe(block?.type === 'text' && block.text)
      expect(JSON.parse(JSON.stringify(structuredContent))).toStrictEqual(structuredContent)
    }),
    { seed: 41, numRuns: 200 },
  )
})

it.each(VERSIONS)('writes results of %s as JSON.stringify would, and right by construction', (version) => {
  fc.assert(
    fc.property(fc.oneof(fc.jsonValue(), fc.string(), fc.constant(undefined)), (value) => {
      fc.pre(!Array.isArray(value))
      const result = finish(requestAt(version, inProcess), value)
      const written = encodeMessage({ jsonrpc: '2.0', id: 7, result: finish(requestAt(version), value) })
      expect(written).toBe(JSON.stringify({ jsonrpc: '2.0', id: 7, result }))
      expect(JSON.stringify(finish(requestAt(version), value))).toBe(JSON.stringify(result))
      expect(checkResult('tools/call', version, result)).toBe('complete')
      expect('structuredContent' in result && version === '2024-11-05').toBe(false)
    }),
    { seed: 42, numRuns: 200 },
  )
})

it('leaves the writing to others where a middleware could change a result', () => {
  const server = new Server('test', { middleware: [(_ctx, next) => next()] })
  const connection = Connection.fromEnvelope({ protocolVersion: '2026-07-28', clientCapabilities: {} })
  const request = new ServerRequestContext(server, connection, dispatch, 'tools/call', {})
  const result = finish(request, 'before')
  result['content'] = [{ type: 'text', text: 'after' }]
  expect(encodeMessage({ jsonrpc: '2.0', id: 7, result })).toContain('after')
})
