// Registration of apps and of tools with views: everything that can't work is refused, with what to do.
import { describe, expect, it } from 'vitest'
import { Client } from '../../../../src/client/client.ts'
import { apps } from '../../../../src/extensions/apps/apps.ts'
import { MCPServer } from '../../../../src/mcpserver/mcpserver.ts'
import { tool } from '../../../../src/mcpserver/tools/tool.ts'
import { Server } from '../../../../src/server/server.ts'
import { APPS_EXTENSION } from '../../../../src/types/extensions/apps.ts'
import { DOCUMENT } from './support.ts'

const URI = 'ui://weather/view'
const run = () => 'sunny'
const create = () => new MCPServer('weather', { extensions: [apps()] })
const connect = (server: MCPServer) => Client.connect(server, { cache: false })

/** What registering an app with these options throws. */
const appWith = (options: object) => () => create().app(URI, { html: DOCUMENT, ...options } as never)
/** What registering a tool with this `ui` throws. */
const toolWith =
  (ui: unknown, options: object = {}) =>
  () =>
    create().tool('get_weather', { ui, ...options } as never, run)

describe('apps', () => {
  it('name the extension to add where it is missing', () => {
    const server = new MCPServer('weather')
    const message = "Add apps() from 'mcpwire/extensions/apps' to the option extensions of the server."
    expect(() => server.app(URI, { html: DOCUMENT })).toThrow(message)
    expect(() => server.tool('get_weather', { ui: URI }, run)).toThrow(message)
  })

  it.each([
    ['https://example.com/'],
    ['weather'],
    ['ui:view'],
    ['ui://'],
    ['ui:// x'],
    ['ui://{city}/view'],
    [''],
    [7],
    [undefined],
  ])('apps A-01 refuse the uri %j', (uri) => {
    expect(() => create().app(uri as string, { html: DOCUMENT })).toThrow('Use a uri that begins with ui://')
    if (uri !== undefined) expect(toolWith({ view: uri })).toThrow('Use a uri that begins with ui://')
  })

  it('apps A-03 refuse what is not a whole document', () => {
    const notWhole =
      'The html of app "ui://weather/view" is not a whole document. Begin it with <!doctype html>; a path is not read.'
    for (const html of ['', '<div></div>', 'hello', new TextEncoder().encode('<p>')]) {
      expect(appWith({ html })).toThrow(notWhole)
    }
    expect(appWith({ html: new Uint8Array([0xff, 0xfe]) })).toThrow('is not UTF-8')
    for (const html of [undefined, 7, {}]) expect(appWith({ html })).toThrow('must be a string, not')
    expect(appWith({ html: new TextEncoder().encode('\uFEFF<!DOCTYPE HTML>') })).not.toThrow()
  })

  it('apps A-03 a function that returns no document fails the read, and the server hears why', async () => {
    const faults: string[] = []
    const server = new MCPServer('weather', {
      extensions: [apps()],
      onFault: ({ error }) => faults.push(String(error)),
    })
    server.app(URI, { html: () => '<p>piece' })
    await using client = await connect(server)
    await expect(client.readResource(URI)).rejects.toMatchObject({ code: -32603 })
    expect(faults).toEqual([expect.stringContaining('is not a whole document')])
  })

  it('apps A-16 refuse domains that can not be used', () => {
    expect(appWith({ csp: { connectDomains: ['https://a.example.com; script-src *'] } })).toThrow(
      'csp.connectDomains has "https://a.example.com; script-src *", which can\'t be used: it is not of the form',
    )
    expect(appWith({ csp: { resourceDomains: ['http://cdn.example.com'] } })).toThrow('http: is not encrypted')
    expect(appWith({ csp: { frameDomains: 'https://a.example.com' } })).toThrow('must be an array')
    expect(appWith({ domain: '' })).toThrow('is empty')
  })

  it('refuse unknown options, with what was meant', () => {
    expect(appWith({ csp: { connectDomain: [] } })).toThrow('The nearest known option is "connectDomains"')
    expect(appWith({ permissions: { camra: {} } })).toThrow('The nearest known option is "camera"')
    expect(appWith({ permissions: { camera: true } })).toThrow('must be an object')
    expect(appWith({ mimeType: 'text/html' })).toThrow('It is always "text/html;profile=mcp-app".')
    expect(appWith({ prefersborder: true })).toThrow('The nearest known option is "prefersBorder"')
  })

  it('are updated, disabled, enabled and removed like everything that is registered', async () => {
    const server = create()
    const app = server.app(URI, { html: DOCUMENT, listed: true, title: 'Weather' })
    await using client = await connect(server)
    const titles = async () => (await client.listResources()).resources.map(({ title }) => title)
    expect(app).toMatchObject({ key: URI, uri: URI, isEnabled: true })
    expect(() => app.update({ html: '<p>' })).toThrow('not a whole document')
    app.update({ title: 'Sky', html: '<!doctype html><p>new' })
    expect(await titles()).toEqual(['Sky'])
    expect((await client.readResource(URI)).contents).toMatchObject([{ text: '<!doctype html><p>new' }])
    app.update({ listed: false })
    expect(await titles()).toEqual([])
    app.disable()
    expect(app.isEnabled).toBe(false)
    await expect(client.readResource(URI)).rejects.toThrow('Resource not found')
    app.enable()
    app.remove()
    app.remove()
    await expect(client.readResource(URI)).rejects.toThrow('Resource not found')
    expect(() => server.app(URI, { html: DOCUMENT })).not.toThrow()
    expect(() => server.app(URI, { html: DOCUMENT })).toThrow('is already registered')
  })

  it('one value serves several servers and clients, each with its own apps', async () => {
    const extension = apps()
    const first = new MCPServer('first', { extensions: [extension] })
    const second = new MCPServer('second', { extensions: [extension] })
    const low = new Server('low', { extensions: [extension], handlers: {} })
    first.app(URI, { html: DOCUMENT })
    second.tool('get_weather', { ui: URI }, run)
    await expect(second.start()).rejects.toThrow('"get_weather"')
    for (const [server, settings] of [
      [first, {}],
      [low, undefined],
    ] as const) {
      await using client = await Client.connect(server, { extensions: [extension] })
      expect(client.serverCapabilities.extensions?.[APPS_EXTENSION]).toEqual(settings)
    }
  })

  it('a replaced app leaves the handle of the old one without effect on the new', () => {
    const server = new MCPServer('weather', { extensions: [apps()], onDuplicate: 'replace' })
    const old = server.app(URI, { html: DOCUMENT })
    const now = server.app(URI, { html: DOCUMENT })
    old.remove()
    expect(now.isEnabled).toBe(true)
  })
})

describe('tools with views', () => {
  it.each([['csp'], ['permissions'], ['domain'], ['prefersBorder']])('apps A-07, traps X-43 refuse %s', (option) => {
    for (const ui of [
      { view: URI, [option]: {} },
      { uri: URI, [option]: {} },
    ]) {
      expect(toolWith(ui)).toThrow(TypeError)
    }
    expect(toolWith({ view: URI, [option]: {} })).toThrow('Set it in server.app(): hosts ignore it on a tool.')
  })

  it('refuse meta.ui by hand beside ui, and keep other meta', () => {
    expect(toolWith(URI, { meta: { ui: { resourceUri: URI } } })).toThrow(
      'The tool "get_weather" has the option ui, and meta.ui by hand. Remove meta.ui.',
    )
  })

  it('refuse options that say nothing, or something unknown', () => {
    expect(toolWith({})).toThrow('says nothing')
    expect(toolWith({ resourceUri: URI })).toThrow('Use "view".')
    for (const visibility of [[], ['all'], 'app', ['app', 7], {}]) {
      expect(toolWith({ view: URI, visibility })).toThrow('must be a list of "model" and "app"')
    }
    for (const ui of [7, true, null, []]) expect(toolWith(ui)).toThrow('Use what server.app() returned, or a uri.')
  })

  it('apps A-04 a view that is not registered is an error when the server starts, and names the tool', async () => {
    const server = create()
    const handle = server.tool('get_weather', { ui: URI }, run)
    server.tool('refresh', { ui: { visibility: ['app'] } }, run)
    const message = 'The tool "get_weather" has the view "ui://weather/view", which is not registered.'
    await expect(server.start()).rejects.toThrow(message)
    await expect(connect(server)).rejects.toThrow(message)
    handle.update({ ui: 'ui://weather/other' })
    await expect(server.start()).rejects.toThrow('"ui://weather/other"')
    server.app(URI, { html: DOCUMENT }).disable()
    handle.update({ ui: URI })
    await expect(server.start()).rejects.toThrow(message)
    handle.remove()
    await using client = await Client.connect(server, { extensions: [apps()] })
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['refresh'])
  })

  it('apps A-04 holds for tools given to the constructor, whose app comes later', async () => {
    const server = new MCPServer('weather', { extensions: [apps()], tools: [tool('get_weather', { ui: URI }, run)] })
    await expect(server.start()).rejects.toThrow('"get_weather"')
    server.app(URI, { html: DOCUMENT })
    await using client = await connect(server)
    expect((await client.listTools()).tools).toMatchObject([{ _meta: { ui: { resourceUri: URI } } }])
  })

  it('apps A-04 while the server runs no tool gets a view that is not there, and none loses its own', async () => {
    const server = create()
    const app = server.app(URI, { html: DOCUMENT })
    const handle = server.tool('get_weather', { ui: app }, run)
    await using client = await connect(server)
    expect(() => server.tool('other', { ui: 'ui://weather/none' }, run)).toThrow('which is not registered')
    expect(() => handle.update({ ui: 'ui://weather/none' })).toThrow('which is not registered')
    expect(() => app.remove()).toThrow(
      'can\'t be removed: it is the view of tool "get_weather". Remove or update the tool first.',
    )
    expect(() => app.disable()).toThrow("can't be disabled")
    expect((await client.listTools()).tools).toHaveLength(1)
    handle.remove()
    app.remove()
    expect((await client.listTools()).tools).toEqual([])
  })

  it('an app with a policy wider than its tool declared is refused, whichever is registered first', () => {
    const annotations = { openWorldHint: false }
    const csp = { connectDomains: ['https://api.example.com'] }
    const message =
      'The tool "get_weather" declares openWorldHint: false, and its view "ui://weather/view" reaches https://api.example.com. ' +
      'Remove the domain from the csp of the app, or the hint from the tool.'
    const appFirst = create()
    appFirst.app(URI, { html: DOCUMENT, csp })
    expect(() => appFirst.tool('get_weather', { ui: URI, annotations }, run)).toThrow(message)
    const toolFirst = create()
    toolFirst.tool('get_weather', { ui: URI, annotations }, run)
    expect(() => toolFirst.app(URI, { html: DOCUMENT, csp })).toThrow(message)
    const app = toolFirst.app(URI, { html: DOCUMENT })
    for (const list of ['resourceDomains', 'frameDomains', 'baseUriDomains']) {
      expect(() => app.update({ csp: { [list]: ['https://api.example.com'] } })).toThrow(message)
    }
    const open = create()
    open.app(URI, { html: DOCUMENT, csp })
    const handle = open.tool('get_weather', { ui: URI, annotations: { openWorldHint: true } }, run)
    expect(() => handle.update({ annotations })).toThrow(message)
  })
})
