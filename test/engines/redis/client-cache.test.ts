// The response cache of clients on Redis: two processes share it, and a client outlives a Redis that is killed.
import { expect, test } from 'vitest'
import { Client } from '../../../src/client/client.ts'
import type { Fault } from '../../../src/dispatcher/fault.ts'
import { MCPServer } from '../../../src/mcpserver/mcpserver.ts'
import { serveHttp } from '../../../src/node/http/serve-http.ts'
import { redis } from '../../../src/redis/redis.ts'
import { bundleProgram } from '../../support/bundle.ts'
import { startNode } from '../../support/child.ts'
import { describeEngine, useEngine } from '../describe-engine.ts'
import { startRedis } from '../redis.ts'

const PROGRAM = `
import { Client } from './src/client/client.ts'
import { redis } from './src/redis/redis.ts'

const backend = redis(process.env.BACKEND_URL)
const client = await Client.connect(process.env.SERVER_URL, { backend, cache: { partition: process.env.CACHE_USER } })
const { tools } = await client.listTools()
const { contents } = await client.readResource('note://mine')
console.log('read ' + tools.map((tool) => tool.name) + ' ' + contents[0].text)
await client.close()
`

async function startServer() {
  const seen: string[] = []
  const server = new MCPServer('notes', {
    cacheHints: {
      'tools/list': { ttlMs: 600_000, scope: 'public' },
      'resources/read': { ttlMs: 600_000, scope: 'private' },
    },
    middleware: [
      (ctx, next) => {
        seen.push(ctx.method)
        return next()
      },
    ],
  })
  server.tool('echo', () => 'echo')
  server.resource('note://mine', {}, () => 'mine')
  const running = await serveHttp(server, { port: 0 })
  const countOf = (method: string) => seen.filter((one) => one === method).length
  return { running, server, countOf }
}

describeEngine('Redis', 'clients that share a cache on Redis', () => {
  const engine = useEngine(() => startRedis())

  test('of two processes the second asks the server for nothing, another user for private results only', async () => {
    const { running, countOf } = await startServer()
    const program = await bundleProgram('client-cache', PROGRAM)
    const read = async (user: string) => {
      const child = startNode([program], { BACKEND_URL: engine().url, SERVER_URL: running.url, CACHE_USER: user })
      const [code] = await child.ended
      return { code, ...child.output }
    }
    const expected = { code: 0, stdout: 'read echo mine\n', stderr: '' }
    expect(await read('ada')).toEqual(expected)
    expect([countOf('tools/list'), countOf('resources/read')]).toEqual([1, 1])
    expect(await read('ada')).toEqual(expected)
    expect([countOf('tools/list'), countOf('resources/read')]).toEqual([1, 1])
    expect(await read('bob')).toEqual(expected)
    expect([countOf('tools/list'), countOf('resources/read')]).toEqual([1, 2])
    await running.close()
  })
})

describeEngine('Redis', 'clients whose Redis is killed', () => {
  test('D009 (redis): calls go to the server meanwhile, one fault is reported, and the cache works again afterwards', async () => {
    const engine = await startRedis()
    const { running, countOf } = await startServer()
    const faults: Fault[] = []
    const backend = redis(engine.url, { timeoutMs: 500 })
    const client = await Client.connect(running.url, { backend, onFault: (fault) => faults.push(fault) })
    await client.listTools()
    await client.listTools()
    expect(countOf('tools/list')).toBe(1)
    await engine.process.stop('SIGKILL')
    for (let i = 0; i < 20; i += 1) expect((await client.listTools()).tools).toHaveLength(1)
    expect(countOf('tools/list')).toBe(21)
    expect(faults.map(({ kind }) => kind)).toEqual(['transport'])
    await engine.process.start()
    // A miss stores the result once the engine is found again; from then on the server is not asked.
    for (let before = -1; before !== countOf('tools/list'); ) {
      before = countOf('tools/list')
      await client.listTools()
    }
    await client.listTools()
    expect(countOf('tools/list')).toBeGreaterThan(21)
    await client.close()
    await running.close()
    await engine.close()
  })
})
