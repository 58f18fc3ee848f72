// Tasks that are let in beside each other, and those that must wait for each other.
import { expect, it } from 'vitest'
import { NOBODY } from '../../../src/backend/task-store.ts'
import type { Engine } from '../../../src/nats/engine/engine.ts'
import type { OpenTasks } from '../../../src/nats/tasks/open-tasks.ts'
import { TaskAdmission } from '../../../src/nats/tasks/task-admission.ts'

function admission() {
  const waiting: (() => void)[] = []
  const looked = () => new Promise<void>((resolve) => void waiting.push(resolve))
  const open = { refresh: looked, has: () => false, size: 0, count: () => 0, bytes: () => 0 }
  const state = { last: async () => undefined, write: async () => 1 }
  const engine = {
    state,
    names: { creating: (owner: string) => owner },
    clock: { now: () => 1_000_000 },
    newId: () => 'w',
    perform: (_operation: string, work: (trip: object) => Promise<unknown>) => work({}),
  }
  const admit = new TaskAdmission(engine as unknown as Engine, open as unknown as OpenTasks)
  let admitted = 0
  const begin = (owner: string) =>
    Promise.all(
      ['a', 'b', 'c'].map(async (id) => {
        await admit.admit({ id, owner }, 10, { perOwner: 5, total: 9, maxBytes: 1_000 }, async () => {})
        admitted += 1
      }),
    )
  return { begin, waiting, admitted: () => admitted }
}

const turns = () => new Promise((resolve) => setImmediate(resolve))

it('tasks of callers that nobody verified do not wait for each other', async () => {
  const { begin, waiting } = admission()
  const done = begin(NOBODY)
  await turns()
  expect(waiting).toHaveLength(3)
  for (const go of waiting) go()
  await done
})

it('tasks of one owner are let in one after the other', async () => {
  const { begin, waiting, admitted } = admission()
  const done = begin('ada')
  for (const count of [1, 2, 3]) {
    await turns()
    expect(waiting).toHaveLength(count)
    expect(admitted()).toBe(count - 1)
    waiting[count - 1]?.()
  }
  await done
})
