// A server of the legacy era keeps its news to itself until its client says that it is ready.
import { expect, it } from 'vitest'
import { createMemoryChannelPair } from '../../../src/dispatcher/memory-channel.ts'
import { Server } from '../../../src/server/server.ts'
import { RawPeer } from '../../support/peers.ts'

it('S-LIFE-03 tells of no change before `initialized`', async () => {
  const server = new Server('subject', { subscriptions: true, handlers: { 'tools/list': () => ({ tools: [] }) } })
  const [here, there] = createMemoryChannelPair()
  await server.connect(there)
  const peer = new RawPeer(here)
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } }
  peer.send({ jsonrpc: '2.0', id: 1, method: 'initialize', params })
  expect(await peer.next()).toMatchObject({ id: 1, result: {} })
  await server.announce({ type: 'toolsListChanged' })
  peer.send({ jsonrpc: '2.0', id: 2, method: 'ping' })
  expect(await peer.next()).toMatchObject({ id: 2, result: {} })

  peer.send({ jsonrpc: '2.0', method: 'notifications/initialized' })
  peer.send({ jsonrpc: '2.0', id: 3, method: 'ping' })
  expect(await peer.next()).toMatchObject({ id: 3 })
  await server.announce({ type: 'toolsListChanged' })
  expect(await peer.next()).toMatchObject({ method: 'notifications/tools/list_changed' })
  await here.close()
})
