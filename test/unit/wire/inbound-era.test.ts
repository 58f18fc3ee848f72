import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { UnsupportedProtocolVersionError } from '../../../src/types/errors/errors.ts'
import { checkRoutingHeaders, type HeaderLookup } from '../../../src/wire/headers/headers.ts'
import { classifyModernRequest, eraOf, hasModernEnvelope, httpStatusOf } from '../../../src/wire/inbound-era.ts'

const VERSION = 'io.modelcontextprotocol/protocolVersion'
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities'
const SUPPORTED = ['2025-11-25', '2026-07-28']

function params(meta: Record<string, unknown> = {}) {
  return { name: 'add', _meta: { [VERSION]: '2026-07-28', [CAPABILITIES]: {}, ...meta } }
}

function lookupOf(
  version: string | string[] | undefined,
  method: string | string[] | undefined,
  name?: string,
): HeaderLookup {
  const headers = new Map([
    ['mcp-protocol-version', version],
    ['mcp-method', method],
    ['mcp-name', name],
  ])
  return (header) => headers.get(header)
}

function classify(body: Record<string, unknown> | undefined, headers?: HeaderLookup) {
  const request = { method: 'tools/call', params: body }
  const checkHeaders =
    headers &&
    ((protocolVersion: string) => checkRoutingHeaders({ ...request, protocolVersion, nameParam: 'name' }, headers))
  return classifyModernRequest(request, { supportedVersions: SUPPORTED, checkHeaders })
}

function errorOf(body: Record<string, unknown> | undefined, headers?: HeaderLookup) {
  const classification = classify(body, headers)
  return classification.ok ? undefined : classification.error
}

const agreeing = lookupOf('2026-07-28', 'tools/call', 'add')

describe('era', () => {
  it.each([
    ['both keys', { [VERSION]: 'x', [CAPABILITIES]: {} }, true],
    ['the version alone', { [VERSION]: 'x' }, true],
    ['the capabilities alone', { [CAPABILITIES]: {} }, true],
    ['a malformed version', { [VERSION]: null }, true],
    ['a prototype as data', JSON.parse(`{"__proto__":{"${VERSION}":"x"}}`), false],
    ['other keys', { progressToken: 1, 'io.modelcontextprotocol/clientInfo': {} }, false],
  ])('a _meta with %s', (_what, meta, isModern) => {
    expect(hasModernEnvelope({ _meta: meta })).toBe(isModern)
    expect(eraOf({ method: 'tools/call', params: { _meta: meta } })).toBe(isModern ? 'modern' : 'legacy')
  })

  it.each([undefined, null, 5, {}, { _meta: null }, { _meta: [VERSION] }])('params %j are not modern', (value) => {
    expect(hasModernEnvelope(value)).toBe(false)
  })

  it.each([
    ['initialize', undefined, undefined, 'legacy'],
    ['initialize', params(), undefined, 'modern'],
    ['initialize', undefined, '2026-07-28', 'legacy'],
    ['ping', params(), undefined, 'modern'],
    ['tools/list', undefined, '2026-07-28', 'modern'],
    ['tools/list', undefined, '2025-11-25', 'legacy'],
    ['tools/list', undefined, 'v999', 'legacy'],
    ['tools/list', undefined, undefined, 'legacy'],
    ['tools/list', params(), '2025-11-25', 'modern'],
  ] as const)('%s with params %j and version header %s', (method, body, versionHeader, era) => {
    const headers = (name: string) => (name === 'mcp-protocol-version' ? versionHeader : undefined)
    expect(eraOf({ method, params: body }, headers)).toBe(era)
  })
})

describe('the ladder', () => {
  it('gives the route of a good request, with and without headers', () => {
    const info = { name: 'probe', version: '1' }
    const body = params({ 'io.modelcontextprotocol/clientInfo': info, 'io.modelcontextprotocol/logLevel': 'info' })
    const route = { protocolVersion: '2026-07-28', clientCapabilities: {}, clientInfo: info, logLevel: 'info' }
    expect(classify(body)).toEqual({ ok: true, route })
    expect(classify(body, agreeing)).toEqual({ ok: true, route })
  })

  it('serves a request without clientInfo', () => {
    expect(classify(params(), agreeing)).toEqual({
      ok: true,
      route: { protocolVersion: '2026-07-28', clientCapabilities: {} },
    })
  })

  it.each([
    ['no params', undefined],
    ['no _meta', {}],
    ['no version', { _meta: { [CAPABILITIES]: {} } }],
    ['no capabilities', { _meta: { [VERSION]: '2026-07-28' } }],
    ['a version that is no string', params({ [VERSION]: 20260728 })],
  ])('answers -32602 for %s, whatever the headers say', (_what, body) => {
    for (const headers of [undefined, agreeing, lookupOf(undefined, undefined), lookupOf('v999', 'x')]) {
      expect(errorOf(body, headers)?.code).toBe(-32602)
    }
  })

  it('names the missing keys', () => {
    expect(errorOf({ _meta: {} })?.message).toBe(
      `Invalid request envelope: params._meta lacks ${VERSION} and ${CAPABILITIES}`,
    )
  })

  it('does not let a null version match an absent header', () => {
    expect(errorOf(params({ [VERSION]: null }), lookupOf(undefined, 'tools/call', 'add'))?.code).toBe(-32602)
  })

  it('F116 reports a contradiction before an unsupported version', () => {
    expect(errorOf(params({ [VERSION]: 'v999' }), agreeing)?.code).toBe(-32020)
    expect(errorOf(params(), lookupOf(undefined, 'tools/call', 'add'))?.code).toBe(-32020)
    expect(errorOf(params(), lookupOf('2026-07-28', 'tools/list', 'add'))?.code).toBe(-32020)
    expect(errorOf(params(), lookupOf('2026-07-28', 'tools/call', 'other'))?.code).toBe(-32020)
    expect(errorOf(params(), lookupOf(['2026-07-28', '2025-11-25'], 'tools/call', 'add'))?.code).toBe(-32020)
  })

  it.each(['v999', '2027-01-01', '', '2026-07-28 '])(
    'F091 answers -32022 with both lists for version %j',
    (requested) => {
      const error = errorOf(params({ [VERSION]: requested }))
      expect(error).toBeInstanceOf(UnsupportedProtocolVersionError)
      expect(error?.toErrorData()).toEqual({
        code: -32022,
        message: 'Unsupported protocol version',
        data: { supported: SUPPORTED, requested },
      })
    },
  )

  it('F091 says of a legacy version, which is in the list, how it begins', () => {
    expect(errorOf(params({ [VERSION]: '2025-11-25' }))?.toErrorData()).toEqual({
      code: -32022,
      message: 'Unsupported protocol version in _meta: 2025-11-25 begins with initialize',
      data: { supported: SUPPORTED, requested: '2025-11-25' },
    })
  })

  it('F091 refuses a modern version that the server does not offer', () => {
    const options = { supportedVersions: ['2025-11-25'] }
    const classification = classifyModernRequest({ method: 'tools/list', params: params() }, options)
    expect(classification).toMatchObject({ ok: false, error: { code: -32022 } })
  })

  it('echoes only the beginning of an endless version', () => {
    const error = errorOf(params({ [VERSION]: 'v'.repeat(1_000_000) }))
    expect(error).toMatchObject({ requested: 'v'.repeat(128) })
  })

  it('never throws, whatever the params and headers hold', () => {
    const value = fc.jsonValue({ maxDepth: 2 })
    const meta = fc.dictionary(fc.constantFrom(VERSION, CAPABILITIES, '__proto__', 'x'), value)
    fc.assert(
      fc.property(meta, fc.array(fc.string(), { maxLength: 2 }), (entries, header) => {
        const error = errorOf({ _meta: entries }, () => header)
        expect([undefined, -32602, -32020, -32022]).toContain(error?.code)
      }),
      { seed: 28, numRuns: 300 },
    )
  })
})

describe('httpStatusOf', () => {
  it.each([
    [-32700, 400],
    [-32600, 400],
    [-32602, 400],
    [-32020, 400],
    [-32021, 400],
    [-32022, 400],
    [-32601, 404],
    [-32603, 200],
    [-32002, 200],
    [-32042, 200],
    [-1, 200],
    [0, 200],
  ])('%i is answered with %i', (code, status) => {
    expect(httpStatusOf(code)).toBe(status)
  })
})
