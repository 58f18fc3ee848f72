// Apps on every transport and revision: what the server declares and sends, and what a host makes of it.
import { expect } from 'vitest'
import { z } from 'zod'
import { apps } from '../../../src/extensions/apps/apps.ts'
import { readView } from '../../../src/extensions/apps/host/read-view.ts'
import { mayCall, modelTools, uiOf } from '../../../src/extensions/apps/host/tools.ts'
import { APPS_EXTENSION, VIEW_MIME_TYPE } from '../../../src/types/extensions/apps.ts'
import type { Tool } from '../../../src/types/features/tools.ts'
import { requirement } from '../kit/requirement.ts'
import { createServer } from '../kit/support-mcpserver.ts'

const URI = 'ui://weather/view'
const HTML = '<!doctype html><title>Weather</title>'

const create = () => createServer({ extensions: [apps()] })

async function toolsOf(client: { tools(): AsyncIterable<Tool> }): Promise<Tool[]> {
  const tools: Tool[] = []
  for await (const tool of client.tools()) tools.push(tool)
  return tools
}

requirement('apps:declared', async ({ connect }) => {
  const { server } = create()
  server.tool('plain', () => 'plain')
  const seen: unknown[] = []
  server.use((ctx, next) => {
    seen.push(ctx.clientCapabilities.extensions?.[APPS_EXTENSION])
    return next()
  })
  const declared = async (options = {}) => {
    await using client = await connect(server, options)
    await client.callTool('plain')
    return client.serverCapabilities.extensions?.[APPS_EXTENSION]
  }
  expect(await declared()).toBeUndefined()
  const app = server.app(URI, { html: HTML })
  expect(await declared()).toEqual({})
  expect(seen.filter((settings) => settings !== undefined)).toEqual([])
  await declared({ extensions: [apps()] })
  expect(seen.at(-1)).toEqual({ mimeTypes: [VIEW_MIME_TYPE] })
  app.disable()
  expect(await declared()).toBeUndefined()
})

requirement('apps:view', async ({ connect }) => {
  const { server } = create()
  server.app(URI, { html: HTML })
  server.app('ui://weather/bytes', { html: new TextEncoder().encode(HTML) })
  server.app('ui://weather/made', { html: async (ctx) => `<!doctype html><p>${ctx.clientInfo?.name}` })
  server.app('ui://weather/listed', { html: HTML, listed: true, title: 'Weather' })
  server.tool('get_weather', { ui: URI }, () => 'sunny')
  await using client = await connect(server, { clientInfo: { name: 'host', version: '1' } })

  expect((await client.readResource(URI)).contents).toEqual([{ uri: URI, mimeType: VIEW_MIME_TYPE, text: HTML }])
  expect((await client.readResource('ui://weather/bytes')).contents).toMatchObject([{ blob: btoa(HTML) }])
  expect((await client.readResource('ui://weather/made')).contents).toMatchObject([{ text: '<!doctype html><p>host' }])
  const { resources } = await client.listResources()
  expect(resources).toMatchObject([{ uri: 'ui://weather/listed', mimeType: VIEW_MIME_TYPE }])
  const view = await readView(client, { _meta: { ui: { resourceUri: 'ui://weather/bytes' } } })
  expect(view).toEqual({ uri: 'ui://weather/bytes', html: HTML, csp: {}, permissions: {} })
})

requirement('apps:view-metadata', async ({ connect }) => {
  const { server } = create()
  const ui = {
    csp: { connectDomains: ['https://api.example.com'], resourceDomains: ['https://*.cdn.example.com'] },
    permissions: { camera: {} },
    domain: 'a1b2.example.com',
    prefersBorder: true,
  }
  const app = server.app(URI, { html: HTML, listed: true, ...ui })
  server.tool('get_weather', { ui: app }, () => 'sunny')
  await using client = await connect(server, { cache: false })

  const [tool] = await toolsOf(client)
  expect(tool?._meta).toEqual({ ui: { resourceUri: URI } })
  expect((await client.readResource(URI)).contents).toMatchObject([{ _meta: { ui } }])
  expect((await client.listResources()).resources).toMatchObject([{ uri: URI, _meta: { ui } }])
  expect(await readView(client, tool as Tool)).toEqual({ uri: URI, html: HTML, ...ui })
  app.update({ csp: { connectDomains: ['https://new.example.com'] }, prefersBorder: false })
  expect(await readView(client, tool as Tool)).toMatchObject({
    csp: { connectDomains: ['https://new.example.com'] },
    permissions: { camera: {} },
    prefersBorder: false,
  })
})

requirement('apps:tool', async ({ connect }) => {
  const { server } = create()
  const app = server.app(URI, { html: HTML })
  const meta = { 'openai/outputTemplate': URI, 'ui/resourceUri': URI }
  server.tool('both', { ui: app, meta }, () => 'x')
  server.tool('for_apps', { ui: { view: app, visibility: ['app'] } }, () => 'x')
  server.tool('for_models', { ui: { view: URI, visibility: ['model'] } }, () => 'x')
  server.tool('helper', { ui: { visibility: ['app'] } }, () => 'x')
  server.tool('plain', () => 'x')
  await using client = await connect(server, { extensions: [apps()] })

  const tools = await toolsOf(client)
  expect(tools.map(({ name, _meta }) => [name, _meta])).toEqual([
    ['both', { ...meta, ui: { resourceUri: URI } }],
    ['for_apps', { ui: { resourceUri: URI, visibility: ['app'] } }],
    ['for_models', { ui: { resourceUri: URI, visibility: ['model'] } }],
    ['helper', { ui: { visibility: ['app'] } }],
    ['plain', undefined],
  ])
  expect(tools.map((tool) => uiOf(tool)?.resourceUri)).toEqual([URI, URI, URI, undefined, undefined])
  expect(modelTools(tools).map(({ name }) => name)).toEqual(['both', 'for_models', 'plain'])
  expect(tools.filter(mayCall).map(({ name }) => name)).toEqual(['both', 'for_apps', 'helper', 'plain'])
})

requirement('apps:tool-for-views', async ({ connect }) => {
  const { server } = create()
  server.app(URI, { html: HTML })
  server.tool('for_models', { ui: { view: URI, visibility: ['model'] } }, () => 'x')
  server.tool('for_views', { ui: { view: URI, visibility: ['app'] } }, () => 'called')
  server.tool('for_both', { ui: { view: URI, visibility: ['app', 'model'] } }, () => 'x')
  const unaware = [[], [{ identifier: APPS_EXTENSION, settings: { mimeTypes: ['text/html'] } }]]
  for (const extensions of unaware) {
    await using client = await connect(server, { extensions })
    const tools = await toolsOf(client)
    expect(tools.map(({ name }) => name)).toEqual(['for_models', 'for_both'])
    expect((await client.callTool('for_views')).content).toEqual([{ type: 'text', text: 'called' }])
  }
  await using host = await connect(server, { extensions: [apps()] })
  const tools = await toolsOf(host)
  expect(modelTools(tools).map(({ name }) => name)).toEqual(['for_models', 'for_both'])
  const hasMeta = tools.some(({ _meta }) => _meta !== undefined)
  expect(tools.map(({ name }) => name)).toEqual(['for_models', ...(hasMeta ? ['for_views'] : []), 'for_both'])
  const isOld = ['2024-11-05', '2025-03-26'].includes(host.protocolVersion)
  expect(hasMeta).toBe(!isOld)
})

requirement('apps:client-renders', async ({ connect }) => {
  const { server } = create()
  server.app(URI, { html: HTML })
  server.tool('renders', { ui: URI }, (_args, ctx) => JSON.stringify(ctx.ui ?? null))
  const renders = async (settings?: object) => {
    const extensions = settings === undefined ? [] : [{ identifier: APPS_EXTENSION, settings: { ...settings } }]
    await using client = await connect(server, { extensions })
    const { content } = await client.callTool('renders')
    return JSON.parse((content[0] as { text: string }).text)
  }
  expect(await renders()).toBeNull()
  for (const settings of [{}, { mimeTypes: [] }, { mimeTypes: ['text/html'] }, { mimeTypes: VIEW_MIME_TYPE }]) {
    expect(await renders(settings)).toBeNull()
  }
  const mimeTypes = ['text/html+skybridge', VIEW_MIME_TYPE]
  expect(await renders({ mimeTypes, later: true })).toEqual({ mimeTypes })
})

requirement('apps:content', async ({ connect }) => {
  const { server, faults } = create()
  server.app(URI, { html: HTML })
  const output = z.object({ sky: z.string() })
  server.tool('by_schema', { ui: URI, output }, () => ({ sky: 'clear' }))
  server.tool('by_hand', { ui: URI }, () => ({ content: [], structuredContent: { sky: 'clear' } }))
  server.tool('blank', { ui: URI }, () => ({ content: [{ type: 'text' as const, text: ' \n' }] }))
  server.tool('failed', { ui: URI }, () => ({ content: [], isError: true }))
  server.tool('no_view', { ui: { visibility: ['app'] } }, () => ({ content: [] }))
  server.tool('plain', () => ({ content: [] }))
  await using client = await connect(server)

  expect((await client.callTool('by_schema')).content).toEqual([{ type: 'text', text: '{"sky":"clear"}' }])
  for (const name of ['failed', 'no_view', 'plain']) await client.callTool(name)
  expect(faults).toEqual([])
  for (const name of ['by_hand', 'by_hand', 'blank']) await client.callTool(name)
  expect(faults).toMatchObject([
    {
      kind: 'configuration-warning',
      message: expect.stringContaining('tool "by_hand" has a view and returned no content'),
    },
    { kind: 'configuration-warning', message: expect.stringContaining('tool "blank"') },
  ])
})

requirement('apps:one-endpoint', async ({ connect }) => {
  const { server } = create()
  const app = server.app(URI, { html: HTML, visible: (ctx) => ctx.clientInfo?.name === 'friend' })
  server.tool('get_weather', { ui: app }, () => 'sunny')
  await using friend = await connect(server, { clientInfo: { name: 'friend', version: '1' } })
  await using stranger = await connect(server, { clientInfo: { name: 'stranger', version: '1' } })

  const [tool] = await toolsOf(friend)
  expect((await friend.callTool('get_weather')).content).toEqual([{ type: 'text', text: 'sunny' }])
  expect((await readView(friend, tool as Tool)).html).toBe(HTML)
  await expect(readView(stranger, tool as Tool)).rejects.toThrow('Resource not found')
})
