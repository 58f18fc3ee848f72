// Which requests settle the era of a connection: those that are accepted. What was refused has opened nothing.
import { MCPServer } from 'mcpwire'
import { afterEach, describe, expect, it } from 'vitest'
import { JSONRPCDispatcher } from '../../../src/dispatcher/jsonrpc-dispatcher.ts'
import { createMemoryChannelPair } from '../../../src/dispatcher/memory-channel.ts'
import type { JSONObject } from '../../../src/types/protocol/json.ts'

const open: JSONRPCDispatcher[] = []
afterEach(async () => {
  for (const client of open.splice(0)) await client.close()
})

async function connectRaw() {
  const server = new MCPServer('settling', { onFault: () => {} })
  server.tool('add', {}, () => 'sum')
  const [here, there] = createMemoryChannelPair()
  await server.connect(there)
  const client = new JSONRPCDispatcher(here)
  open.push(client)
  void client.run(
    () => ({}),
    () => {},
  )
  return (method: string, params?: JSONObject) =>
    client.sendRawRequest(method, params).then(
      () => 'accepted',
      (error: { code: number }) => error.code,
    )
}

const modern = (protocolVersion = '2026-07-28'): JSONObject => ({
  _meta: {
    'io.modelcontextprotocol/protocolVersion': protocolVersion,
    'io.modelcontextprotocol/clientCapabilities': {},
  },
})
const legacy = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } }

describe('the era of a connection', () => {
  it.each([
    ['a method that needs a handshake', 'tools/list', {}, -32600],
    ['a method that nobody has', 'com.example/nothing', {}, -32601],
    ['an initialize without its params', 'initialize', {}, -32602],
    ['an initialize with wrong params', 'initialize', { ...legacy, capabilities: 5 }, -32602],
  ])('is not settled as legacy by %s that is refused', async (_what, method, params, code) => {
    const send = await connectRaw()
    expect(await send(method, params)).toBe(code)
    expect(await send('tools/list', modern())).toBe('accepted')
    expect(await send('initialize', legacy)).toBe(-32022)
  })

  it('is not settled as modern by an envelope that is refused', async () => {
    const send = await connectRaw()
    expect(await send('tools/list', modern('2099-01-01'))).toBe(-32022)
    expect(await send('initialize', legacy)).toBe('accepted')
    expect(await send('tools/list', {})).toBe('accepted')
  })

  it.each([
    ['initialize', legacy],
    ['ping', {}],
  ])('is settled as legacy by an accepted %s', async (method, params) => {
    const send = await connectRaw()
    expect(await send(method, params)).toBe('accepted')
    expect(await send('tools/list', modern())).toBe(-32600)
  })

  it('is settled as modern by a request that takes long', async () => {
    const send = await connectRaw()
    void send('subscriptions/listen', { ...modern(), notifications: { toolsListChanged: true } })
    expect(await send('initialize', legacy)).toBe(-32022)
  })

  it('can be tried any number of times', async () => {
    const send = await connectRaw()
    for (let round = 0; round < 20; round += 1) expect(await send('tools/list', {})).toBe(-32600)
    expect(await send('initialize', legacy)).toBe('accepted')
    expect(await send('tools/call', { name: 'add' })).toBe('accepted')
  })
})
