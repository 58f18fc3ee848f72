// Arguments that travel twice: which annotations a client refuses, and what it would send as headers.
import { expect } from 'vitest'
import type { Fault } from '../../../src/dispatcher/fault.ts'
import { MCPError } from '../../../src/types/errors/errors.ts'
import type { Tool } from '../../../src/types/features/tools.ts'
import type { JSONObject } from '../../../src/types/protocol/json.ts'
import { requirement, type Setting } from '../kit/requirement.ts'
import { connectNotingHeaders, noteMethods, refusalOf, tool, toolServer } from '../kit/support-features.ts'

function annotated(name: string, properties: JSONObject, rest: JSONObject = {}): Tool {
  return tool(name, { inputSchema: { type: 'object', properties, ...rest } })
}

const REGION = { type: 'string', 'x-mcp-header': 'Region' }

/** The names of those of the tools that a client shows, when a sound one stands beside them. */
async function shown({ connect }: Setting, tools: Tool[]): Promise<string[]> {
  await using client = await connect(toolServer([...tools, annotated('sound', { region: REGION })]))
  return (await client.listTools()).tools.map(({ name }) => name)
}

requirement('headers:list:drops-the-broken', async ({ connect }) => {
  const faults: Fault[] = []
  const broken = annotated('broken', { region: { type: 'string', 'x-mcp-header': 'two words' } })
  const server = toolServer([annotated('sound', { region: REGION }), broken, tool('plain')])
  await using client = await connect(server, { onFault: (fault) => faults.push(fault) })

  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['sound', 'plain'])
  expect(faults).toMatchObject([{ method: 'tools/list', message: expect.stringMatching(/"broken".*x-mcp-header/) }])
})

requirement('headers:list:empty-name', async (setting) => {
  const tools = ['', 5, null].map((name) => annotated('broken', { a: { type: 'string', 'x-mcp-header': name } }))
  expect(await shown(setting, tools)).toEqual(['sound'])
})

requirement('headers:list:no-token', async (setting) => {
  const names = ['a b', 'a:b', 'größe', 'a\r\nb', 'a/b', '"a"']
  const tools = names.map((name) => annotated('broken', { a: { type: 'string', 'x-mcp-header': name } }))
  expect(await shown(setting, tools)).toEqual(['sound'])
})

requirement('headers:list:name-twice', async (setting) => {
  const twice = { a: { type: 'string', 'x-mcp-header': 'Region' }, b: { type: 'string', 'x-mcp-header': 'REGION' } }
  expect(await shown(setting, [annotated('broken', twice)])).toEqual(['sound'])
})

requirement('headers:list:type', async (setting) => {
  const types = ['number', 'object', 'array', 'null', undefined, ['string', 'integer']]
  const tools = types.map((type) => annotated('broken', { a: { ...(type && { type }), 'x-mcp-header': 'A' } }))
  const sound = ['string', 'integer', 'boolean'].map((type) => annotated(type, { a: { type, 'x-mcp-header': 'A' } }))
  expect(await shown(setting, [...tools, ...sound])).toEqual(['string', 'integer', 'boolean', 'sound'])
})

requirement('headers:list:place', async (setting) => {
  const tools = [
    annotated('broken', { a: { type: 'array', items: REGION } }),
    annotated('broken', { a: { anyOf: [REGION] } }),
    annotated('broken', {}, { $defs: { region: REGION } }),
    annotated('broken', {}, { additionalProperties: REGION }),
    annotated('broken', {}, { if: { properties: { a: REGION } } }),
    annotated('broken', {}, { 'x-mcp-header': 'Root' }),
    annotated('nested', { a: { type: 'object', properties: { b: REGION } } }),
  ]
  expect(await shown(setting, tools)).toEqual(['nested', 'sound'])
})

requirement('headers:list:data-is-no-annotation', async (setting) => {
  const data = { 'x-mcp-header': 'not a token' }
  const tools = [
    annotated('data', { a: { type: 'object', default: data, const: data, enum: [data], examples: [data] } }),
    annotated('property', { 'x-mcp-header': { type: 'string' } }),
    annotated('reference', { a: { $ref: '#/$defs/b' } }, { $defs: { b: { type: 'string' } } }),
  ]
  expect(await shown(setting, tools)).toEqual(['data', 'property', 'reference', 'sound'])
})

requirement('headers:list:deep-schema', async (setting) => {
  let schema: JSONObject = { type: 'string' }
  const levels = setting.transport === 'direct' ? 1_000 : 40
  for (let level = 0; level < levels; level += 1) schema = { type: 'object', properties: { down: schema } }
  expect(await shown(setting, [tool('deep', { inputSchema: schema as Tool['inputSchema'] })])).toEqual([
    'deep',
    'sound',
  ])
})

requirement('headers:list:handshake-keeps-all', async ({ connect }) => {
  const faults: Fault[] = []
  const broken = annotated('broken', { a: { type: 'string', 'x-mcp-header': '' } })
  const server = toolServer([broken, annotated('sound', { region: REGION })])
  await using client = await connect(server, { onFault: (fault) => faults.push(fault) })

  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['broken', 'sound'])
  expect(faults).toEqual([])
})

/** The headers of one call of a tool with these properties, as far as they mirror arguments. */
async function mirrored(properties: JSONObject, args: JSONObject): Promise<Record<string, string>> {
  await using noted = await connectNotingHeaders(toolServer([annotated('call', properties)]))
  await noted.client.listTools()
  await noted.client.callTool('call', args)
  return paramHeadersOf(noted.headersOf('tools/call')[0])
}

function paramHeadersOf(headers: Readonly<Record<string, string>> | undefined): Record<string, string> {
  return Object.fromEntries(Object.entries(headers ?? {}).filter(([name]) => name.startsWith('Mcp-Param-')))
}

requirement('headers:call:mirrors', async () => {
  const properties = {
    region: REGION,
    limit: { type: 'integer', 'x-mcp-header': 'Limit' },
    dry: { type: 'boolean', 'x-mcp-header': 'Dry-Run' },
    where: { type: 'object', properties: { zone: { type: 'string', 'x-mcp-header': 'Method' } } },
    empty: { type: 'string', 'x-mcp-header': 'Empty' },
  }
  const args = { region: 'eu west', limit: -42, dry: false, where: { zone: 'b' }, empty: '' }
  expect(await mirrored(properties, args)).toEqual({
    'Mcp-Param-Region': 'eu west',
    'Mcp-Param-Limit': '-42',
    'Mcp-Param-Dry-Run': 'false',
    'Mcp-Param-Method': 'b',
    'Mcp-Param-Empty': '',
  })
})

requirement('headers:call:no-value-no-header', async () => {
  const properties = {
    region: REGION,
    where: { type: 'object', properties: { zone: { ...REGION, 'x-mcp-header': 'Z' } } },
  }
  expect(await mirrored(properties, { region: null })).toEqual({})
  expect(await mirrored(properties, { where: null })).toEqual({})
  expect(await mirrored(properties, { where: 'zone' })).toEqual({})
})

requirement('headers:call:encoding', async () => {
  const vectors = {
    'Hello, 世界': '=?base64?SGVsbG8sIOS4lueVjA==?=',
    ' padded ': '=?base64?IHBhZGRlZCA=?=',
    'line1\nline2': '=?base64?bGluZTEKbGluZTI=?=',
    '=?base64?literal?=': '=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?=',
    '=?BASE64?literal?=': '=?BASE64?literal?=',
  }
  for (const [region, header] of Object.entries(vectors)) {
    expect(await mirrored({ region: REGION }, { region })).toEqual({ 'Mcp-Param-Region': header })
  }
})

requirement('headers:call:only-annotated', async () => {
  expect(await mirrored({ region: REGION, secret: { type: 'string' } }, { secret: 's', other: 'o' })).toEqual({})
})

requirement('headers:call:unknown-tool', async () => {
  await using noted = await connectNotingHeaders(toolServer([annotated('call', { region: REGION })]))
  await noted.client.callTool('call', { region: 'eu' })

  expect(paramHeadersOf(noted.headersOf('tools/call')[0])).toEqual({})
})

requirement('headers:call:newest-listing', async () => {
  let name = 'Region'
  const server = toolServer([])
  server.setRequestHandler('tools/list', () => ({
    tools: name === '' ? [] : [annotated('call', { region: { type: 'string', 'x-mcp-header': name } })],
  }))
  await using noted = await connectNotingHeaders(server)
  for (name of ['Region', 'Zone', '']) {
    await noted.client.listTools({ cacheMode: 'refresh' })
    await noted.client.callTool('call', { region: 'eu' })
  }

  expect(noted.headersOf('tools/call').map(paramHeadersOf)).toEqual([
    { 'Mcp-Param-Region': 'eu' },
    { 'Mcp-Param-Zone': 'eu' },
    {},
  ])
})

requirement('headers:call:pages-only-add', async () => {
  const server = toolServer([])
  server.setRequestHandler('tools/list', (_ctx, { cursor }) =>
    cursor === undefined
      ? { tools: [annotated('first', { region: REGION })], nextCursor: '2' }
      : { tools: [annotated('second', { region: REGION })] },
  )
  await using noted = await connectNotingHeaders(server)
  for await (const _tool of noted.client.tools());
  await noted.client.callTool('first', { region: 'eu' })
  await noted.client.callTool('second', { region: 'us' })

  expect(noted.headersOf('tools/call').map(paramHeadersOf)).toEqual([
    { 'Mcp-Param-Region': 'eu' },
    { 'Mcp-Param-Region': 'us' },
  ])
})

requirement('headers:call:handshake-mirrors-nothing', async () => {
  const server = toolServer([annotated('call', { region: REGION })])
  await using noted = await connectNotingHeaders(server, { mode: 'legacy' })
  await noted.client.listTools()
  await noted.client.callTool('call', { region: 'eu' })

  expect(noted.headersOf('tools/call')).toEqual([{ 'MCP-Protocol-Version': '2025-11-25' }])
})

requirement('headers:call:mismatch-is-repaired', async ({ connect }) => {
  let mismatches = 1
  const server = toolServer([annotated('call', { region: REGION })], () => {
    if (mismatches-- > 0) throw new MCPError(-32020, 'Header mismatch: Mcp-Param-Region is missing')
    return { content: [] }
  })
  const seen = noteMethods(server)
  await using client = await connect(server)

  expect(await client.callTool('call', { region: 'eu' })).toMatchObject({ content: [] })
  expect(seen.all.filter((method) => method.startsWith('tools/'))).toEqual(['tools/call', 'tools/list', 'tools/call'])
})

requirement('headers:call:mismatch-is-repaired-once', async ({ connect }) => {
  const server = toolServer([annotated('call', { region: REGION })], () => {
    throw new MCPError(-32020, 'Header mismatch: Mcp-Param-Region is missing')
  })
  const seen = noteMethods(server)
  await using client = await connect(server)

  expect(await refusalOf(client.callTool('call'))).toEqual({ code: -32020, local: false })
  expect(seen.count('tools/call')).toBe(2)
})
