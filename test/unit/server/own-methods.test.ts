// What the author of a server can and cannot take over, and what a server declares without having it.
import { Client, MCPServer } from 'mcpwire'
import { Server } from 'mcpwire/server'
import { describe, expect, it } from 'vitest'

describe("a handler for 'initialize'", () => {
  it('is refused, however it is given', () => {
    const handler = () => ({})
    expect(() => new Server('x').setRequestHandler('initialize', handler as never)).toThrow(TypeError)
    expect(() => new Server('x', { handlers: { initialize: handler } as never })).toThrow(/answers 'initialize' itself/)
    expect(() => new MCPServer('x').server.setRequestHandler('initialize', handler as never)).toThrow(TypeError)
  })

  it('leaves the handshake as it was', async () => {
    const server = new Server('x', { handlers: { 'tools/list': () => ({ tools: [] }) } })
    expect(() => server.setRequestHandler('initialize', (() => ({})) as never)).toThrow()
    await using client = await Client.connect(server, { mode: 'legacy' })
    expect((await client.listTools()).tools).toEqual([])
  })
})

describe('a declared capability without anything behind it', () => {
  it.each(['legacy', 'auto'] as const)('capabilities: { tools: {} } without a tool is declared, %s', async (mode) => {
    for (const server of [
      new MCPServer('bare', { capabilities: { tools: {} } }),
      new Server('bare', { capabilities: { tools: {} } }),
    ]) {
      await using client = await Client.connect(server, { mode })
      expect(client.serverCapabilities).toHaveProperty('tools')
    }
  })

  it.each(['legacy', 'auto'] as const)('an MCPServer answers its list with nothing, %s', async (mode) => {
    const server = new MCPServer('bare', { capabilities: { tools: {}, resources: {}, prompts: {} } })
    await using client = await Client.connect(server, { mode })
    expect((await client.listTools()).tools).toEqual([])
    expect((await client.listResources()).resources).toEqual([])
    expect((await client.listResourceTemplates()).resourceTemplates).toEqual([])
    expect((await client.listPrompts()).prompts).toEqual([])
    await expect(client.callTool('none')).rejects.toMatchObject({ code: -32602 })
  })

  it.each(['legacy', 'auto'] as const)('nothing is declared without it, %s', async (mode) => {
    await using client = await Client.connect(new MCPServer('bare'), { mode })
    expect(client.serverCapabilities).not.toHaveProperty('tools')
  })
})
