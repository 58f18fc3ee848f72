// Whose tasks are whose at revision 2025-11-25, and what a caller can list.
import { expect } from 'vitest'
import type { Client } from '../../../src/client/client.ts'
import { createDeferred } from '../../../src/primitives/async/promises.ts'
import { fakeClock } from '../../../src/testing/fake-clock.ts'
import { withTasks } from '../../../src/testing/with-tasks.ts'
import { requirement } from '../kit/requirement.ts'
import { refusalOf } from '../kit/support-mcpserver.ts'
import { cancelTask, connectAs, getTask, resultOf, serverWithTasks, startTask, textIn } from './support-core.ts'

requirement('tasks L-12: bound to the caller', async () => {
  const gate = createDeferred()
  const { server } = serverWithTasks()
  server.tool('slow', { task: true }, async () => {
    await gate.promise
    return 'done'
  })
  const first = await connectAs(server, 'ada')
  const { taskId } = await startTask(first, 'slow')
  await first.close()
  await using nobody = await connectAs(server, undefined)
  const nobodys = await startTask(nobody, 'slow')

  const strangers = [
    [await connectAs(server, 'bob'), taskId],
    [nobody, taskId],
    [await connectAs(server, 'ada'), nobodys.taskId],
  ] as const
  for (const [client, id] of strangers) {
    for (const request of [getTask, resultOf, cancelTask]) {
      expect((await refusalOf(request(client, id))).message).toMatch(/^Unknown task/)
    }
  }
  // The task has outlived its session, and belongs to the same caller in a new one. Nobody's are found by their id.
  await using again = await connectAs(server, 'ada')
  await using another = await connectAs(server, undefined)
  expect((await getTask(again, taskId)).status).toBe('working')
  expect((await getTask(another, nobodys.taskId)).status).toBe('working')
  gate.resolve()
  expect(textIn(await resultOf(again, taskId))).toBe('done')
  for (const [client] of strangers) await client.close()
})

requirement('tasks L-12: no list for nobody', async ({ connect }) => {
  const { server } = serverWithTasks()
  server.tool('may', { task: true }, () => 'done')
  await using client = await connect(server)
  await startTask(client, 'may')

  expect(client.serverCapabilities.tasks).toEqual({ cancel: {}, requests: { tools: { call: {} } } })
  const refusal = await refusalOf(client.session.sendRequest('tasks/list', {}))
  expect(refusal.code).toBe(-32601)
})

async function listAll(client: Client, onPage: (count: number) => unknown = () => {}): Promise<string[]> {
  const ids: string[] = []
  let cursor: string | undefined
  do {
    const page = await client.session.sendRequest('tasks/list', cursor === undefined ? {} : { cursor })
    ids.push(...page.tasks.map(({ taskId }) => taskId))
    cursor = page.nextCursor
    await onPage(page.tasks.length)
  } while (cursor !== undefined)
  return ids
}

requirement('tasks L-14: listed', async () => {
  const clock = fakeClock()
  const { server } = serverWithTasks({ limits: { perOwner: 1_000 } })
  withTasks(server, { clock })
  server.tool('may', { task: { keepMs: 0 } }, () => 'done')
  await using ada = await connectAs(server, 'ada')
  await using bob = await connectAs(server, 'bob')
  expect(ada.serverCapabilities.tasks?.list).toEqual({})
  expect(await listAll(ada)).toEqual([])

  const own: string[] = []
  const start = async (ttl: number) => {
    const { taskId } = await startTask(ada, 'may', {}, { ttl })
    await resultOf(ada, taskId)
    own.push(taskId)
    await clock.advance(1)
  }
  for (let count = 0; count < 60; count++) await start(count < 50 ? 10_000 : 1_000_000)
  for (let count = 0; count < 60; count++) await start(1_000_000)
  const bobs = await startTask(bob, 'may')
  const sizes: number[] = []
  expect(await listAll(ada, (size) => sizes.push(size))).toEqual(own)
  expect(sizes).toEqual([50, 50, 20])
  expect(await listAll(bob)).toEqual([bobs.taskId])
  for (const id of own) expect((await getTask(ada, id)).taskId).toBe(id)

  // The first page goes while the client reads: the cursor still leads to the rest, and nothing is left out.
  let pages = 0
  const rest = await listAll(ada, async () => {
    pages += 1
    if (pages === 1) await clock.advance(20_000)
  })
  expect(new Set(rest.slice(50))).toEqual(new Set(own.slice(50)))
  expect(await listAll(ada)).toEqual(own.slice(50))
  expect((await refusalOf(getTask(ada, own[0] as string))).code).toBe(-32602)

  for (const cursor of ['', 'x', 'AAAA', 'e30']) {
    expect((await refusalOf(ada.session.sendRequest('tasks/list', { cursor }))).code, cursor).toBe(-32602)
  }
})

requirement('tasks L-14: bounded work', async () => {
  let isVisible = true
  const { server } = serverWithTasks()
  server.tool('gone', { task: true, visible: () => isVisible }, () => 'done')
  server.tool('may', { task: true }, () => 'done')
  await using ada = await connectAs(server, 'ada')
  for (let count = 0; count < 1_100; count++) {
    const { taskId } = await startTask(ada, 'gone')
    await resultOf(ada, taskId)
  }
  const { taskId } = await startTask(ada, 'may')
  isVisible = false
  const sizes: number[] = []
  expect(await listAll(ada, (size) => sizes.push(size))).toEqual([taskId])
  expect(sizes).toEqual([0, 1])
})

requirement('tasks L-12: time for nobody', async () => {
  const { server } = serverWithTasks({ limits: { maxTtlMs: 50_000 } })
  server.tool('may', { task: { ttlMs: 20_000, keepMs: 0 } }, () => 'done')
  await using ada = await connectAs(server, 'ada')
  await using nobody = await connectAs(server, undefined)
  const ttlOf = async (client: Client, ttl: number) => (await startTask(client, 'may', {}, { ttl })).ttl
  expect(await ttlOf(ada, 1e12)).toBe(50_000)
  expect(await ttlOf(nobody, 1e12)).toBe(20_000)
  expect(await ttlOf(nobody, 5_000)).toBe(5_000)
})

requirement('tasks L-12: cancelled handlers count', async () => {
  const clock = fakeClock()
  const gate = createDeferred()
  let live = 0
  const { server } = serverWithTasks({ workers: 2, limits: { perOwner: 4 } })
  withTasks(server, { clock })
  server.tool('deaf', { task: true }, async () => {
    live += 1
    await gate.promise
    return 'done'
  })
  const later = createDeferred()
  server.tool('stepping', { task: true }, async (_args, ctx) => {
    await later.promise
    await ctx.step('one', () => 1)
    return 'done'
  })
  await using ada = await connectAs(server, 'ada')
  await using bob = await connectAs(server, 'bob')
  const startAndCancel = async (client: Client, name = 'deaf') => {
    const { taskId } = await startTask(client, name)
    await clock.advance(0)
    await cancelTask(client, taskId)
    await clock.advance(0)
  }
  for (let count = 0; count < 10; count++) await startAndCancel(ada)
  expect(live).toBe(2)
  // The two that still run are two of the four that she may have open.
  await startTask(ada, 'deaf')
  await startTask(ada, 'deaf')
  await expect(startTask(ada, 'deaf')).rejects.toMatchObject({ data: { limit: 'limits.perOwner', max: 4 } })
  // A handler that never ends does not keep its worker for ever.
  await clock.advance(60_000)
  expect(live).toBe(4)
  gate.resolve()
  await clock.advance(0)
  // What waits for a task that is gone does not count as running.
  for (let count = 0; count < 2; count++) await startAndCancel(bob, 'stepping')
  const { taskId } = await startTask(bob, 'deaf')
  await clock.advance(0)
  expect(live).toBe(4)
  later.resolve()
  expect(textIn(await resultOf(bob, taskId))).toBe('done')
})
