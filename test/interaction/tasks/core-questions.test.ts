// Questions of tasks at revision 2025-11-25: they come to whoever waits for the result.
import { expect, vi } from 'vitest'
import { createDeferred } from '../../../src/primitives/async/promises.ts'
import { fakeClock } from '../../../src/testing/fake-clock.ts'
import { withTasks } from '../../../src/testing/with-tasks.ts'
import { MCPError } from '../../../src/types/errors/errors.ts'
import type { ElicitResult } from '../../../src/types/features/elicitation.ts'
import { requirement } from '../kit/requirement.ts'
import { connectAs, getTask, resultOf, serverWithTasks, startTask, TAG, textIn } from './support-core.ts'

const YES = { type: 'object', properties: { yes: { type: 'boolean' } }, required: ['yes'] } as const

/** A server whose tool asks, after a step that must not be repeated. */
function createAsker() {
  const { server, faults } = serverWithTasks()
  const step = vi.fn(() => 1)
  server.tool('ask', { task: true }, async (_args, ctx) => {
    await ctx.step('count', step)
    const [drafts, links] = await Promise.all([
      ctx.elicit('Drafts?', YES),
      ctx.elicitUrl('Pay', 'https://pay.example/1'),
    ])
    const sample = await ctx.sample({ maxTokens: 5, messages: [] })
    return JSON.stringify([drafts, links.action, sample.model])
  })
  return { server, step, faults }
}

requirement('tasks L-09: questions of a task', async ({ connect }) => {
  const { server, step } = createAsker()
  const asked: { method: string; meta: unknown; id?: unknown }[] = []
  await using client = await connect(server, {
    onElicitation: (params, { meta }) => {
      const isUrl = params.mode === 'url'
      asked.push({ method: params.message, meta, id: isUrl ? typeof params.elicitationId : undefined })
      return isUrl ? { action: 'decline' } : { action: 'accept', content: { yes: true } }
    },
    onSampling: (_params, { meta }) => {
      asked.push({ method: 'sample', meta })
      return { role: 'assistant', model: 'm1', content: { type: 'text', text: 'hi' } }
    },
  })
  const { taskId } = await startTask(client, 'ask')
  // Nobody is asked before somebody waits.
  await vi.waitFor(async () => expect((await getTask(client, taskId)).status).toBe('input_required'))
  expect(asked).toEqual([])

  expect(textIn(await resultOf(client, taskId))).toBe('[{"action":"accept","content":{"yes":true}},"decline","m1"]')
  const meta = { [TAG]: { taskId } }
  expect(asked.map(({ method }) => method).sort()).toEqual(['Drafts?', 'Pay', 'sample'])
  for (const one of asked) expect(one.meta).toMatchObject(meta)
  expect(asked.find(({ method }) => method === 'Pay')?.id).toBe('string')
  expect(step).toHaveBeenCalledOnce()
  expect((await getTask(client, taskId)).status).toBe('completed')
})

requirement('tasks L-09: one question to one client', async () => {
  const { server } = serverWithTasks()
  server.tool('ask', { task: true }, async (_args, ctx) => JSON.stringify(await ctx.elicit('Drafts?', YES)))
  const firstAsked = createDeferred()
  const firstAborted = createDeferred()
  const first = vi.fn((_params: unknown, { signal }: { signal: AbortSignal }) => {
    firstAsked.resolve()
    return new Promise<ElicitResult>(() => signal.addEventListener('abort', () => firstAborted.resolve()))
  })
  const second = vi.fn(() => ({ action: 'accept', content: { yes: true } }) as const)
  await using one = await connectAs(server, 'ada', { onElicitation: first })
  await using two = await connectAs(server, 'ada', { onElicitation: second })
  await using mute = await connectAs(server, 'ada')
  const { taskId } = await startTask(one, 'ask')
  const leave = new AbortController()
  const given = resultOf(one, taskId, leave.signal)
  await firstAsked.promise
  // Neither a second request of the same client, nor one of another, nor one that cannot be asked.
  const waiting = [resultOf(one, taskId), resultOf(two, taskId), resultOf(mute, taskId)]
  await getTask(two, taskId)
  expect(first).toHaveBeenCalledOnce()
  expect(second).not.toHaveBeenCalled()

  first.mockImplementation(() => Promise.resolve({ action: 'accept', content: { yes: true } }))
  leave.abort(new Error('not now'))
  await expect(given).rejects.toThrow('not now')
  await firstAborted.promise
  for (const result of await Promise.all(waiting))
    expect(textIn(result)).toBe('{"action":"accept","content":{"yes":true}}')
  expect(first.mock.calls.length + second.mock.calls.length).toBe(2)
})

requirement('tasks L-09: a client that is gone', async () => {
  const clock = fakeClock()
  const { server } = serverWithTasks()
  withTasks(server, { clock })
  server.tool('ask', { task: true }, async (_args, ctx) => JSON.stringify(await ctx.elicit('Drafts?', YES)))
  const asked = createDeferred()
  const gone = vi.fn(() => {
    asked.resolve()
    return new Promise<ElicitResult>(() => {})
  })
  await using before = await connectAs(server, 'ada', { onElicitation: gone })
  const { taskId } = await startTask(before, 'ask')
  const lost = resultOf(before, taskId)
  await asked.promise

  const answer = vi.fn(() => ({ action: 'accept', content: { yes: true } }) as const)
  await using after = await connectAs(server, 'ada', { onElicitation: answer })
  const waiting = resultOf(after, taskId)
  await clock.advance(9_000)
  await getTask(after, taskId)
  expect(answer).not.toHaveBeenCalled()
  await clock.advance(6_000)
  expect(textIn(await waiting)).toBe('{"action":"accept","content":{"yes":true}}')
  expect(textIn(await lost)).toBe('{"action":"accept","content":{"yes":true}}')
  expect(gone).toHaveBeenCalledOnce()
  expect(answer).toHaveBeenCalledOnce()
})

requirement('tasks L-09: a client that refuses', async ({ connect }) => {
  const { server } = serverWithTasks()
  const seen: unknown[] = []
  server.tool('ask', { task: true }, async (_args, ctx) => {
    const answer = await ctx.elicit('Drafts?', YES).catch((error: unknown) => error)
    seen.push(answer instanceof MCPError ? answer.toErrorData() : answer)
    return 'went on'
  })
  server.tool('insist', { task: true }, async (_args, ctx) => JSON.stringify(await ctx.elicit('Drafts?', YES)))
  await using client = await connect(server, {
    onElicitation: () => {
      throw new MCPError(-32055, 'Not in this room', { room: 7 })
    },
  })
  const task = await startTask(client, 'ask')
  expect(textIn(await resultOf(client, task.taskId))).toBe('went on')
  await client.callTool('ask')
  expect(seen).toEqual(Array(2).fill({ code: -32055, message: 'Not in this room', data: { room: 7 } }))

  // A handler that does not catch it fails, in the same words as in a plain call.
  const insisting = await startTask(client, 'insist')
  const result = await resultOf(client, insisting.taskId)
  const { content, isError } = await client.callTool('insist')
  expect(result).toMatchObject({ content, isError })
  expect(isError).toBe(true)
})
