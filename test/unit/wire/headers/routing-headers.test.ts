import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MCPError } from '../../../../src/types/errors/errors.ts'
import { LimitError } from '../../../../src/types/errors/failures.ts'
import { checkRoutingHeaders, type HeaderLookup, routingHeaders } from '../../../../src/wire/headers/headers.ts'

const call = {
  method: 'tools/call',
  params: { name: 'ship_order' },
  protocolVersion: '2026-07-28',
  nameParam: 'name',
}

function lookupOf(headers: Record<string, string | string[] | undefined>): HeaderLookup {
  const byName = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
  return (name) => byName.get(name)
}

function refusal(
  request: Parameters<typeof checkRoutingHeaders>[0],
  headers: Record<string, string | string[] | undefined>,
) {
  return checkRoutingHeaders(request, lookupOf(headers))?.toErrorData()
}

describe('routingHeaders', () => {
  it('repeats version, method and name', () => {
    expect(routingHeaders(call)).toEqual({
      'MCP-Protocol-Version': '2026-07-28',
      'Mcp-Method': 'tools/call',
      'Mcp-Name': 'ship_order',
    })
  })

  it('C-HTTP-06 takes the name from the member that the method has for it', () => {
    const read = { ...call, method: 'resources/read', params: { name: 'no', uri: 'x://zürich' }, nameParam: 'uri' }
    expect(routingHeaders(read)['Mcp-Name']).toBe('=?base64?eDovL3rDvHJpY2g=?=')
  })

  it.each([
    ['the method has no name', { ...call, nameParam: undefined }],
    ['the body has no name', { ...call, params: {} }],
    ['there are no params', { ...call, params: undefined }],
    ['the name is no string', { ...call, params: { name: 5 } }],
    ['the name is inherited', { ...call, nameParam: 'constructor' }],
  ])('has no Mcp-Name where %s', (_what, request) => {
    expect(Object.keys(routingHeaders(request))).toEqual(['MCP-Protocol-Version', 'Mcp-Method'])
  })

  it.each([
    ['F062 a name with a lone surrogate', { ...call, params: { name: 'secret\uD800' } }],
    ['F118 a method with a line feed', { ...call, method: 'secret\nX-Evil: 1' }],
    ['F118 a method with outer spaces', { ...call, method: ' secret' }],
    ['F118 a method beyond ASCII', { ...call, method: 'secreté' }],
  ])('refuses locally: %s', (_what, request) => {
    let thrown: unknown
    try {
      routingHeaders(request)
    } catch (error) {
      thrown = error
    }
    expect(thrown).toBeInstanceOf(MCPError)
    expect(thrown).toMatchObject({ code: -32602, local: true })
    expect(String(thrown)).not.toContain('secret')
  })

  it('F118 refuses a name that makes the header too long', () => {
    expect(() => routingHeaders({ ...call, params: { name: 'x'.repeat(65_536) } })).toThrow(LimitError)
  })
})

describe('checkRoutingHeaders', () => {
  const headers = routingHeaders(call)

  it('accepts what routingHeaders wrote, for every name it can write', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 50 }), (name) => {
        const request = { ...call, params: { name } }
        expect(refusal(request, routingHeaders(request))).toBeUndefined()
      }),
      { seed: 2243, numRuns: 200 },
    )
  })

  it('accepts spaces around values and a header given as a list of one', () => {
    expect(refusal(call, { ...headers, 'Mcp-Name': '  ship_order\t', 'Mcp-Method': ['tools/call'] })).toBeUndefined()
  })

  it('ignores Mcp-Name where the method has no name', () => {
    expect(refusal({ ...call, nameParam: undefined }, { ...headers, 'Mcp-Name': 'anything' })).toBeUndefined()
  })

  it('leaves a body without name and header to the check of the params', () => {
    expect(refusal({ ...call, params: {} }, { ...headers, 'Mcp-Name': undefined })).toBeUndefined()
  })

  it.each([
    ['the version is missing', { 'MCP-Protocol-Version': undefined }, 'MCP-Protocol-Version is missing'],
    ['the version differs', { 'MCP-Protocol-Version': '2025-11-25' }, 'MCP-Protocol-Version differs from the body'],
    [
      'the version is repeated',
      { 'MCP-Protocol-Version': ['2026-07-28', '2026-07-28'] },
      'MCP-Protocol-Version is repeated',
    ],
    ['the version is empty', { 'MCP-Protocol-Version': '' }, 'MCP-Protocol-Version differs from the body'],
    ['the method is missing', { 'Mcp-Method': undefined }, 'Mcp-Method is missing'],
    ['the method differs', { 'Mcp-Method': 'prompts/list' }, 'Mcp-Method differs from the body'],
    ['the method differs in case', { 'Mcp-Method': 'TOOLS/CALL' }, 'Mcp-Method differs from the body'],
    ['the method is repeated', { 'Mcp-Method': ['tools/call', 'tools/list'] }, 'Mcp-Method is repeated'],
    ['the name is missing', { 'Mcp-Name': undefined }, 'Mcp-Name is missing'],
    ['the name differs', { 'Mcp-Name': 'other' }, 'Mcp-Name differs from params.name'],
    ['the name differs in case', { 'Mcp-Name': 'SHIP_ORDER' }, 'Mcp-Name differs from params.name'],
    ['the name is repeated', { 'Mcp-Name': ['ship_order', 'ship_order'] }, 'Mcp-Name is repeated'],
    ['the name is malformed', { 'Mcp-Name': '=?base64?c2hpcA?=' }, 'Mcp-Name is malformed'],
    ['the name has a trailing newline', { 'Mcp-Name': 'ship_order\n' }, 'Mcp-Name is malformed'],
  ])('F116 refuses when %s', (_what, change, problem) => {
    expect(refusal(call, { ...headers, ...change })).toEqual({ code: -32020, message: `Header mismatch: ${problem}` })
  })

  it('F116 refuses a name in the header that the body does not have', () => {
    expect(refusal({ ...call, params: {} }, headers)?.code).toBe(-32020)
    expect(refusal({ ...call, params: { name: null } }, headers)?.code).toBe(-32020)
  })

  it('F116 refuses a repeated name even where the method has none', () => {
    expect(refusal({ ...call, nameParam: undefined }, { ...headers, 'Mcp-Name': ['a', 'b'] })?.code).toBe(-32020)
  })

  it('F062 lets no header match a name with a lone surrogate', () => {
    const request = { ...call, params: { name: 'a\uD800' } }
    for (const text of ['=?base64?Ye+/vQ==?=', '=?base64?Ye2ggA==?=', 'a\uFFFD', 'a\uD800']) {
      expect(refusal(request, { ...headers, 'Mcp-Name': text })?.code).toBe(-32020)
    }
  })

  it('R23 reads the key itself, not one that looks like it', () => {
    expect(refusal({ ...call, params: { Name: 'ship_order' } as never }, headers)?.code).toBe(-32020)
    const inherited = Object.create({ name: 'ship_order' })
    expect(refusal({ ...call, params: inherited }, headers)?.code).toBe(-32020)
  })
})
