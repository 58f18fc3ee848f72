// What a proxy keeps of connections that are closed, and of requests that are answered: nothing.
import { expect, it } from 'vitest'
import { Client } from '../../../src/exports/client.ts'
import { createProxy } from '../../../src/exports/proxy.ts'
import { MCPServer } from '../../../src/exports/server.ts'
import { heapUsed, MIB } from '../../support/heap.ts'

it('compose X39 closed connections leave nothing behind', async () => {
  const server = new MCPServer('source', { supportedVersions: ['2025-11-25'] })
  server.tool('one', () => '1')
  await using proxy = createProxy(server, { sessions: 'call' })
  await using client = await Client.connect(proxy, { mode: 'modern' })
  const call = async (times: number) => {
    for (let one = 0; one < times; one += 1) await client.callTool('one')
  }
  await call(100)
  const before = await heapUsed()
  await call(600)
  expect((await heapUsed()) - before).toBeLessThan(MIB)
})

it('compose X39 the first request of a client is not kept as long as its connection', async () => {
  const server = new MCPServer('source', { supportedVersions: ['2025-11-25'] })
  server.tool('one', () => '1')
  const proxy = createProxy(server)
  const seen: WeakRef<object>[] = []
  proxy.use((ctx, next) => {
    seen.push(new WeakRef(ctx.dispatch))
    return next()
  })
  const client = await Client.connect(proxy, { mode: 'legacy' })
  await client.callTool('one')
  await heapUsed()
  await heapUsed()
  expect(seen.length).toBeGreaterThan(1)
  expect(seen.filter((ref) => ref.deref() !== undefined)).toEqual([])
  await client.close()
  await proxy.close()
})
