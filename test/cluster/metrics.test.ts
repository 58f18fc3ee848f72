// Metrics of several nodes: sessions, streams, routed answers and tasks, as a meter collects them.
import { describe, expect, test, vi } from 'vitest'
import { memory } from '../../src/backend/memory/memory.ts'
import { Client } from '../../src/client/client.ts'
import { tasks } from '../../src/extensions/tasks/tasks.ts'
import { MCPServer } from '../../src/mcpserver/mcpserver.ts'
import { createDeferred } from '../../src/primitives/async/promises.ts'
import { serverOf } from '../../src/server/http/handler.ts'
import { traceServer } from '../../src/telemetry/trace-server.ts'
import { accept, NAME_FORM } from '../interaction/kit/support-mcpserver.ts'
import { BareTasks, onlyKey, WITH_TASKS } from '../interaction/kit/support-tasks.ts'
import { FakeTelemetry } from '../unit/telemetry/fake-api.ts'
import { connectClient, type NodeParts, RawClient, startCluster } from './cluster.ts'

const ATTRIBUTES = { 'service.name': 'reports' }

/** The value that a meter reads now; `undefined` where there is none. */
async function figureOf(telemetry: FakeTelemetry, name: string): Promise<number | undefined> {
  const [found] = (await telemetry.collect())[name] ?? []
  return found?.value
}

async function startMeasured() {
  const telemetries = [new FakeTelemetry(), new FakeTelemetry(), new FakeTelemetry()]
  const create = ({ backend, onFault, index }: NodeParts): MCPServer => {
    const api = (telemetries[index] as FakeTelemetry).api
    const server = new MCPServer('reports', {
      backend,
      onFault,
      middleware: [traceServer({ api, attributes: ATTRIBUTES })],
    })
    server.tool('hello', () => 'hello')
    server.tool('ask', async (_args, ctx) => {
      const { content } = await ctx.session.elicitForm('Name?', {
        type: 'object',
        properties: { name: { type: 'string' } },
      })
      return String(content?.['name'])
    })
    return server
  }
  const cluster = await startCluster(create)
  const sum = async (name: string) => {
    const values = await Promise.all(telemetries.map((telemetry) => figureOf(telemetry, name)))
    return values.reduce<number>((total, value) => total + (value ?? 0), 0)
  }
  return { telemetries, cluster, sum }
}

describe('metrics of nodes', () => {
  test('mcp.server.session.open and mcp.server.stream.open follow sessions and their streams', async () => {
    const { telemetries, cluster } = await startMeasured()
    const [first] = telemetries as [FakeTelemetry]
    const one = await RawClient.open(cluster, 0)
    const other = await RawClient.open(cluster, 0)
    expect((await first.collect())['mcp.server.session.open']).toEqual([{ value: 2, attributes: ATTRIBUTES }])
    expect(await figureOf(first, 'mcp.server.stream.open')).toBe(0)
    const stream = await one.get(0)
    await vi.waitFor(async () => expect(await figureOf(first, 'mcp.server.stream.open')).toBe(1))
    await stream.body?.cancel()
    await vi.waitFor(async () => expect(await figureOf(first, 'mcp.server.stream.open')).toBe(0))
    await other.delete(0)
    await vi.waitFor(async () => expect(await figureOf(first, 'mcp.server.session.open')).toBe(1))
  })

  test('mcp.server.cluster.routed counts the answers that arrived at another node than asked', async () => {
    const { cluster, sum } = await startMeasured()
    const client = await connectClient(cluster.fetch, {
      onElicitation: () => ({ action: 'accept', content: { name: 'Ada' } }),
    })
    for (let i = 0; i < 6; i += 1) await client.callTool('ask')
    const routed = cluster.nodes.reduce((total, { server }) => total + routedOf(server), 0)
    expect(routed).toBeGreaterThan(0)
    expect(await sum('mcp.server.cluster.routed')).toBe(routed)
  })

  test('a closed handler has no sessions and streams to report', async () => {
    const { telemetries, cluster } = await startMeasured()
    const client = await RawClient.open(cluster, 0)
    await client.tool(0, 'hello')
    await cluster.nodes[0]?.handler.close({ drainMs: 0 })
    const collected = await (telemetries[0] as FakeTelemetry).collect()
    expect(collected['mcp.server.session.open']).toBeUndefined()
    expect(collected['mcp.server.stream.open']).toBeUndefined()
  })

  test('mcp.server.task.running and mcp.server.task.stored show runs of a process and the open tasks of all', async () => {
    const backend = memory()
    const ends = createDeferred()
    const start = async (workers: number) => {
      const telemetry = new FakeTelemetry()
      const middleware = [traceServer({ api: telemetry.api })]
      const server = new MCPServer('reports', {
        backend,
        extensions: [tasks({ workers })],
        middleware,
        onFault: () => {},
      })
      server.tool('ask', { task: 'always' }, async (_args, ctx) => {
        await ctx.elicit('Name?', NAME_FORM)
        await ends.promise
        return 'done'
      })
      const client = await Client.connect(server, WITH_TASKS)
      return { telemetry, server, client, tasks: new BareTasks(client) }
    }
    const serving = await start(0)
    const working = await start(2)
    await working.client.listTools()
    const begun = await Promise.all([1, 2, 3].map(() => serving.tasks.start('ask')))
    for (const { taskId } of begun) {
      const waiting = await serving.tasks.until(taskId, 'input_required')
      await serving.tasks.update(taskId, { [onlyKey(waiting)]: accept('Ada') })
    }
    // Two workers run; the third task waits in the queue.
    await vi.waitFor(async () => expect(await figureOf(working.telemetry, 'mcp.server.task.running')).toBe(2))
    expect(await figureOf(serving.telemetry, 'mcp.server.task.running')).toBe(0)
    for (const { telemetry } of [serving, working]) expect(await figureOf(telemetry, 'mcp.server.task.stored')).toBe(3)
    ends.resolve()
    for (const { taskId } of begun) await serving.tasks.ended(taskId)
    expect(await figureOf(serving.telemetry, 'mcp.server.task.stored')).toBe(0)
    await vi.waitFor(async () => expect(await figureOf(working.telemetry, 'mcp.server.task.running')).toBe(0))
    for (const { client, server } of [serving, working]) {
      await client.close()
      await server.close()
    }
  })

  test('an engine that is away is no value, and fails no collection', async () => {
    const { telemetries, cluster } = await startMeasured()
    await (await RawClient.open(cluster, 0)).tool(0, 'hello')
    cluster.backend.isDown = true
    expect(await figureOf(telemetries[0] as FakeTelemetry, 'mcp.server.session.open')).toBe(1)
    cluster.backend.isDown = false
  })
})

function routedOf(server: MCPServer): number {
  return serverOf(server).cluster?.routed ?? 0
}
