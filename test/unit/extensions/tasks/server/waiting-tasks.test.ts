// A node that runs no tasks reports that a task waits which nobody runs. It does not where some process runs them.
import { expect, it } from 'vitest'
import { createDeferred } from '../../../../../src/primitives/async/promises.ts'
import { TaskNodes } from '../../../../support/shared-tasks.ts'

const SERVES = { workers: 0 }
const define = (server: { tool(name: string, options: object, handler: () => string): unknown }) =>
  void server.tool('build', { task: 'always' }, () => 'done')

it('a task that waits 10 s while no process runs tasks is reported once, with the command that runs them', async () => {
  await using nodes = new TaskNodes()
  const { tasks, faults } = await nodes.add(define, SERVES)
  await tasks.start('build')
  await nodes.clock.advance(9_999)
  expect(faults).toEqual([])
  await tasks.start('build')
  await nodes.clock.advance(1)
  await tasks.start('build')
  await nodes.clock.advance(60_000)
  expect(faults).toEqual([
    {
      kind: 'configuration-warning',
      message:
        'A task of the tool "build" has waited 10 s, and no process runs it. This process runs no tasks, because workers is 0.',
      remedy: 'Start a process that does, with mcpwire worker <file>, or set workers above 0.',
    },
  ])
})

it('it is reported again where a process ran tasks in between', async () => {
  await using nodes = new TaskNodes()
  const { tasks, faults } = await nodes.add(define, SERVES)
  await tasks.start('build')
  await nodes.clock.advance(10_000)
  expect(faults).toHaveLength(1)
  await tasks.start('build')
  const worker = await nodes.add(define)
  await nodes.clock.advance(10_000)
  worker.die()
  await tasks.start('build')
  await nodes.clock.advance(10_000)
  expect(faults).toHaveLength(2)
})

it.each([
  ['another process runs tasks', async (nodes: TaskNodes) => void (await nodes.add(define))],
  [
    'the task is cancelled meanwhile',
    async (_nodes: TaskNodes, cancel: () => Promise<unknown>) => void (await cancel()),
  ],
])('nothing is reported where %s', async (_where, act) => {
  await using nodes = new TaskNodes()
  const { tasks, faults } = await nodes.add(define, SERVES)
  const { taskId } = await tasks.start('build')
  await act(nodes, () => tasks.send('tasks/cancel', { taskId }))
  await nodes.clock.advance(60_000)
  expect(faults).toEqual([])
})

it('nothing is reported by a process whose own workers are all busy', async () => {
  await using nodes = new TaskNodes()
  const end = createDeferred()
  const { tasks, faults } = await nodes.add(
    (server) => void server.tool('build', { task: 'always' }, () => end.promise.then(() => 'done')),
    { workers: 1 },
  )
  await tasks.start('build')
  await tasks.start('build')
  await nodes.clock.advance(60_000)
  expect(faults).toEqual([])
  end.resolve()
})
