// `ctx.session.shared`: values that belong to a session, on every node that serves it.
import { describe, expect, test } from 'vitest'
import { MCPServer } from '../../src/mcpserver/mcpserver.ts'
import { connect } from '../../src/testing/connect.ts'
import type { JSONObject } from '../../src/types/protocol/json.ts'
import { connectClient, type NodeParts, RawClient, startCluster, type TestCluster, textOf } from './cluster.ts'

function createServer(parts?: NodeParts): MCPServer {
  const options = parts === undefined ? {} : { backend: parts.backend, onFault: parts.onFault }
  const server = new MCPServer('values', options)
  server.tool('get', async (_, ctx) => JSON.stringify((await ctx.session.shared.get('x')) ?? 'nothing'))
  server.tool('count', async (_, ctx) => {
    const add = (value: unknown) => (typeof value === 'number' ? value + 1 : 1)
    return String(await ctx.session.shared.update('count', add))
  })
  server.tool('set', async (_, ctx) => {
    const value = { list: [1, 'ü', null], deep: { yes: true } }
    await ctx.session.shared.set('x', value)
    // A change of the object that was set is none of the value.
    value.list.push(2)
    return 'set'
  })
  server.tool('delete', async (_, ctx) => String(await ctx.session.shared.delete('x')))
  server.tool('fill', async (_, ctx) => {
    try {
      await ctx.session.shared.set('big', 'x'.repeat(64 * 1024))
      return 'kept'
    } catch (error) {
      return `${(error as Error).name}: ${(error as Error).message}`
    }
  })
  server.tool('wrong', async (_, ctx) => {
    try {
      await ctx.session.shared.set('f', (() => 1) as never)
      return 'kept'
    } catch (error) {
      return `${(error as Error).name}: ${(error as Error).message}`
    }
  })
  return server
}

function valueKeys({ backend }: TestCluster): string[] {
  return backend.keys().filter((key) => key.startsWith('d.'))
}

describe('shared values of a session on three nodes', () => {
  test('set on one node, read, replaced and deleted on another', async () => {
    const cluster = await startCluster(createServer)
    const client = await RawClient.open(cluster, 0)
    expect(await textOf(await client.tool(0, 'get'))).toBe('"nothing"')
    expect(await textOf(await client.tool(0, 'set'))).toBe('set')
    expect(JSON.parse(await textOf(await client.tool(1, 'get')))).toEqual({ list: [1, 'ü', null], deep: { yes: true } })
    expect(await textOf(await client.tool(2, 'delete'))).toBe('true')
    expect(await textOf(await client.tool(2, 'delete'))).toBe('false')
    expect(await textOf(await client.tool(0, 'get'))).toBe('"nothing"')
  })

  test('30 updates at once over all nodes: none is lost, also where two make the same value', async () => {
    const cluster = await startCluster(createServer)
    const client = await RawClient.open(cluster, 0)
    const counts = await Promise.all(
      Array.from({ length: 30 }, async (_, i) => Number(await textOf(await client.tool(i % 3, 'count')))),
    )
    expect(counts.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 30 }, (_, i) => i + 1))
  })

  test('belong to one session, and end with it', async () => {
    const cluster = await startCluster(createServer)
    const [one, other] = [await RawClient.open(cluster, 0), await RawClient.open(cluster, 0)]
    await one.tool(1, 'set')
    expect(await textOf(await other.tool(1, 'get'))).toBe('"nothing"')
    expect(valueKeys(cluster)).toHaveLength(1)
    await one.delete(2)
    expect(valueKeys(cluster)).toEqual([])
  })

  test('may be 64 KiB in all; more is a LimitError, and nothing is changed', async () => {
    const cluster = await startCluster(createServer)
    const client = await RawClient.open(cluster, 0)
    await client.tool(0, 'set')
    expect(await textOf(await client.tool(1, 'fill'))).toMatch(/^LimitError: .*65536/)
    expect(await textOf(await client.tool(2, 'get'))).toContain('"deep"')
  })

  test('what is no JSON is refused', async () => {
    const cluster = await startCluster(createServer)
    const client = await RawClient.open(cluster, 0)
    expect(await textOf(await client.tool(1, 'wrong'))).toBe("TypeError: The shared value 'f' is not JSON.")
  })

  test('an engine that is down is an error of the call, and nothing is half kept', async () => {
    const cluster = await startCluster(createServer)
    const client = await RawClient.open(cluster, 0)
    await client.tool(0, 'set')
    cluster.backend.isDown = true
    const failed = (await (await client.tool(0, 'count')).json()) as JSONObject
    const message = 'The server cannot reach the values of the session now. Try again later.'
    expect(failed['error']).toEqual({ code: -32603, message })
    cluster.backend.isDown = false
    await expect.poll(async () => textOf(await client.tool(0, 'count'))).toBe('1')
  })

  test.each(['garbage', '{}', '[1,2,[3]]', '[["x"]]', ''])('D045: values that are %j count as none', async (text) => {
    const cluster = await startCluster(createServer)
    const client = await RawClient.open(cluster, 0)
    await client.tool(0, 'set')
    cluster.backend.plant(valueKeys(cluster)[0] ?? '', text)
    expect(await textOf(await client.tool(1, 'get'))).toBe('"nothing"')
    expect(await textOf(await client.tool(1, 'count'))).toBe('1')
  })

  test('our client counts to 12 behind a round-robin balancer', async () => {
    const cluster = await startCluster(createServer)
    const client = await connectClient(cluster.fetch)
    const seen: unknown[] = []
    for (let i = 0; i < 12; i += 1) seen.push((await client.callTool('count')).content[0])
    expect(seen).toEqual(Array.from({ length: 12 }, (_, i) => ({ type: 'text', text: String(i + 1) })))
  })
})

describe('without a backend', () => {
  test('a legacy session has the same values in memory', async () => {
    await using client = await connect(createServer(), { mode: 'legacy' })
    const counts = await Promise.all([1, 2, 3].map(() => client.callTool('count')))
    expect(counts.map(({ content }) => (content[0] as { text: string }).text).toSorted()).toEqual(['1', '2', '3'])
    await client.callTool('set')
    expect(JSON.stringify((await client.callTool('get')).content)).toContain('deep')
    expect(JSON.stringify((await client.callTool('fill')).content)).toContain('LimitError')
  })

  test('a modern request has values of its own, since there is no session', async () => {
    await using client = await connect(createServer(), { mode: 'modern' })
    for (let i = 0; i < 2; i += 1) {
      expect((await client.callTool('count')).content).toEqual([{ type: 'text', text: '1' }])
    }
  })
})
