// Tasks of several sources behind one gateway: sources that know nothing of each other may give the same ids.
import { describe, expect, it } from 'vitest'
import { createGateway } from '../../../src/exports/proxy.ts'
import { TaskIds } from '../../../src/proxy/gateway/task-ids.ts'
import { RawClient, type RawEra, type RawMessage, rawServer, targetOf } from '../../support/raw-peers.ts'
import { closedAfterEach } from './pair.ts'

const open = closedAfterEach()

const TASKS = 'io.modelcontextprotocol/tasks'
const RELATED = 'io.modelcontextprotocol/related-task'
const CAPABILITIES = {
  legacy: { tools: {}, tasks: { requests: { tools: { call: {} } }, cancel: {} } },
  modern: { tools: {}, extensions: { [TASKS]: {} } },
}

/** A source whose calls all become the task `1`. */
function source(era: RawEra, label: string, id = '1') {
  const task = { taskId: id, status: 'working', createdAt: '2026-01-01T00:00:00Z', ttl: null, lastUpdatedAt: '' }
  const tool = { name: 'run', inputSchema: { type: 'object' }, execution: { taskSupport: 'optional' } }
  return rawServer(era, { capabilities: CAPABILITIES[era] })
    .on('tools/list', { tools: [tool], resultType: 'complete', ttlMs: 0, cacheScope: 'private' })
    .on('tools/call', era === 'legacy' ? { task } : { resultType: 'task', ...task })
    .on('tasks/get', { ...task, resultType: 'complete', statusMessage: label })
    .on('tasks/cancel', { ...task, resultType: 'complete', status: 'cancelled' })
    .on('tasks/result', { content: [{ type: 'text', text: label }], _meta: { [RELATED]: { taskId: id }, 'a/b': 1 } })
}

async function connect(era: RawEra) {
  const [a, b, c] = [source(era, 'A'), source(era, 'B'), source(era, 'C', 'b_1')]
  const gateway = createGateway({ a: targetOf(a), b: targetOf(b), c: targetOf(c) }, { mode: era, onFault: () => {} })
  const capabilities = { elicitation: {}, ...(era === 'modern' && { extensions: { [TASKS]: {} } }) }
  const client = await RawClient.open(gateway, era, { capabilities })
  open.push(gateway, client)
  const start = async (tool: string): Promise<string> => {
    const result = await client.result('tools/call', {
      name: tool,
      arguments: {},
      ...(era === 'legacy' && { task: {} }),
    })
    return String(era === 'legacy' ? (result['task'] as RawMessage)['taskId'] : result['taskId'])
  }
  return { a, b, c, gateway, client, start }
}

describe.each(['legacy', 'modern'] as const)('compose X48 a gateway, %s', (era) => {
  it('each task has an id of its own, which leads to its source', async () => {
    const { a, b, c, client, start } = await connect(era)
    // Twice: the same task is the same task.
    const ids = [await start('a_run'), await start('b_run'), await start('c_run'), await start('b_run')]
    expect(ids).toEqual(['1', 'b_1', expect.stringMatching(/^c_/), 'b_1'])
    for (const [id, server, label, own] of [
      ['1', a, 'A', '1'],
      ['b_1', b, 'B', '1'],
      [ids[2], c, 'C', 'b_1'],
    ] as const) {
      const before = server.received('tasks/get').length
      expect(await client.result('tasks/get', { taskId: id })).toMatchObject({ taskId: id, statusMessage: label })
      expect(server.paramsOf('tasks/get', before)).toMatchObject({ taskId: own })
      expect(await client.result('tasks/cancel', { taskId: id })).toMatchObject({ taskId: id })
      expect(server.paramsOf('tasks/cancel')).toMatchObject({ taskId: own })
    }
  })

  it('a source that was removed has no tasks any more', async () => {
    const { gateway, client, start, b } = await connect(era)
    await start('a_run')
    const id = await start('b_run')
    await gateway.remove('b')
    expect(await client.request('tasks/get', { taskId: id })).toMatchObject({ error: {} })
    expect(b.received('tasks/get')).toEqual([])
    expect(await client.result('tasks/get', { taskId: '1' })).toMatchObject({ statusMessage: 'A' })
  })
})

describe('compose X48 what names a task of a legacy source', () => {
  it('has the id of the front there, and that of the source at the source', async () => {
    const { b, client, start } = await connect('legacy')
    await start('a_run')
    await start('b_run')
    expect(await client.result('tasks/result', { taskId: 'b_1' })).toEqual({
      content: [{ type: 'text', text: 'B' }],
      _meta: { [RELATED]: { taskId: 'b_1' }, 'a/b': 1 },
    })
    b.notify('notifications/tasks/status', { taskId: '1', status: 'working', odd: [1] })
    const [status] = await client.untilTold('notifications/tasks/status')
    expect(status).toMatchObject({ params: { taskId: 'b_1', odd: [1] } })
    client.onRequest = ({ params }) => ({ result: { action: 'decline', _meta: (params as RawMessage)['_meta'] } })
    const asked = b.request('elicitation/create', { message: 'm', _meta: { [RELATED]: { taskId: '1' } } })
    expect(await asked).toMatchObject({ result: { action: 'decline', _meta: { [RELATED]: { taskId: '1' } } } })
    expect(client.told('elicitation/create')).toMatchObject([{ params: { _meta: { [RELATED]: { taskId: 'b_1' } } } }])
  })
})

describe('compose X48 the table of ids', () => {
  it('is bounded: the oldest task is forgotten', () => {
    const ids = new TaskIds()
    ids.add('a', 'first')
    ids.add('b', 'first')
    for (let one = 0; one < 99_999; one += 1) ids.add('a', `t${one}`)
    expect(ids.find('first')).toBeUndefined()
    expect(ids.find('b_first')).toEqual({ source: 'b', own: 'first' })
    ids.add('a', 'one more')
    expect(ids.find('b_first')).toBeUndefined()
    expect(ids.hasRenamed('b')).toBe(false)
    expect(ids.find('one more')).toEqual({ source: 'a', own: 'one more' })
  })

  it('has no place for ids without end', () => {
    const ids = new TaskIds()
    ids.add('a', 'x'.repeat(2_000))
    expect(ids.find('x'.repeat(2_000))).toBeUndefined()
  })
})
