// Calls that become tasks while their handler runs.
import { expect, it } from 'vitest'
import { callWork, getTask, heldWork, rawClient, serverWith } from './support-promotion.ts'

const textOf = (result: unknown) => (result as { content: { text: string }[] }).content[0]?.text

it('a call that ends in time is answered plainly, and leaves no task', async () => {
  const { run, runs } = heldWork()
  const { server, clock } = serverWith(run)
  await using client = await rawClient(server)
  const call = callWork(client)
  await clock.advance(1_999)
  runs[0]?.end('done')
  expect(textOf(await call)).toBe('done')
  await clock.advance(60_000)
  expect(runs).toHaveLength(1)
})

it('a call that takes longer than promoteAfterMs becomes a task, which has the result later', async () => {
  const { run, runs } = heldWork()
  const { server, clock, faults } = serverWith(run)
  await using client = await rawClient(server)
  const call = callWork(client)
  await clock.advance(2_000)
  const handle = await call
  expect(handle).toMatchObject({ resultType: 'task', status: 'working', taskId: expect.stringMatching(/^[\w-]{43}$/) })
  const ctx = runs[0]?.ctx
  expect(ctx?.task).toMatchObject({ id: handle['taskId'], attempt: 1, isResumed: false })
  expect(ctx?.signal.aborted).toBe(false)
  await clock.advance(300_000)
  expect(await getTask(server, handle['taskId'])).toMatchObject({ status: 'working' })
  runs[0]?.end('done at last')
  await clock.advance(0)
  const task = await getTask(server, handle['taskId'])
  expect(task).toMatchObject({ status: 'completed', result: { resultType: 'complete' } })
  expect(textOf(task['result'])).toBe('done at last')
  expect(runs).toHaveLength(1)
  expect(faults).toEqual([])
})
