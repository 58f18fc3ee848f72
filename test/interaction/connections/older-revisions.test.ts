// What a client of an older revision sees of a newer server, and what a client overlooks in a careless one.
import { expect } from 'vitest'
import { Server } from '../../../src/server/server.ts'
import type { ContentBlock } from '../../../src/types/features/content.ts'
import type { JSONObject } from '../../../src/types/protocol/json.ts'
import type { ProtocolVersion } from '../../../src/types/protocol/versions.ts'
import { isVersionAtLeast } from '../../../src/types/protocol/versions.ts'
import { requirement } from '../kit/requirement.ts'
import { answerRaw, failureOf, refusalOf, resultsOn, tool, toolServer } from '../kit/support-features.ts'

const SERVER_INFO = 'io.modelcontextprotocol/serverInfo'
const SOUND: ContentBlock = { type: 'audio', data: 'UklGRg==', mimeType: 'audio/wav' }
const LINK: ContentBlock = { type: 'resource_link', uri: 'file:///a.txt', name: 'a', title: 'The file' }

/** The members that a revision knows, of those given with the first revision that has them. */
function known(version: ProtocolVersion, members: Record<string, readonly [ProtocolVersion, unknown]>): JSONObject {
  const kept = Object.entries(members).filter(([, [since]]) => isVersionAtLeast(version, since))
  return Object.fromEntries(kept.map(([name, [, value]]) => [name, value]))
}

function all(members: Record<string, readonly [ProtocolVersion, unknown]>): JSONObject {
  return Object.fromEntries(Object.entries(members).map(([name, [, value]]) => [name, value]))
}

const ICONS = [{ src: 'https://example.com/i.png' }]

requirement('older:tool:audio', async ({ connect, version }) => {
  await using client = await connect(toolServer([tool('play')], () => ({ content: [SOUND] })))

  const { content } = await client.callTool('play')

  const inWords = [{ type: 'text', text: '[audio, audio/wav]' }]
  expect(content).toEqual(isVersionAtLeast(version, '2025-03-26') ? [SOUND] : inWords)
})

requirement('older:tool:resource-link', async ({ connect, version }) => {
  await using client = await connect(toolServer([tool('find')], () => ({ content: [LINK] })))

  const { content } = await client.callTool('find')

  const inWords = [{ type: 'text', text: 'The file: file:///a.txt' }]
  expect(content).toEqual(isVersionAtLeast(version, '2025-06-18') ? [LINK] : inWords)
})

requirement('older:prompt:content', async ({ connect, version }) => {
  const server = new Server('prompts', {
    handlers: {
      'prompts/get': () => ({
        messages: [
          { role: 'user', content: SOUND },
          { role: 'assistant', content: LINK },
        ],
      }),
    },
  })
  await using client = await connect(server)

  const { messages } = await client.getPrompt('any')

  expect(messages.map(({ content }) => content.type)).toEqual([
    isVersionAtLeast(version, '2025-03-26') ? 'audio' : 'text',
    isVersionAtLeast(version, '2025-06-18') ? 'resource_link' : 'text',
  ])
})

requirement('older:tool:structured-content', async ({ connect, version }) => {
  const result = { content: [{ type: 'text' as const, text: '{"n":1}' }], structuredContent: { n: 1 } }
  await using client = await connect(toolServer([tool('count')], () => result))

  const { content, structuredContent } = await client.callTool('count')

  expect(content).toEqual(result.content)
  expect(structuredContent).toEqual(isVersionAtLeast(version, '2025-06-18') ? { n: 1 } : undefined)
})

requirement('older:tool:loose-structured-content', async ({ connect, isModern }) => {
  const result = { content: [{ type: 'text' as const, text: '[1,2]' }], structuredContent: [1, 2] }
  await using client = await connect(toolServer([tool('count')], () => result))

  const { content, structuredContent } = await client.callTool('count')

  expect(content).toEqual(result.content)
  expect(structuredContent).toEqual(isModern ? [1, 2] : undefined)
})

requirement('older:tools:output-schema', async ({ connect, version, isModern }) => {
  const strict = { type: 'object' as const, properties: {} }
  const loose = { type: 'array', items: {} }
  const server = toolServer([tool('strict', { outputSchema: strict }), tool('loose', { outputSchema: loose })])
  await using client = await connect(server)

  const { tools } = await client.listTools()

  expect(tools.map(({ outputSchema }) => outputSchema)).toEqual([
    isVersionAtLeast(version, '2025-06-18') ? strict : undefined,
    isModern ? loose : undefined,
  ])
})

requirement('older:tools:members', async ({ connect, version }) => {
  const members = {
    description: ['2024-11-05', 'Does things'],
    annotations: ['2025-03-26', { readOnlyHint: true }],
    title: ['2025-06-18', 'A tool'],
    _meta: ['2025-06-18', { 'example.com/a': 1 }],
    icons: ['2025-11-25', ICONS],
  } as const
  await using client = await connect(toolServer([tool('a', all(members))]))

  expect((await client.listTools()).tools).toEqual([tool('a', known(version, members))])
})

requirement('older:tools:execution', async ({ connect, version }) => {
  await using client = await connect(toolServer([tool('a', { execution: { taskSupport: 'optional' } })]))

  const [listed] = (await client.listTools()).tools

  expect(listed && 'execution' in listed).toBe(version === '2025-11-25')
})

requirement('older:resources:members', async ({ connect, version }) => {
  const members = {
    mimeType: ['2024-11-05', 'text/plain'],
    size: ['2024-11-05', 3],
    title: ['2025-06-18', 'A file'],
    _meta: ['2025-06-18', { 'example.com/a': 1 }],
    icons: ['2025-11-25', ICONS],
  } as const
  const resource = { uri: 'file:///a', name: 'a', ...all(members) }
  const { size: _size, ...template } = members
  const server = new Server('resources', {
    handlers: {
      'resources/list': () => ({ resources: [resource] }),
      'resources/templates/list': () => ({
        resourceTemplates: [{ uriTemplate: 'x:{y}', name: 't', ...all(template) }],
      }),
    },
  })
  await using client = await connect(server)

  expect((await client.listResources()).resources).toEqual([
    { uri: 'file:///a', name: 'a', ...known(version, members) },
  ])
  expect((await client.listResourceTemplates()).resourceTemplates).toEqual([
    { uriTemplate: 'x:{y}', name: 't', ...known(version, template) },
  ])
})

requirement('older:prompts:members', async ({ connect, version }) => {
  const members = {
    description: ['2024-11-05', 'Writes'],
    title: ['2025-06-18', 'A prompt'],
    icons: ['2025-11-25', ICONS],
  } as const
  const argument = { description: ['2024-11-05', 'What'], title: ['2025-06-18', 'Subject'] } as const
  const server = new Server('prompts', {
    handlers: {
      'prompts/list': () => ({
        prompts: [{ name: 'p', ...all(members), arguments: [{ name: 'a', ...all(argument) }] }],
      }),
    },
  })
  await using client = await connect(server)

  expect((await client.listPrompts()).prompts).toEqual([
    { name: 'p', ...known(version, members), arguments: [{ name: 'a', ...known(version, argument) }] },
  ])
})

requirement('older:content:annotations', async ({ connect, version }) => {
  const annotations = { priority: 1, lastModified: '2025-01-12T15:00:58Z' }
  const server = toolServer([tool('a')], () => ({ content: [{ type: 'text', text: 'x', annotations, _meta: {} }] }))
  await using client = await connect(server)

  const [block] = (await client.callTool('a')).content

  const isKnown = isVersionAtLeast(version, '2025-06-18')
  expect(block).toEqual(
    isKnown
      ? { type: 'text', text: 'x', annotations, _meta: {} }
      : { type: 'text', text: 'x', annotations: { priority: 1 } },
  )
})

requirement('older:server-info:members', async ({ connect, version }) => {
  const members = {
    title: ['2025-06-18', 'A server'],
    description: ['2025-11-25', 'Serves'],
    websiteUrl: ['2025-11-25', 'https://example.com'],
    icons: ['2025-11-25', ICONS],
  } as const
  await using client = await connect(new Server('s', { version: '2', ...all(members) }))

  expect(client.serverInfo).toEqual({ name: 's', version: '2', ...known(version, members) })
})

requirement('older:result:no-modern-stamps', async ({ connect, wire }) => {
  const server = toolServer([tool('a')], undefined, { cacheHints: { 'tools/list': { ttlMs: 9 } } })
  await using client = await connect(server)
  await client.sendPing()
  await client.listTools()

  const results = resultsOn(wire)
  expect(results).toContainEqual({})
  for (const result of results) {
    for (const stamp of ['resultType', 'ttlMs', 'cacheScope', '_meta']) expect(Object.keys(result)).not.toContain(stamp)
  }
})

requirement('modern:result:stamps', async ({ connect }) => {
  const server = toolServer([tool('a')], () => ({ content: [] }), { version: '3' })
  await using client = await connect(server)

  const result = await client.callTool('a')

  expect(result.resultType).toBe('complete')
  expect(result._meta?.[SERVER_INFO]).toEqual({ name: 'tools', version: '3' })
})

requirement('modern:result:own-stamps-stay', async ({ connect }) => {
  const own = { name: 'behind-a-proxy', version: '9' }
  await using client = await connect(toolServer([tool('a')], () => ({ content: [], _meta: { [SERVER_INFO]: own } })))

  expect((await client.callTool('a'))._meta?.[SERVER_INFO]).toEqual(own)
})

requirement('sloppy:later-members', async ({ connect }) => {
  const server = toolServer([tool('a')])
  answerRaw(server, 'tools/list', () => ({ tools: [tool('a')], ttlMs: 'soon', cacheScope: 7, resultType: 'odd' }))
  answerRaw(server, 'tools/call', () => ({ content: [], resultType: 'input_required', inputRequests: 5 }))
  await using client = await connect(server)

  expect((await client.listTools()).tools).toEqual([tool('a')])
  expect((await client.callTool('a')).content).toEqual([])
})

requirement('sloppy:server-info', async ({ connect }) => {
  const server = toolServer([tool('a')])
  answerRaw(server, 'tools/call', () => ({ resultType: 'complete', content: [], _meta: { [SERVER_INFO]: 'me' } }))
  await using client = await connect(server)

  expect((await client.callTool('a')).content).toEqual([])
})

requirement('sloppy:anonymous-discovery', async ({ connect, version }) => {
  const server = toolServer([tool('a')])
  answerRaw(server, 'server/discover', () => ({
    resultType: 'complete',
    supportedVersions: [version],
    capabilities: { tools: {} },
    ttlMs: -1,
    cacheScope: 'private',
    _meta: { [SERVER_INFO]: { name: 5 } },
  }))
  await using client = await connect(server)

  expect(client.protocolVersion).toBe(version)
  expect(client.serverInfo).toBeUndefined()
})

requirement('sloppy:unknown-result-type', async ({ connect }) => {
  const server = toolServer([tool('a')])
  answerRaw(server, 'tools/call', () => ({ resultType: 'surprise', content: [] }))
  await using client = await connect(server)

  expect(await failureOf(client.callTool('a'))).toMatchObject({ name: 'InvalidResultError', path: 'resultType' })
})

requirement('sloppy:client-info', async ({ connect, version }) => {
  const server = toolServer([tool('a')])
  server.setRequestHandler('example.com/hello', ({ clientInfo }) => ({ known: clientInfo !== undefined }))
  const priorDiscover = { supportedVersions: [version], capabilities: { tools: {} } }
  const clientInfo = { name: 5 } as unknown as { name: string; version: string }
  await using client = await connect(server, { mode: '2026-07-28', priorDiscover, clientInfo })

  expect(await client.session.sendRequest('example.com/hello')).toMatchObject({ known: false })
  expect(await refusalOf(client.listTools())).toEqual({ code: -32602, local: false })
})

requirement('sloppy:unsupported-version-words', async ({ connect }) => {
  const server = toolServer([tool('a')], undefined, { supportedVersions: ['2025-11-25'] })
  await using client = await connect(server, { mode: '2026-07-28' })

  const error = await failureOf(client.listTools())

  expect(error).toMatchObject({ code: -32022, data: { supported: ['2025-11-25'], requested: '2026-07-28' } })
  expect(String(error)).toContain('Unsupported protocol version')
})
