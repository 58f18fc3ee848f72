import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { DispatchContext } from '../../../../src/dispatcher/dispatcher.ts'
import { encodeMessage } from '../../../../src/dispatcher/encode.ts'
import { audio, image, resourceLink } from '../../../../src/mcpserver/values/media.ts'
import { toResult, toWholeResult } from '../../../../src/mcpserver/values/results.ts'
import { ConnectionCore } from '../../../../src/server/connection.ts'
import { createContext, type ServerRequestContext, serverOfRequest } from '../../../../src/server/context.ts'
import { coreOf } from '../../../../src/server/internals.ts'
import { type PlainResult, respond } from '../../../../src/server/results/respond.ts'
import { Server } from '../../../../src/server/server.ts'
import type { CallToolResult } from '../../../../src/types/features/tools.ts'
import type { JSONObject } from '../../../../src/types/protocol/json.ts'
import type { ProtocolVersion } from '../../../../src/types/protocol/versions.ts'
import { checkResult } from '../../../../src/wire/check.ts'
import { loadParts } from '../../../support/load-parts.ts'

await loadParts()

const VERSIONS = ['2024-11-05', '2025-11-25', '2026-07-28'] as const

const dispatch = { transport: { kind: 'wire', canSendRequest: false, writesResults: true } } as DispatchContext
const inProcess = { transport: { kind: 'in-process', canSendRequest: false } } as DispatchContext

/** A call of a client that speaks this revision. */
function requestAt(version: ProtocolVersion, by = dispatch): ServerRequestContext {
  const connection = ConnectionCore.fromEnvelope({ protocolVersion: version, clientCapabilities: {} })
  return createContext(coreOf(new Server('test')), connection, by, 'tools/call', {})
}

function resultOf(value: unknown): CallToolResult {
  const made = toResult(value)
  return 'result' in made ? (made as PlainResult).result : made
}

/** What the kernel makes of it for such a client. */
function finish(request: ServerRequestContext, value: unknown): JSONObject {
  const plain = toResult(value) as PlainResult
  return respond(serverOfRequest(request), request, plain.result, plain)
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

it('F201 rejects image and audio data that is not Base64, whoever wrote the block', () => {
  expect(() => image('not base64!')).toThrow(TypeError)
  expect(() => audio('AQI')).toThrow(TypeError)
  expect(image(new Uint8Array([1, 2, 3]).buffer).data).toBe('AQID')
  const picture = { type: 'image', data: '***', mimeType: 'image/png' }
  const embedded = { type: 'resource', resource: { uri: 'x://y', blob: 'AQI' } }
  for (const block of [picture, { ...picture, type: 'audio' }, embedded]) {
    expect(() => resultOf(block)).toThrow(/Base64/)
    expect(() => resultOf(['see', block])).toThrow(/Base64/)
    expect(() => toWholeResult({ content: [block] })).toThrow(/Base64/)
  }
})

it('distinguishes a whole result from data that has content too', () => {
  const failed = { content: [text('x')], isError: true }
  expect(toWholeResult(failed)).toBe(failed)
  const silent = { content: [] }
  expect(toWholeResult(silent)).toBe(silent)
  for (const data of [
    { content: ['chapter 1'], author: 'Ada' },
    { content: [text('x')], author: 'Ada' },
  ]) {
    expect(toWholeResult(data)).toBeUndefined()
  }
  for (const data of [{ content: 'all of it' }, { isError: false }, { _meta: {} }, 'x', [text('x')], undefined]) {
    expect(toWholeResult(data)).toBeUndefined()
  }
})

it('rejects a value that claims to be a whole result and is not', () => {
  const nearly = [
    { content: ['chapter 1'] },
    { content: ['bad'], isError: true },
    { isError: true, code: 7 },
    { structuredContent: { a: 1 } },
    { content: 'x', structuredContent: { a: 1 } },
    { content: [], structuredContent: { a: new Map() } },
  ]
  for (const value of nearly) expect(() => toWholeResult(value), JSON.stringify(value)).toThrow(TypeError)
})

it('rejects values without a JSON form, and bytes outside of content blocks', () => {
  expect(() => resultOf(() => 1)).toThrow(TypeError)
  expect(() => resultOf(10n)).toThrow(TypeError)
  expect(() => resultOf(new Uint8Array(3))).toThrow(/bytes/)
  expect(() => resultOf(new ArrayBuffer(3))).toThrow(/bytes/)
  const loop: { self?: unknown } = {}
  loop.self = loop
  expect(() => resultOf(loop)).toThrow(TypeError)
})

class Point {
  x = 1
  readonly hidden = undefined
  readonly method = () => this.x
}

it('rejects values that JSON would write in part, at any depth, and trusts toJSON', () => {
  const lossy = [Number.NaN, Infinity, new Map(), new Set([1]), new Error('no'), /x/, new Blob(['x']), Symbol('x'), 1n]
  for (const value of [...lossy, new ArrayBuffer(1), Buffer.from('x'), new DataView(new ArrayBuffer(1))]) {
    expect(() => resultOf(value), String(value)).toThrow(TypeError)
    expect(() => resultOf({ deep: [{ value }] }), String(value)).toThrow(TypeError)
  }
  expect(() => resultOf({ list: [() => 1] })).toThrow(TypeError)
  class Secretive {
    get value() {
      return 1
    }
  }
  expect(() => resultOf({ deep: new Secretive() })).toThrow(TypeError)
  class Options {
    declare wide?: boolean
  }
  const bare = { options: new Options(), inherits: Object.create({ a: 1 }), boxed: Object(5) }
  expect(resultOf(bare).structuredContent).toEqual({ options: {}, inherits: {}, boxed: 5 })
  const money = Object.assign(new Map(), { toJSON: () => '3 EUR' })
  const taken = { at: new Date(0), money, none: undefined, list: [undefined], point: new Point(), zero: -0 }
  expect(resultOf(taken).structuredContent).toEqual({
    at: '1970-01-01T00:00:00.000Z',
    money: '3 EUR',
    list: [null],
    point: { x: 1 },
    zero: 0,
  })
})

it('sends structured content that equals its JSON text, for any value', () => {
  const values = fc.anything({ withDate: true, withNullPrototype: true, withObjectString: true })
  const objects = fc.oneof(
    fc.dictionary(fc.string(), values),
    fc.constant(new Point()),
    fc.constant({ deep: { at: new Date(0), none: undefined } }),
    fc.constant(JSON.parse('{"__proto__": {"a": 1}}')),
  )
  fc.assert(
    fc.property(objects, (value) => {
      fc.pre(!('type' in value) && !('content' in value))
      fc.pre(!/\b(?:NaN|Infinity|Symbol)\b|\dn\b/.test(fc.stringify(value)))
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

it('does not prepare the JSON text where a middleware could change the result', () => {
  const server = new Server('test', { middleware: [(_ctx, next) => next()] })
  const connection = ConnectionCore.fromEnvelope({ protocolVersion: '2026-07-28', clientCapabilities: {} })
  const request = createContext(coreOf(server), connection, dispatch, 'tools/call', {})
  const result = finish(request, 'before')
  result['content'] = [{ type: 'text', text: 'after' }]
  expect(encodeMessage({ jsonrpc: '2.0', id: 7, result })).toContain('after')
})
