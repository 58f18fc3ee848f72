// What must and must not compile with apps.
import { Client } from '../../src/client/client.ts'
import {
  type AppHandle,
  type AppHost,
  type AppsClientSettings,
  apps,
  type HostContext,
  mountView,
  readView,
  type View,
  type ViewFrame,
  type ViewPolicy,
  windowChannel,
} from '../../src/exports/extensions/apps.ts'
import { MCPServer } from '../../src/mcpserver/mcpserver.ts'
import { tool } from '../../src/mcpserver/tools/tool.ts'
import { holds, type Same } from './assert.ts'

const html = '<!doctype html>'
const server = new MCPServer('types', { extensions: [apps()], lifespan: () => ({ name: 'Ada' }) })

// The html may be made of the context, with its lifespan.
const view = server.app('ui://a/b', { html: (ctx) => `${html}${ctx.lifespan.name}`, prefersBorder: true })
holds<Same<typeof view, AppHandle<{ name: string }>>>()
server.app('ui://a/bytes', { html: new Uint8Array() })
view.update({ csp: { connectDomains: ['https://a.example.com'] } })

// A tool names its view by handle or uri, with or without its audience.
server.tool('handle', { ui: view }, () => 'x')
server.tool('uri', { ui: 'ui://a/b' }, () => 'x')
server.tool('app', { ui: { view, visibility: ['app'] } }, (_args, ctx) => {
  holds<Same<typeof ctx.ui, AppsClientSettings | undefined>>()
  return ctx.ui?.mimeTypes.join() ?? 'none'
})
server.tool('helper', { ui: { visibility: ['app', 'model'] } }, () => 'x')

// @ts-expect-error The html is needed.
server.app('ui://a/none', {})
// @ts-expect-error A policy is lists of domains.
server.app('ui://a/text', { html, csp: { connectDomains: 'https://a.example.com' } })
// @ts-expect-error There is no such audience.
server.tool('all', { ui: { view, visibility: ['all'] } }, () => 'x')
// @ts-expect-error The policy belongs to the app.
server.tool('csp', { ui: { view, csp: {} } }, () => 'x')

// A client is what a host needs of a server, typed or not.
export async function show(frame: ViewFrame, policy: ViewPolicy, context: HostContext): Promise<AppHost> {
  const typed = new MCPServer('typed', { extensions: [apps()], tools: [tool('a', {}, () => 'x')] })
  const client = await Client.connect(typed, { extensions: [apps()] })
  const { tools } = await client.listTools()
  const read: View = await readView(client, tools[0] ?? {})
  return mountView(frame, {
    client,
    view: { ...read, csp: policy },
    sandboxUrl: 'https://sandbox.example.com',
    context,
    onOpenLink: async (url) => url.startsWith('https://example.com/'),
    onMessage: async () => {},
    onDisplayMode: (mode) => (mode === 'pip' ? 'inline' : mode),
  })
}

// @ts-expect-error The origin is needed.
export const channel = () => windowChannel({ postMessage: () => {} }, {})
