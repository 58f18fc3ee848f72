// What an MCPServer asks its extensions for: methods and options that name the extension to add where it is missing.
import { describe, expect, it } from 'vitest'
import { Client } from '../../../../src/client/client.ts'
import type { MCPServerExtension } from '../../../../src/mcpserver/extensions/extension-parts.ts'
import { MCPServer } from '../../../../src/mcpserver/mcpserver.ts'

const MISSING = 'to the option extensions of the server.'

describe('without the extension', () => {
  it.each<[string, (server: MCPServer) => unknown, string]>([
    ['server.app()', (server) => server.app('ui://a', { html: '' }), 'apps() from'],
    ['server.skill()', (server) => server.skill({ 'SKILL.md': '' }), 'skills() from'],
    ['the option task', (server) => server.tool('a', { task: true }, () => 'a'), 'tasks() from'],
    ['the option ui', (server) => server.tool('a', { ui: 'ui://a' }, () => 'a'), 'apps() from'],
  ])('%s says what to add', (_what, use, add) => {
    const server = new MCPServer('one')
    const attempt = () => use(server)
    expect(attempt).toThrow(TypeError)
    expect(attempt).toThrow(`Add ${add} 'mcpwire/extensions/`)
    expect(attempt).toThrow(MISSING)
  })

  it('task: false is an ordinary tool', async () => {
    const server = new MCPServer('one')
    server.tool('a', { task: false }, () => 'a')
    expect(await server.callTool('a')).toMatchObject({ content: [{ text: 'a' }] })
  })
})

describe('an option of a tool that belongs to an extension', () => {
  const extension: MCPServerExtension = {
    identifier: 'io.modelcontextprotocol/ui',
    toolOptions: {
      ui: (value, { owner, annotations }) => {
        if (value === '') throw new TypeError(`The ui of ${owner} is empty. Name a view.`)
        const _meta = { ui: { resourceUri: value as string, isReadOnly: annotations?.readOnlyHint === true } }
        return { listed: (tool, era) => ({ ...tool, _meta: { ...tool._meta, ..._meta, era } }) }
      },
    },
  }

  it('changes what is listed, in each era, also after an update', async () => {
    const server = new MCPServer('one', { extensions: [extension] })
    const options = { ui: 'ui://a', meta: { own: 1 }, annotations: { readOnlyHint: true } }
    const handle = server.tool('a', options, () => 'a')
    for (const mode of ['legacy', 'modern'] as const) {
      await using client = await Client.connect(server, { mode })
      const { tools } = await client.listTools()
      expect(tools[0]?._meta).toEqual({ own: 1, era: mode, ui: { resourceUri: 'ui://a', isReadOnly: true } })
    }
    handle.update({ ui: 'ui://b' })
    const { tools } = await server.listTools()
    expect(tools[0]?._meta).toMatchObject({ ui: { resourceUri: 'ui://b' } })
  })

  it('is refused by the extension, and nothing is registered or changed', async () => {
    const server = new MCPServer('one', { extensions: [extension] })
    expect(() => server.tool('a', { ui: '' }, () => 'a')).toThrow('The ui of tool "a" is empty. Name a view.')
    const handle = server.tool('a', { ui: 'ui://a' }, () => 'a')
    expect(() => handle.update({ ui: '' })).toThrow('Name a view.')
    expect((await server.listTools()).tools[0]?._meta).toMatchObject({ ui: { resourceUri: 'ui://a' } })
  })
})

describe('the methods of an extension', () => {
  it('get the server and what the author gave', () => {
    const calls: unknown[] = []
    const handle = { key: 'ui://a', uri: 'ui://a' } as never
    const extension: MCPServerExtension = {
      identifier: 'io.modelcontextprotocol/ui',
      forServer: (low) => ({
        app: (server, uri, options) => {
          calls.push([server.server === low, uri, options])
          return handle
        },
      }),
    }
    const server = new MCPServer('one', { extensions: [extension] })
    expect(server.app('ui://a', { html: '<p>' })).toBe(handle)
    expect(calls).toEqual([[true, 'ui://a', { html: '<p>' }]])
  })
})
