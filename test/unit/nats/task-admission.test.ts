// Tasks that are let in beside each other, and those that are announced together.
import { expect, it } from 'vitest'
import { NOBODY } from '../../../src/backend/task-store.ts'
import type { Engine } from '../../../src/nats/engine/engine.ts'
import type { OpenTasks } from '../../../src/nats/tasks/open-tasks.ts'
import { TaskAdmission } from '../../../src/nats/tasks/task-admission.ts'

function admission() {
  const waiting: (() => void)[] = []
  const looked = () => new Promise<void>((resolve) => void waiting.push(resolve))
  const open = { refresh: looked, has: () => false, size: 0, count: () => 0, bytes: () => 0 }
  const written: string[] = []
  const state = {
    last: async () => (written.length === 0 ? undefined : { data: written.at(-1), seq: written.length }),
    write: async (_trip: object, _subject: string, { data }: { data: string }) => written.push(data),
  }
  const engine = {
    state,
    names: { creating: (owner: string) => owner },
    clock: { now: () => 1_000_000 },
    link: { timeoutMs: 60_000 },
    newId: () => 'w',
    perform: (_operation: string, work: (trip: object) => Promise<unknown>) => work({}),
  }
  const admit = new TaskAdmission(engine as unknown as Engine, open as unknown as OpenTasks)
  let admitted = 0
  const begin = (owner: string, ids = ['a', 'b', 'c']) =>
    Promise.allSettled(
      ids.map(async (id) => {
        await admit.admit({ id, owner }, 10, { perOwner: 5, total: 9, maxBytes: 1_000 }, async () => {})
        admitted += 1
      }),
    )
  return { begin, waiting, written, admitted: () => admitted }
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

it('tasks of one owner that come while others are announced are announced together', async () => {
  const { begin, waiting, admitted, written } = admission()
  const done = begin('ada')
  await turns()
  expect(waiting).toHaveLength(1)
  waiting[0]?.()
  await turns()
  expect(admitted()).toBe(1)
  expect(waiting).toHaveLength(2)
  waiting[1]?.()
  await done
  expect(written.map((data) => Object.keys(JSON.parse(data) as object))).toEqual([['a'], ['a', 'b', 'c']])
})

it('of tasks that are announced together as many are let in as the owner may have', async () => {
  const { begin, waiting, admitted } = admission()
  const done = begin('ada', ['a', 'b', 'c', 'd', 'e', 'f', 'g'])
  for (let looks = 0; looks < 6; looks += 1) {
    await turns()
    for (const go of waiting) go()
  }
  const outcomes = await done
  expect(admitted()).toBe(5)
  expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(2)
})
