import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MCPError } from '../../../../src/types/errors/errors.ts'
import { LimitError } from '../../../../src/types/errors/failures.ts'
import type { HeaderAnnotation } from '../../../../src/wire/headers/header-annotations.ts'
import type { HeaderLookup } from '../../../../src/wire/headers/headers.ts'
import { checkParamHeaders, paramHeaders } from '../../../../src/wire/headers/param-headers.ts'

const annotations: HeaderAnnotation[] = [
  { name: 'Region', path: ['region'], type: 'string' },
  { name: 'City', path: ['address', 'city'], type: 'string' },
  { name: 'Count', path: ['count'], type: 'integer' },
  { name: 'Dry', path: ['dry'], type: 'boolean' },
]

function lookupOf(headers: Record<string, string | string[]>): HeaderLookup {
  const byName = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
  return (name) => byName.get(name)
}

function problem(args: Record<string, unknown> | undefined, headers: Record<string, string | string[]>) {
  const error = checkParamHeaders(annotations, args, lookupOf(headers))
  if (error === undefined) return undefined
  expect(error.code).toBe(-32020)
  return error.message.replace('Header mismatch: ', '')
}

describe('paramHeaders', () => {
  it('mirrors each annotated argument by its own type', () => {
    const args = { region: 'us-west1', address: { city: 'Zürich' }, count: -7, dry: false, other: 'not mirrored' }
    expect(paramHeaders(annotations, args)).toEqual({
      'Mcp-Param-Region': 'us-west1',
      'Mcp-Param-City': '=?base64?WsO8cmljaA==?=',
      'Mcp-Param-Count': '-7',
      'Mcp-Param-Dry': 'false',
    })
  })

  it('sends an empty string as an empty header', () => {
    expect(paramHeaders(annotations, { region: '' })).toEqual({ 'Mcp-Param-Region': '' })
  })

  it.each([
    ['no arguments', undefined],
    ['absent ones', {}],
    ['null', { region: null, count: null, address: null }],
    ['a path that leads through a string', { address: 'x' }],
    ['a path that leads through a list', { address: ['x'] }],
    ['an object', { region: {} }],
    ['a list', { region: ['x'] }],
    ['a fraction', { count: 1.5 }],
    ['what JSON writes as null', { count: Number.NaN }],
  ])('sends nothing for %s', (_what, args) => {
    expect(paramHeaders(annotations, args)).toEqual({})
  })

  it.each([
    ['F217 an integer that has lost its digits', { count: 2 ** 53 }],
    ['F217 a huge integer', { count: -1e21 }],
    ['F062 a lone surrogate', { region: 'secret\uD800' }],
  ])('refuses locally: %s', (_what, args) => {
    let thrown: unknown
    try {
      paramHeaders(annotations, args)
    } catch (error) {
      thrown = error
    }
    expect(thrown).toBeInstanceOf(MCPError)
    expect(thrown).toMatchObject({ code: -32602, local: true })
    expect(String(thrown)).toMatch(/Mcp-Param-(Count|Region)/)
    expect(String(thrown)).not.toContain('secret')
  })

  it('writes the largest safe integers in full', () => {
    expect(paramHeaders(annotations, { count: Number.MAX_SAFE_INTEGER })).toEqual({
      'Mcp-Param-Count': '9007199254740991',
    })
    expect(paramHeaders(annotations, { count: -0 })).toEqual({ 'Mcp-Param-Count': '0' })
  })

  it('F118 refuses values that make the headers too long', () => {
    expect(() => paramHeaders(annotations, { region: 'x'.repeat(65_536) })).toThrow(LimitError)
    expect(() => paramHeaders(annotations, { region: 'é'.repeat(4000) })).toThrow(LimitError)
    const most = { region: 'x'.repeat(8192), address: { city: 'x'.repeat(8192) } }
    expect(() => paramHeaders(annotations, most)).toThrow(LimitError)
  })

  it('F059 reads own members only', () => {
    const inherited = [{ name: 'A', path: ['constructor', 'name'], type: 'string' }] as const
    expect(paramHeaders(inherited, {})).toEqual({})
    const own = [{ name: '__proto__', path: ['__proto__'], type: 'string' }] as const
    expect(paramHeaders(own, JSON.parse('{"__proto__":"data"}'))).toEqual({ 'Mcp-Param-__proto__': 'data' })
  })
})

describe('checkParamHeaders', () => {
  it('accepts what paramHeaders wrote', () => {
    const args = fc.record(
      {
        region: fc.option(fc.string({ unit: 'binary', maxLength: 30 })),
        address: fc.record({ city: fc.string() }, { requiredKeys: [] }),
        count: fc.maxSafeInteger(),
        dry: fc.boolean(),
      },
      { requiredKeys: [] },
    )
    fc.assert(
      fc.property(args, (values) => {
        const body = JSON.parse(JSON.stringify(values))
        expect(problem(body, paramHeaders(annotations, values))).toBeUndefined()
      }),
      { seed: 2243, numRuns: 300 },
    )
  })

  it('F217 expects no header for an argument that is absent or null', () => {
    expect(problem(undefined, {})).toBeUndefined()
    expect(problem({ region: null, address: {} }, {})).toBeUndefined()
  })

  it('S-HTTP-27 S-HTTP-28 F116 has a message of its own for each fault', () => {
    const region = { region: 'Hello' }
    const faults = [
      problem(region, {}),
      problem(region, { 'Mcp-Param-Region': 'hello' }),
      problem(region, { 'Mcp-Param-Region': '=?base64?SGVsbG8?=' }),
      problem(region, { 'Mcp-Param-Region': ['Hello', 'Hello'] }),
      problem({}, { 'Mcp-Param-Region': 'Hello' }),
      problem({ region: ['Hello'] }, { 'Mcp-Param-Region': 'Hello' }),
      problem({ count: 2 ** 53 }, { 'Mcp-Param-Count': '9007199254740992' }),
    ]
    expect(faults).toEqual([
      'Mcp-Param-Region is missing although its argument is present',
      'Mcp-Param-Region differs from its argument',
      'Mcp-Param-Region is malformed',
      'Mcp-Param-Region is repeated',
      'Mcp-Param-Region is present but its argument is absent or null',
      'Mcp-Param-Region cannot mirror an argument that is an object or array',
      'Mcp-Param-Count mirrors an argument that is not an integer within ±(2^53 − 1)',
    ])
  })

  it.each([
    ['Hello', '=?base64?SGVsbG8=?=', true],
    ['SGVsbG8=', 'SGVsbG8=', true],
    ['=?base64?SGVsbG8=', '=?base64?SGVsbG8=', true],
    ['Hello', '  Hello\t', true],
    ['', '', true],
    ['Hello', 'Hello\n', false],
    ['Hello', '', false],
    ['Hello', '=?base64?SGVs!!!bG8=?=', false],
    ['a\uD800', '=?base64?Ye+/vQ==?=', false],
    ['=?base64?SGVsbG8=?=', '=?base64?SGVsbG8=?=', false],
  ])('F117 compares the string %j with the header %j: %s', (region, header, isEqual) => {
    expect(problem({ region }, { 'Mcp-Param-Region': header }) === undefined).toBe(isEqual)
  })

  it.each([
    [42, '42', true],
    [42, '42.0', true],
    [42, '42.000', true],
    [42, '=?base64?NDI=?=', true],
    [0, '-0', true],
    [-7, '-7', true],
    [9007199254740991, '9007199254740991', true],
    [9007199254740991, '9007199254740991.0', true],
    [42, '42.5', false],
    [42, '42.', false],
    [42, '042', false],
    [42, '+42', false],
    [42, '4.2e1', false],
    [42, '42e0', false],
    [42, '0x2a', false],
    [42, '', false],
    [42, '٤٢', false],
    [42, '42.00000000000000000000000000000001', false],
    [9007199254740991, '9007199254740991.4', false],
    [9007199254740991, '9007199254740992', false],
    [-0, '0', true],
    [42.5, '42.5', false],
  ])('F217 compares the integer %d with the header %j exactly: %s', (count, header, isEqual) => {
    expect(problem({ count }, { 'Mcp-Param-Count': header }) === undefined).toBe(isEqual)
  })

  it.each([
    [true, 'true', true],
    [false, 'false', true],
    [true, 'True', false],
    [true, '1', false],
    [true, 'false', false],
  ])('compares the boolean %s with the header %j: %s', (dry, header, isEqual) => {
    expect(problem({ dry }, { 'Mcp-Param-Dry': header }) === undefined).toBe(isEqual)
  })

  it('ignores headers that no annotation names, repeated ones included', () => {
    expect(problem({}, { 'Mcp-Param-Other': ['a', 'b'] })).toBeUndefined()
  })

  it('finds a header whatever the case of its annotation', () => {
    expect(problem({ region: 'x' }, { 'MCP-PARAM-REGION': 'x' })).toBeUndefined()
  })

  it('checks every annotation, not only the first', () => {
    const args = { region: 'a', dry: true }
    expect(problem(args, { 'Mcp-Param-Region': 'a', 'Mcp-Param-Dry': 'false' })).toContain('Mcp-Param-Dry')
  })

  it('R23 quotes neither the header nor the body', () => {
    expect(problem({ region: 'secret-body' }, { 'Mcp-Param-Region': 'secret-header' })).not.toContain('secret')
  })
})
