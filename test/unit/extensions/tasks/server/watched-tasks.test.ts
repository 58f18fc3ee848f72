// Whoever waits for a task hears of each of its changes once, in order, whenever the hint comes.
import { expect, it } from 'vitest'
import type { Task } from '../../../../../src/backend/task-store.ts'
import { WatchedTasks } from '../../../../../src/extensions/tasks/server/watched-tasks.ts'
import { createDeferred } from '../../../../../src/primitives/async/promises.ts'
import { fakeClock } from '../../../../../src/testing/fake-clock.ts'
import { settle } from '../../../../support/fake-tasks.ts'

function taskAt(revision: number, id = 'T1'): Task {
  return { id, revision, status: 'working' } as Task
}

function setUp(get: (id: string) => Promise<Task | undefined>, losesHints = true) {
  const clock = fakeClock()
  const errors: unknown[] = []
  const watched = new WatchedTasks({ get, clock: () => clock, losesHints, onError: (error) => errors.push(error) })
  watched.open()
  return { clock, watched, errors }
}

it.each(Array.from({ length: 8 }, (_, steps) => steps))(
  'a change that comes %i steps after the last look began is heard',
  async (steps) => {
    let revision = 1
    const heard: unknown[] = []
    const { watched } = setUp(async () => taskAt(revision))
    watched.add('T1', { onTask: (task) => heard.push(task?.revision) }, 1)
    watched.changed('T1')
    for (let step = 0; step < steps; step += 1) await undefined
    revision = 2
    watched.changed('T1')
    await settle()
    expect(heard).toEqual([2])
  },
)

it('an answer that is older than what a watcher knows is no news', async () => {
  const answers = [taskAt(3), taskAt(2), taskAt(3)]
  const heard: unknown[] = []
  const { watched } = setUp(async () => answers.shift())
  watched.add('T1', { onTask: (task) => heard.push(task?.revision) }, 1)
  for (let hint = 0; hint < 3; hint += 1) {
    watched.changed('T1')
    await settle()
  }
  expect(heard).toEqual([3])
})

it('two watchers of a task cost one read, and each hears what is new to it', async () => {
  let reads = 0
  const { watched } = setUp(async () => {
    reads += 1
    return taskAt(2)
  })
  const heard: string[] = []
  watched.add('T1', { onTask: () => heard.push('old') }, 1)
  watched.add('T1', { onTask: () => heard.push('new') }, 2)
  watched.changed('T1')
  await settle()
  expect([reads, heard]).toEqual([1, ['old']])
})

it('a read that fails is reported, and the next look reads again', async () => {
  let fails = true
  const heard: unknown[] = []
  const { clock, watched, errors } = setUp(async () => {
    if (fails) throw new Error('Out of reach')
    return taskAt(2)
  })
  watched.add('T1', { onTask: (task) => heard.push(task?.revision) }, 1)
  watched.changed('T1')
  await settle()
  expect(errors).toHaveLength(1)
  fails = false
  await clock.advance(2_000)
  expect(heard).toEqual([2])
})

it('at most 1,000 tasks are read in one look, and the others have their turn in the next one', async () => {
  const reads = new Map<string, number>()
  const { clock, watched } = setUp(async (id) => {
    reads.set(id, (reads.get(id) ?? 0) + 1)
    return taskAt(1, id)
  })
  for (let n = 0; n < 1_500; n += 1) watched.add(`T${n}`, { onTask: () => {} }, 1)
  await clock.advance(2_000)
  expect(reads.size).toBe(1_000)
  await clock.advance(2_000)
  expect(reads.size).toBe(1_500)
})

it('a store that is slow is not asked again before it has answered', async () => {
  let reads = 0
  const answer = createDeferred<Task>()
  const { clock, watched } = setUp(() => {
    reads += 1
    return answer.promise
  })
  watched.add('T1', { onTask: () => {} }, 1)
  await clock.advance(10_000)
  expect(reads).toBe(1)
  answer.resolve(taskAt(1))
  await clock.advance(2_000)
  expect(reads).toBe(2)
})

it('nothing is read without a hint where hints do not get lost, nor after the end of a watch', async () => {
  let reads = 0
  const get = async () => {
    reads += 1
    return taskAt(1)
  }
  const reliable = setUp(get, false)
  reliable.watched.add('T1', { onTask: () => {} }, 1)
  await reliable.clock.advance(10_000)
  const shared = setUp(get)
  shared.watched.add('T1', { onTask: () => {} }, 1)()
  await shared.clock.advance(10_000)
  expect(reads).toBe(0)
})
