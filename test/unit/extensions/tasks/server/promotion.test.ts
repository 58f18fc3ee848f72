// Calls that become tasks while their handler runs.
import { describe, expect, it, vi } from 'vitest'
import type { Context } from '../../../../../src/mcpserver/handlers/context.ts'
import { NoBackChannelError } from '../../../../../src/types/errors/errors.ts'
import type { JSONObject } from '../../../../../src/types/protocol/json.ts'
import { callWork, getTask, heldWork, rawClient, serverWith, textOf } from './support-promotion.ts'

const FORM = { type: 'object', properties: { name: { type: 'string' } } } as const
const accept = (name: string) => ({ action: 'accept', content: { name } })

const nameIn = (outcome: object) => (outcome as { content?: { name?: string } }).content?.name

describe('when a call becomes a task', () => {
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
    expect(handle).toMatchObject({
      resultType: 'task',
      status: 'working',
      taskId: expect.stringMatching(/^[\w-]{43}$/),
    })
    const ctx = runs[0]?.ctx
    expect(ctx?.task).toMatchObject({ id: handle['taskId'], attempt: 1, isResumed: false })
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

  it.each([
    ['80 % of the patience, where that is less', 1_000, true, 800],
    ['promoteAfterMs, where the caller waits longer', 60_000, true, 2_000],
    ['the time that the author set', undefined, { promoteAfterMs: 5_000 }, 5_000],
    ['25 s at most', undefined, { promoteAfterMs: 25_000 }, 25_000],
    ['promoteAfterMs, where the patience is nonsense', -5, true, 2_000],
    ['promoteAfterMs, where the patience is endless', 1e308, true, 2_000],
    ['promoteAfterMs, where the patience is a text', '5', true, 2_000],
    ['promoteAfterMs, where the patience is null', null, true, 2_000],
  ])('after %s', async (_what, patienceMs, task, dueMs) => {
    const { run } = heldWork()
    const { server, clock } = serverWith(run, { task })
    await using client = await rawClient(server)
    let isAnswered = false
    const call = callWork(client, { patienceMs }).finally(() => {
      isAnswered = true
    })
    await clock.advance(dueMs - 1)
    expect(isAnswered).toBe(false)
    await clock.advance(1)
    expect(await call).toMatchObject({ resultType: 'task' })
  })

  it('a longer promoteAfterMs than 25 s is refused when the tool is registered', () => {
    expect(() => serverWith(() => 'x', { task: { promoteAfterMs: 25_001 } })).toThrow(RangeError)
  })

  it('a handler that returns at once costs no timer and makes no task', async () => {
    const { server, clock } = serverWith(() => 'at once')
    await using client = await rawClient(server)
    expect(textOf(await callWork(client))).toBe('at once')
    await clock.advance(60_000)
  })
})

describe('ctx.background()', () => {
  const backgroundTool = (message?: string) => async (ctx: Context) => {
    await ctx.background(message)
    return ctx.task === undefined ? 'inline' : 'in a task'
  }

  it.each(['manual', true] as const)('turns the call into a task now, with task: %j', async (task) => {
    const { server, clock } = serverWith(backgroundTool('Reading'), { task })
    await using client = await rawClient(server)
    const handle = await callWork(client)
    expect(handle).toMatchObject({ resultType: 'task', status: 'working', statusMessage: 'Reading' })
    await clock.advance(0)
    const ended = await getTask(server, handle['taskId'])
    expect(textOf(ended['result'])).toBe('in a task')
  })

  it('does nothing for a client that takes no tasks, at any revision', async () => {
    for (const mode of ['modern', 'legacy'] as const) {
      const { server } = serverWith(backgroundTool(), { task: 'manual' })
      await using client = await rawClient(server, { mode, extensions: [] })
      expect(textOf(await callWork(client))).toBe('inline')
    }
  })

  it('does nothing in a task, and a second time', async () => {
    for (const task of ['always', 'manual'] as const) {
      const { server, clock } = serverWith(
        async (ctx) => {
          await ctx.background()
          const first = ctx.task?.id
          await ctx.background()
          return String(first !== undefined && ctx.task?.id === first)
        },
        { task },
      )
      await using client = await rawClient(server)
      const handle = await callWork(client)
      await clock.advance(0)
      expect(textOf((await getTask(server, handle['taskId']))['result'])).toBe('true')
    }
  })

  it('does nothing in a tool without the option task', async () => {
    const { server } = serverWith(backgroundTool(), { task: false })
    await using client = await rawClient(server)
    expect(textOf(await callWork(client))).toBe('inline')
  })

  it('with manual, nothing but the handler makes a task', async () => {
    const { run, runs } = heldWork()
    const { server, clock } = serverWith(run, { task: 'manual' })
    await using client = await rawClient(server)
    const call = callWork(client)
    await clock.advance(600_000)
    runs[0]?.end('done')
    expect(textOf(await call)).toBe('done')
  })
})

describe('traps X-10: what is left of the request', () => {
  /** A call that became a task, with the context of its handler. */
  async function promoted(setup: Parameters<typeof serverWith>[1] = {}) {
    const { run, runs } = heldWork()
    const made = serverWith(run, setup)
    const client = await rawClient(made.server)
    const abort = new AbortController()
    const call = callWork(client, { signal: abort.signal, patienceMs: 60_000 })
    await made.clock.advance(0)
    const ctx = runs[0]?.ctx as Context
    const signal = ctx.signal
    const session = ctx.session
    await made.clock.advance(2_000)
    const handle = await call
    return { ...made, client, runs, ctx, signal, session, abort, taskId: handle['taskId'] }
  }

  it('the end of the request and of its connection does not stop the work', async () => {
    const { server, clock, client, ctx, signal, abort, runs, taskId } = await promoted()
    abort.abort()
    await client.close()
    await clock.advance(1_000)
    expect([signal.aborted, ctx.signal.aborted]).toEqual([false, false])
    runs[0]?.end('survived')
    await clock.advance(0)
    expect(textOf((await getTask(server, taskId))['result'])).toBe('survived')
  })

  it('tasks/cancel aborts the signal that the handler took before', async () => {
    const { server, clock, client, ctx, signal, runs, taskId } = await promoted()
    await client.tasks.cancel(String(taskId))
    await clock.advance(0)
    expect([signal.aborted, ctx.signal.aborted]).toEqual([true, true])
    runs[0]?.fail(signal.reason)
    await clock.advance(0)
    expect(await getTask(server, taskId)).toMatchObject({ status: 'cancelled' })
    await client.close()
  })

  it('ctx.session refuses, that of before and that of now', async () => {
    const { client, ctx, session, runs, clock } = await promoted()
    await expect(ctx.session.listRoots()).rejects.toThrow(NoBackChannelError)
    await expect(session.listRoots()).rejects.toThrow(NoBackChannelError)
    runs[0]?.end('x')
    await clock.advance(0)
    await client.close()
  })

  it('progress becomes the status', async () => {
    const { server, clock, client, ctx, runs, taskId } = await promoted()
    await ctx.reportProgress(1, 4, 'One of four')
    await clock.advance(500)
    expect(await getTask(server, taskId)).toMatchObject({ statusMessage: 'One of four' })
    await ctx.reportProgress(2, 4)
    await clock.advance(500)
    expect(await getTask(server, taskId)).toMatchObject({ statusMessage: '2/4' })
    runs[0]?.end('x')
    await clock.advance(0)
    await client.close()
  })

  it('ctx.remainingMs is what is left of maxRuntimeMs, no longer the patience', async () => {
    const { clock, client, ctx, runs } = await promoted({ task: { maxRuntimeMs: 100_000 } })
    expect(ctx.remainingMs).toBe(100_000)
    await clock.advance(40_000)
    expect(ctx.remainingMs).toBe(60_000)
    runs[0]?.end('x')
    await clock.advance(0)
    await client.close()
    const free = await promoted()
    expect(free.ctx.remainingMs).toBeUndefined()
    free.runs[0]?.end('x')
    await free.clock.advance(0)
    await free.client.close()
  })

  it('traps X-05: maxRuntimeMs aborts the work', async () => {
    const { server, clock, client, signal, taskId } = await promoted({ task: { maxRuntimeMs: 10_000 } })
    await clock.advance(10_000)
    expect(signal.aborted).toBe(true)
    expect(await getTask(server, taskId)).toMatchObject({ status: 'failed', error: { code: -32603 } })
    await client.close()
  })

  it('timeoutMs of the tool goes on counting, and its end is a result', async () => {
    const { server, clock, client, signal, taskId } = await promoted({ timeoutMs: 5_000 })
    await clock.advance(3_000)
    expect(signal.aborted).toBe(true)
    expect(await getTask(server, taskId)).toMatchObject({ status: 'completed', result: { isError: true } })
    await client.close()
  })

  it('traps X-04: work that outlives ttlMs keeps its task, and its result', async () => {
    const { server, clock, client, runs, taskId } = await promoted({ task: { ttlMs: 60_000, keepMs: 60_000 } })
    await clock.advance(600_000)
    runs[0]?.end('late')
    await clock.advance(59_000)
    expect(textOf((await getTask(server, taskId))['result'])).toBe('late')
    await client.close()
  })
})

describe('questions and steps', () => {
  /** Asks, does a step, waits, asks again. */
  function interview(waitMs: number) {
    const steps: string[] = []
    const made = serverWith(async (ctx, clock) => {
      const first = await ctx.elicit('First?', FORM)
      await ctx.step('pay', () => void steps.push('paid'))
      await new Promise<void>((resolve) => void clock.setTimer(resolve, waitMs))
      const second = await ctx.elicit('Second?', FORM)
      return `${nameIn(first)} ${nameIn(second)}`
    })
    return { ...made, steps }
  }

  it('tasks T-11: rounds before promotion are ordinary rounds, and later questions are those of the task', async () => {
    const { server, clock, steps } = interview(5_000)
    await using client = await rawClient(server, { onElicitation: () => accept('unused') as never })
    const round = await callWork(client)
    expect(round).toMatchObject({ resultType: 'input_required' })
    const key = Object.keys(round['inputRequests'] as object)[0] as string
    const again = { inputResponses: { [key]: accept('Ada') }, requestState: round['requestState'] }
    const call = client.session.callTool('work', {}, {
      allowClaimed: true,
      allowInputRequired: true,
      ...again,
    } as never)
    // The state of the round is decrypted off the main thread, which the clock does not wait for.
    await vi.waitFor(() => expect(steps).toEqual(['paid']), { timeout: 60_000 })
    await clock.advance(2_000)
    const handle = (await call) as unknown as JSONObject
    expect(handle).toMatchObject({ resultType: 'task', status: 'working' })
    await clock.advance(3_000)
    const asking = await getTask(server, handle['taskId'])
    expect(asking).toMatchObject({ status: 'input_required' })
    const [second] = Object.keys(asking['inputRequests'] as object)
    await client.tasks.update(String(handle['taskId']), { [second as string]: accept('Lovelace') as never })
    await clock.advance(10_000)
    const ended = await getTask(server, handle['taskId'])
    expect(textOf(ended['result'])).toBe('Ada Lovelace')
    expect(steps).toEqual(['paid'])
  })

  it('a step that ends while the task is created, or after it, is not done again', async () => {
    for (const endsAfterMs of [1_000, 2_000, 3_000]) {
      const done: string[] = []
      const { server, clock } = serverWith(async (ctx, time) => {
        await ctx.step('slow', async () => {
          await new Promise<void>((resolve) => void time.setTimer(resolve, endsAfterMs))
          done.push('slow')
          return 7
        })
        await new Promise<void>((resolve) => void time.setTimer(resolve, 5_000))
        const answer = await ctx.elicit('Name?', FORM)
        return `${nameIn(answer)} ${await ctx.step('quick', () => void done.push('quick'))}`
      })
      await using client = await rawClient(server, { onElicitation: () => accept('unused') as never })
      const call = callWork(client)
      await clock.advance(10_000)
      const { taskId } = await call
      const asking = await getTask(server, taskId)
      expect(asking).toMatchObject({ status: 'input_required' })
      const [key] = Object.keys(asking['inputRequests'] as object)
      await client.tasks.update(String(taskId), { [key as string]: accept('Ada') as never })
      await clock.advance(10_000)
      expect(textOf((await getTask(server, taskId))['result'])).toBe('Ada undefined')
      expect(done).toEqual(['slow', 'quick'])
    }
  })

  it('an open question that waits for a step goes along, under a key of the task', async () => {
    const { server, clock } = serverWith(async (ctx, time) => {
      const [answer] = await Promise.all([
        ctx.elicit('Name?', FORM),
        ctx.step('slow', () => new Promise<number>((resolve) => void time.setTimer(() => resolve(1), 4_000))),
      ])
      return String(nameIn(answer))
    })
    await using client = await rawClient(server, { onElicitation: () => accept('unused') as never })
    const call = callWork(client)
    await clock.advance(4_000)
    const { taskId } = await call
    const asking = await getTask(server, taskId)
    const [key] = Object.keys(asking['inputRequests'] as object)
    await client.tasks.update(String(taskId), { [key as string]: accept('Grace') as never })
    await clock.advance(10_000)
    expect(textOf((await getTask(server, taskId))['result'])).toBe('Grace')
  })

  it('a round whose questions the handler returned itself goes along too', async () => {
    let isAnswered = false
    const { server, clock } = serverWith(async (ctx, time) => {
      if (ctx.inputResponses === undefined) {
        const inputRequests = {
          name: { method: 'elicitation/create', params: { message: 'Name?', requestedSchema: FORM } },
        }
        return { resultType: 'input_required', inputRequests, requestState: 'mine' }
      }
      isAnswered = true
      await new Promise<void>((resolve) => void time.setTimer(resolve, 3_000))
      const more = await ctx.elicit('More?', FORM)
      const { content } = ctx.inputResponses['name'] as { content: { name: string } }
      return `${content.name} ${ctx.requestState} ${nameIn(more)}`
    })
    await using client = await rawClient(server, { onElicitation: () => accept('unused') as never })
    const round = await callWork(client)
    const again = { inputResponses: { name: accept('Ada') }, requestState: round['requestState'] }
    const call = client.session.callTool('work', {}, {
      allowClaimed: true,
      allowInputRequired: true,
      ...again,
    } as never)
    await vi.waitFor(() => expect(isAnswered).toBe(true), { timeout: 60_000 })
    await clock.advance(3_000)
    const { taskId } = (await call) as unknown as JSONObject
    const asking = await getTask(server, taskId)
    const [key] = Object.keys(asking['inputRequests'] as object)
    await client.tasks.update(String(taskId), { [key as string]: accept('yes') as never })
    await clock.advance(10_000)
    expect(textOf((await getTask(server, taskId))['result'])).toBe('Ada mine yes')
  })
})

describe('when the task can not be created', () => {
  it('the call goes on inside its request, and the author hears why', async () => {
    const { run, runs } = heldWork()
    const { server, clock, faults } = serverWith(run, { tasks: { limits: { perOwner: 1 }, owner: () => 'ada' } })
    await using client = await rawClient(server)
    const calls = [callWork(client), callWork(client)]
    await clock.advance(30_000)
    for (const [index, { end }] of runs.entries()) end(`done ${index}`)
    await clock.advance(0)
    const answers = await Promise.all(calls)
    expect(answers.map((answer) => answer['resultType'])).toEqual(['task', 'complete'])
    expect(faults.map(({ message }) => message)).toEqual([
      'A call that takes long could not become a task, and goes on inside its request',
    ])
  })
})
