// An author may answer a method of an MCPServer by hand. That handler stays, and the registries answer the other methods.
import { describe, expect, it } from 'vitest'
import { Client } from '../../../src/client/client.ts'
import { MCPServer } from '../../../src/mcpserver/mcpserver.ts'

const OWN = { resources: [{ uri: 'own://1', name: 'own' }] }
const READ = { contents: [{ uri: 'own://1', text: 'by hand' }] }

const ORDERS = { 'before the first resource': true, 'after it': false }

function serve(isFirst: boolean, answer: (server: MCPServer) => void): MCPServer {
  const server = new MCPServer('s')
  if (isFirst) answer(server)
  server.resource('note://1', () => 'registered')
  if (!isFirst) answer(server)
  server.resource('note://2', () => 'registered')
  return server
}

describe.each(Object.entries(ORDERS))('a handler that is set %s', (_order, isFirst) => {
  it('for a list stays, and registered resources can be read', async () => {
    const server = serve(isFirst, ({ server: low }) => low.setRequestHandler('resources/list', () => OWN))
    await using client = await Client.connect(server)
    expect(await client.listResources()).toMatchObject(OWN)
    expect((await client.readResource('note://2')).contents[0]).toMatchObject({ text: 'registered' })
    expect((await client.listResourceTemplates()).resourceTemplates).toEqual([])
  })

  it('for reading stays, and registered resources are listed', async () => {
    const server = serve(isFirst, ({ server: low }) => low.setRequestHandler('resources/read', () => READ))
    await using client = await Client.connect(server)
    expect((await client.readResource('note://1')).contents[0]).toMatchObject({ text: 'by hand' })
    expect((await client.listResources()).resources.map(({ uri }) => uri)).toEqual(['note://1', 'note://2'])
  })
})
