// Workers look for tasks when a hint comes or a place becomes free, and leave none waiting that could run.
import { expect, it, vi } from 'vitest'
import { MemoryTaskStore } from '../../../../../src/backend/memory-task-store.ts'
import type { Claim, TaskStore } from '../../../../../src/backend/task-store.ts'
import { Workers } from '../../../../../src/extensions/tasks/server/runs/workers.ts'
import { type Clock, systemClock } from '../../../../../src/primitives/async/clock.ts'
import { createDeferred, type Deferred } from '../../../../../src/primitives/async/promises.ts'

/** The look that comes every few seconds would hide a task that was left waiting. */
const still: Clock = { ...systemClock, setTimer: () => systemClock.setTimer(() => {}, 0) }

class GatedStore extends MemoryTaskStore {
  looks = 0
  /** While set, a look for tasks takes until it resolves. */
  gate: Promise<void> | undefined

  override async claim(...given: Parameters<TaskStore['claim']>): Promise<readonly Claim[]> {
    this.looks += 1
    const claims = await super.claim(...given)
    await this.gate
    return claims
  }
}

function setUp(max: number) {
  const store = new GatedStore()
  const runs = new Map<string, Deferred<void>>()
  const workers = new Workers({
    store,
    clock: () => still,
    name: 'here',
    max,
    leaseOf: () => 30_000,
    tools: () => ['add'],
    run: async ({ id }) => {
      const run = createDeferred()
      runs.set(id, run)
      await run.promise
    },
    onError: (error) => {
      throw error
    },
  })
  store.watch({ changed: () => {}, work: () => workers.wake(), missed: () => {} })
  workers.open()
  const add = (id: string) =>
    store.create({
      id,
      owner: 'me',
      kind: 'add',
      dialect: 'extension',
      input: '{}',
      ttlMs: 60_000,
      keepMs: 0,
      pollIntervalMs: 0,
      maxAttempts: 1,
    })
  const end = (id: string) => runs.get(id)?.resolve()
  const begun = (...ids: string[]) => vi.waitFor(() => expect([...runs.keys()]).toEqual(ids))
  return { store, workers, add, end, begun, [Symbol.dispose]: () => workers.close() }
}

it('a task that waits for a place runs when one becomes free', async () => {
  using set = setUp(1)
  for (const id of ['a', 'b', 'c']) await set.add(id)
  await set.begun('a')
  set.end('a')
  await set.begun('a', 'b')
  set.end('b')
  await set.begun('a', 'b', 'c')
})

it('a place that becomes free while the workers look for tasks is filled too', async () => {
  using set = setUp(2)
  for (const id of ['a', 'b', 'c', 'd']) await set.add(id)
  await set.begun('a', 'b')
  const gate = createDeferred()
  set.store.gate = gate.promise
  const { looks } = set.store
  set.end('a')
  await vi.waitFor(() => expect(set.store.looks).toBe(looks + 1))
  // The look that is under way has found one place and takes one task.
  set.end('b')
  await new Promise((resolve) => setImmediate(resolve))
  gate.resolve()
  await set.begun('a', 'b', 'c', 'd')
})

it('a run that ends beside free places costs no look at the store', async () => {
  using set = setUp(8)
  await set.add('a')
  await set.begun('a')
  const { looks } = set.store
  set.end('a')
  await new Promise((resolve) => setImmediate(resolve))
  expect(set.store.looks).toBe(looks)
})
