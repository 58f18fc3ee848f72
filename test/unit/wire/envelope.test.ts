import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readEnvelope, readServerInfo, stampEnvelope } from '../../../src/wire/envelope.ts'

const VERSION = 'io.modelcontextprotocol/protocolVersion'
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities'
const CLIENT_INFO = 'io.modelcontextprotocol/clientInfo'
const LOG_LEVEL = 'io.modelcontextprotocol/logLevel'
const SERVER_INFO = 'io.modelcontextprotocol/serverInfo'

const NO_META = `params._meta is missing; it must have ${VERSION} and ${CAPABILITIES}`

const info = { name: 'probe', version: '1.0.0' }
const full = {
  protocolVersion: '2026-07-28',
  clientCapabilities: { elicitation: { form: {} } },
  clientInfo: info,
  logLevel: 'debug',
} as const
const bare = { protocolVersion: '2026-07-28', clientCapabilities: {} }

function problemOf(params: unknown): string {
  const reading = readEnvelope(params)
  return reading.ok ? 'none' : reading.problem
}

function withMeta(meta: Record<string, unknown>) {
  return { _meta: { [VERSION]: '2026-07-28', [CAPABILITIES]: {}, ...meta } }
}

describe('stampEnvelope', () => {
  it('puts the four keys into _meta, also where there were no params', () => {
    const meta = {
      [VERSION]: '2026-07-28',
      [CAPABILITIES]: full.clientCapabilities,
      [CLIENT_INFO]: info,
      [LOG_LEVEL]: 'debug',
    }
    expect(stampEnvelope(undefined, full)).toEqual({ _meta: meta })
    expect(stampEnvelope({ name: 'add' }, full)).toEqual({ name: 'add', _meta: meta })
  })

  it('leaves out what the envelope does not have', () => {
    expect(stampEnvelope({}, bare)).toEqual({ _meta: { [VERSION]: '2026-07-28', [CAPABILITIES]: {} } })
  })

  it('keeps the progress token and foreign keys of the caller', () => {
    const params = { _meta: { progressToken: 7, traceparent: '00-a-b-01', 'com.example/x': [1] } }
    expect(stampEnvelope(params, bare)['_meta']).toMatchObject(params._meta)
  })

  it('never lets the caller speak for the session', () => {
    const params = { _meta: { [VERSION]: 'v999', [CAPABILITIES]: { roots: {} }, [CLIENT_INFO]: { name: 'x' } } }
    expect(stampEnvelope(params, bare)).toEqual({ _meta: { [VERSION]: '2026-07-28', [CAPABILITIES]: {} } })
    expect(stampEnvelope(params, full)['_meta']).toMatchObject({ [CLIENT_INFO]: info })
  })

  it('lets one request ask for its own log level', () => {
    const params = { _meta: { [LOG_LEVEL]: 'error' } }
    expect(stampEnvelope(params, full)['_meta']).toMatchObject({ [LOG_LEVEL]: 'error' })
    expect(stampEnvelope(params, bare)['_meta']).toMatchObject({ [LOG_LEVEL]: 'error' })
  })

  it('never changes what it was given', () => {
    const params = Object.freeze({ a: 1, _meta: Object.freeze({ [VERSION]: 'old', keep: true }) })
    stampEnvelope(params, Object.freeze(full))
    expect(params).toEqual({ a: 1, _meta: { [VERSION]: 'old', keep: true } })
  })

  it('replaces a _meta that is no object', () => {
    expect(stampEnvelope({ _meta: ['x'] }, bare)).toEqual({ _meta: { [VERSION]: '2026-07-28', [CAPABILITIES]: {} } })
  })

  it('F059 carries __proto__ along as plain data', () => {
    const params = JSON.parse('{"__proto__":{"a":1},"_meta":{"__proto__":{"polluted":true}}}')
    const stamped = stampEnvelope(params, full)
    expect(Object.getPrototypeOf(stamped)).toBe(Object.prototype)
    expect(JSON.stringify(stamped)).toContain('"__proto__":{"polluted":true}')
    expect(JSON.stringify(stamped)).toContain('"__proto__":{"a":1}')
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
  })
})

describe('readEnvelope', () => {
  it('reads back what was stamped', () => {
    expect(readEnvelope(stampEnvelope({ name: 'add' }, full))).toEqual({ ok: true, envelope: full })
    expect(readEnvelope(stampEnvelope(undefined, bare))).toEqual({ ok: true, envelope: bare })
  })

  it.each([
    ['no params', undefined, NO_META],
    ['no _meta', {}, NO_META],
    ['a _meta that is a list', { _meta: [] }, NO_META],
    ['a _meta that is null', { _meta: null }, NO_META],
    ['neither key', { _meta: {} }, `params._meta lacks ${VERSION} and ${CAPABILITIES}`],
    ['no version', { _meta: { [CAPABILITIES]: {} } }, `params._meta lacks ${VERSION}`],
    ['no capabilities', { _meta: { [VERSION]: '2026-07-28' } }, `params._meta lacks ${CAPABILITIES}`],
    ['a version that is null', withMeta({ [VERSION]: null }), `${VERSION} must be a string`],
    ['a version that is a number', withMeta({ [VERSION]: 2026 }), `${VERSION} must be a string`],
    ['capabilities that are null', withMeta({ [CAPABILITIES]: null }), `${CAPABILITIES} must be an object`],
    ['capabilities that are a list', withMeta({ [CAPABILITIES]: [] }), `${CAPABILITIES} must be an object`],
    ['a log level that does not exist', withMeta({ [LOG_LEVEL]: 'loud' }), `${LOG_LEVEL} is not a log level`],
    ['a log level that is null', withMeta({ [LOG_LEVEL]: null }), `${LOG_LEVEL} is not a log level`],
  ])('says what is wrong with %s', (_what, params, problem) => {
    expect(problemOf(params)).toBe(problem)
  })

  it.each([
    undefined,
    null,
    'probe',
    [],
    {},
    { name: 'probe' },
    { name: 5, version: '1' },
    { ...info, title: 5 },
    { ...info, icons: 'x' },
    { ...info, icons: [{}] },
  ])('reads clientInfo %j as absent', (clientInfo) => {
    expect(readEnvelope(withMeta({ [CLIENT_INFO]: clientInfo }))).toEqual({ ok: true, envelope: bare })
  })

  it('keeps all of a well-formed clientInfo, unknown members included', () => {
    const rich = { ...info, title: 'Probe', icons: [{ src: 'https://example.com/i.png' }], vendor: { x: 1 } }
    expect(readEnvelope(withMeta({ [CLIENT_INFO]: rich }))).toMatchObject({ ok: true, envelope: { clientInfo: rich } })
  })

  it('F059 takes a prototype for data', () => {
    expect(problemOf(JSON.parse(`{"__proto__":${JSON.stringify(withMeta({}))}}`))).toBe(NO_META)
    const meta = JSON.stringify({ [VERSION]: '2026-07-28', [CAPABILITIES]: {} })
    expect(problemOf(JSON.parse(`{"_meta":{"__proto__":${meta}}}`))).toContain('lacks')
  })

  it('F061 takes a key that only looks like one for another key', () => {
    expect(problemOf({ _meta: { [VERSION.toUpperCase()]: 'x', [CAPABILITIES]: {} } })).toContain(VERSION)
    expect(problemOf({ _meta: { [`${VERSION}\u0000`]: 'x', [CAPABILITIES]: {} } })).toContain(VERSION)
  })

  it('never throws and never quotes the peer', () => {
    const key = fc.constantFrom(VERSION, CAPABILITIES, CLIENT_INFO, LOG_LEVEL)
    const value = fc.constantFrom('canary', ['canary'], { canary: 'canary' }, null, 5, true)
    fc.assert(
      fc.property(fc.dictionary(key, value), (meta) => {
        expect(problemOf({ _meta: meta })).not.toContain('canary')
      }),
      { seed: 3, numRuns: 300 },
    )
  })
})

describe('server info', () => {
  it('is read from `_meta`', () => {
    expect(readServerInfo({ _meta: { [SERVER_INFO]: info } })).toEqual(info)
  })

  it.each([undefined, null, 'x', {}, { _meta: null }, { _meta: { [SERVER_INFO]: { name: 1 } } }, { serverInfo: 'x' }])(
    'reads %j as no server info',
    (result) => {
      expect(readServerInfo(result)).toBeUndefined()
    },
  )

  it('tolerates the body form, and prefers the stamp', () => {
    expect(readServerInfo({ serverInfo: info })).toEqual(info)
    const other = { name: 'other', version: '2' }
    expect(readServerInfo({ serverInfo: other, _meta: { [SERVER_INFO]: info } })).toEqual(info)
    expect(readServerInfo({ serverInfo: info, _meta: { [SERVER_INFO]: 5 } })).toEqual(info)
  })
})
