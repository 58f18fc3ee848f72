// Results of tools held against the output schemas that their source lists.
import { describe, expect, it } from 'vitest'
import type { Fault } from '../../../src/dispatcher/fault.ts'
import { createProxy, type ProxyOptions } from '../../../src/exports/proxy.ts'
import { MCPServer } from '../../../src/exports/server.ts'
import { ERA_PAIRS, RawClient, type RawEra, type RawMessage, rawServer, targetOf } from '../../support/raw-peers.ts'
import { closedAfterEach } from './pair.ts'

const open = closedAfterEach()

const NUMBER = { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] }
const tool = (outputSchema?: object) => ({
  name: 'add',
  inputSchema: { type: 'object' },
  ...(outputSchema && { outputSchema }),
})
const listOf = (...tools: object[]) => ({ resultType: 'complete', ttlMs: 0, cacheScope: 'private', tools })

async function connect(front: RawEra, back: RawEra, options: ProxyOptions = { validate: 'results' }) {
  const server = rawServer(back).on('tools/list', listOf(tool(NUMBER)))
  const faults: Fault[] = []
  const proxy = createProxy(targetOf(server), { mode: back, onFault: (fault) => faults.push(fault), ...options })
  const client = await RawClient.open(proxy, front)
  open.push(proxy, client)
  const answer = (result: RawMessage) =>
    server.on('tools/call', { content: [], ...(back === 'modern' && { resultType: 'complete' }), ...result })
  const call = () => client.request('tools/call', { name: 'add', arguments: {} })
  return { server, client, faults, answer, call }
}

const MISFIT = (path: string) => ({
  error: { code: -32603, data: { mcpwire: { id: 'G024', source: 'source' }, path } },
})

describe.each(ERA_PAIRS)('compose G024 validate: a %s client and a %s source', (front, back) => {
  it('holds back what misfits, and says where', async () => {
    const { answer, call, faults } = await connect(front, back)
    answer({ structuredContent: { sum: 'secret' } })
    const refused = await call()
    expect(refused).toMatchObject(MISFIT('/structuredContent/sum'))
    expect(JSON.stringify(refused)).not.toContain('secret')
    answer({ structuredContent: { sum: 3 } })
    expect(await call()).toMatchObject({ result: { structuredContent: { sum: 3 } } })
    answer({})
    expect(await call()).toMatchObject(MISFIT('/structuredContent'))
    expect(faults.filter(({ kind }) => kind === 'invalid-message').map(({ message }) => message)).toEqual([
      expect.stringMatching(/"add" of 'source' does not fit its output schema/),
      expect.stringContaining('structuredContent is missing'),
    ])
  })

  it('lets failures of the tool cross, and tools without a schema', async () => {
    const { server, answer, call } = await connect(front, back)
    answer({ isError: true, content: [{ type: 'text', text: 'It broke.' }] })
    expect(await call()).toMatchObject({ result: { isError: true } })
    server.on('tools/list', listOf(tool()))
    server.notify('notifications/tools/list_changed')
    answer({ structuredContent: { any: 'thing' } })
    expect(await call()).toMatchObject({ result: { structuredContent: { any: 'thing' } } })
  })

  it('knows no tool twice: one that is not listed is looked up once', async () => {
    const { server, answer, call } = await connect(front, back)
    server.on('tools/list', listOf())
    answer({ structuredContent: 1 })
    await call()
    const before = server.received('tools/list').length
    await call()
    expect(server.received('tools/list')).toHaveLength(before)
  })

  it('lists anew before it refuses: a source may change a schema without a word', async () => {
    const { server, answer, call } = await connect(front, back)
    answer({ structuredContent: { sum: 3 } })
    await call()
    server.on('tools/list', listOf(tool({ type: 'object', properties: { sum: { type: 'string' } } })))
    answer({ structuredContent: { sum: 'three' } })
    expect(await call()).toMatchObject({ result: { structuredContent: { sum: 'three' } } })
  })

  it('does not trust a schema that can not be used', async () => {
    const { server, answer, call } = await connect(front, back)
    server.on('tools/list', listOf(tool({ type: 'object', properties: { sum: { $ref: '#/nowhere' } } })))
    answer({ structuredContent: { sum: 3 } })
    expect(await call()).toMatchObject(MISFIT('/structuredContent'))
  })

  it('is off by default: results cross as they are', async () => {
    const { server, answer, call } = await connect(front, back, {})
    answer({ structuredContent: { sum: 'three' } })
    expect(await call()).toMatchObject({ result: { structuredContent: { sum: 'three' } } })
    expect(server.received('tools/list').length).toBeLessThan(2)
  })
})

describe('compose G024 validate: tasks', () => {
  it('holds the result of a task of a legacy source against the schema of its tool', async () => {
    const { server, client } = await connect('legacy', 'legacy')
    server.on('tools/call', { task: { taskId: 't1', status: 'working', ttl: null, createdAt: '', lastUpdatedAt: '' } })
    server.on('tasks/result', { content: [], structuredContent: { sum: 'three' } })
    expect(await client.request('tools/call', { name: 'add', task: {} })).toMatchObject({ result: { task: {} } })
    expect(await client.request('tasks/result', { taskId: 't1' })).toMatchObject(MISFIT('/structuredContent/sum'))
    expect(await client.request('tasks/result', { taskId: 'another' })).toMatchObject({ result: {} })
  })

  it('and of a modern one', async () => {
    const { server, client } = await connect('modern', 'modern')
    server.on('tools/call', { resultType: 'task', taskId: 't1', status: 'working' })
    const result = { content: [], structuredContent: { sum: 'three' } }
    server.on('tasks/get', { resultType: 'complete', taskId: 't1', status: 'completed', result })
    expect(await client.request('tools/call', { name: 'add' })).toMatchObject({ result: { taskId: 't1' } })
    expect(await client.request('tasks/get', { taskId: 't1' })).toMatchObject(MISFIT('/structuredContent/sum'))
  })
})

it('compose G001 validate is one of its two words', () => {
  expect(() => createProxy(new MCPServer('a'), { validate: 'all' as never })).toThrow(RangeError)
})
