// A node that stops for a minute, as with SIGSTOP, and comes back: another one has run its task, and nothing that it does is seen.
import { expect, onTestFinished, test } from 'vitest'
import { memory } from '../../src/backend/memory/memory.ts'
import type { TaskStore } from '../../src/backend/task-store.ts'
import { Client } from '../../src/client/client.ts'
import { tasks } from '../../src/extensions/tasks/tasks.ts'
import { MCPServer } from '../../src/mcpserver/mcpserver.ts'
import { createDeferred } from '../../src/primitives/async/promises.ts'
import { serverOf } from '../../src/server/http/handler.ts'
import { fakeClock } from '../../src/testing/fake-clock.ts'
import { BareTasks, WITH_TASKS } from '../interaction/kit/support-tasks.ts'

const LEASE_MS = 30_000

test('D020 (memory): the run of a node that stops for 60 s is lost: another node runs it, and its own result is refused', async () => {
  const clock = fakeClock()
  const shared = memory({ clock })
  const finishes: string[] = []

  /** `gate` holds back whatever a node does on the store. */
  async function start(name: string, run: () => Promise<unknown>, gate: { closed?: Promise<void> } = {}) {
    const target = shared.tasks as TaskStore
    // Not of the store itself: a server that knows that tasks are in its own memory reads them without the store.
    const store = new Proxy({} as TaskStore, {
      get(_, member) {
        const method = Reflect.get(target, member) as unknown
        if (typeof method !== 'function' || member === 'watch') return bound(method, target)
        return async (...args: unknown[]) => {
          await gate.closed
          const value = (await Reflect.apply(method, target, args)) as unknown
          if (member === 'finish') finishes.push(`${name}: ${String(value)}`)
          return value
        }
      },
    })
    const backend = { ...shared, tasks: store, open: () => shared.open(), close: async () => {} }
    const server = new MCPServer('stopped', { backend, extensions: [tasks({ workers: 1 })], onFault: () => {} })
    serverOf(server).clock = clock
    const aborted: boolean[] = []
    server.tool('work', { task: { mode: 'always', attempts: 3, leaseMs: LEASE_MS } }, async (_, ctx) => {
      await run()
      aborted.push(ctx.signal.aborted)
      return `by ${name}`
    })
    const client = await Client.connect(server, WITH_TASKS)
    onTestFinished(async () => {
      await client.close()
      await server.close()
    })
    return { tasks: new BareTasks(client), aborted }
  }

  const gate: { closed?: Promise<void> } = {}
  const [stopped, ran] = [createDeferred(), createDeferred()]
  const a = await start('a', () => ran.promise, gate)
  const { taskId } = await a.tasks.start('work')
  const b = await start('b', async () => {})
  gate.closed = stopped.promise
  // As long as the lease lasts nobody else runs it.
  await clock.advance(LEASE_MS - 1_000)
  expect((await b.tasks.get(taskId)).status).toBe('working')
  for (let passed = LEASE_MS - 1_000; passed < 60_000; passed += 1_000) await clock.advance(1_000)
  expect(finishes).toEqual(['b: finished'])
  const outcome = await b.tasks.get(taskId)
  expect(outcome).toMatchObject({ status: 'completed', result: { content: [{ type: 'text', text: 'by b' }] } })
  stopped.resolve()
  await clock.advance(LEASE_MS)
  ran.resolve()
  await clock.advance(LEASE_MS)
  expect(a.aborted).toEqual([true])
  expect(finishes.filter((line) => line.endsWith('finished'))).toEqual(['b: finished'])
  for (const node of [a, b]) expect(await node.tasks.get(taskId)).toEqual(outcome)
})

function bound(method: unknown, target: object): unknown {
  return typeof method === 'function' ? method.bind(target) : method
}
