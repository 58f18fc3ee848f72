// Rounds: what goes out in which one, what becomes of a run that was given up, and what a handler must not do.
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Interaction } from '../../../../src/mcpserver/asking/interaction.ts'
import { InteractionSuspended } from '../../../../src/mcpserver/asking/options.ts'
import { createDeferred } from '../../../../src/primitives/async/promises.ts'
import { connect } from '../../../../src/testing/connect.ts'
import { LimitError } from '../../../../src/types/errors/failures.ts'
import { settle } from '../../../support/peers.ts'
import { ANSWERING, accept, NAME_FORM, type Round, type Run, readValue, round, serve } from './support.ts'

afterEach(() => {
  vi.useRealTimers()
})

async function connectTo(run: Run, options = {}) {
  const { server, faults } = serve(run, options)
  const client = await connect(server, { ...ANSWERING, raiseExceptions: false })
  return { client, faults, [Symbol.asyncDispose]: () => client.close() }
}

/** Timers of the same length fire in the order in which they were set. */
function endOfTurn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0))
}

const ADA = accept({ name: 'Ada' })
const BOB = accept({ name: 'Bob' })

describe('what a round sends', () => {
  it('is everything that was asked together', async () => {
    await using host = await connectTo((interaction) =>
      Promise.all([
        interaction.elicit('A?', NAME_FORM),
        Promise.resolve().then(() => interaction.elicit('B?', NAME_FORM)),
        interaction.step('slow', () => settle()).then(() => interaction.listRoots()),
      ]),
    )
    const first = await round(host.client)
    expect(first.inputRequests).toMatchObject({
      q1: { method: 'elicitation/create', params: { mode: 'form', message: 'A?', requestedSchema: NAME_FORM } },
      q2: { params: { message: 'B?' } },
      q3: { method: 'roots/list' },
    })
    const second = await round(host.client, first.requestState, { q1: ADA, q2: BOB, q3: { roots: [] } })
    expect(second.value).toEqual([ADA, BOB, { roots: [] }])
  })

  it('is only what has no answer yet, under a key that was never used', async () => {
    await using host = await connectTo(async (interaction) => [
      await interaction.elicit('A?', NAME_FORM),
      await interaction.elicit('B?', NAME_FORM),
      await interaction.elicit('C?', NAME_FORM),
    ])
    const first = await round(host.client)
    const second = await round(host.client, first.requestState, { q1: ADA })
    const third = await round(host.client, second.requestState, { q2: BOB })
    expect([first, second, third].map(({ inputRequests }) => Object.keys(inputRequests))).toEqual([
      ['q1'],
      ['q2'],
      ['q3'],
    ])
    const last = await round(host.client, third.requestState, { q3: ADA })
    expect(last.value).toEqual([ADA, BOB, ADA])
  })

  it('is asked again when the answer is missing, and answers to unknown questions are ignored', async () => {
    await using host = await connectTo((interaction) =>
      Promise.all([interaction.elicit('A?', NAME_FORM), interaction.elicit('B?', NAME_FORM)]),
    )
    const first = await round(host.client)
    const second = await round(host.client, first.requestState, { q2: BOB, q9: ADA, ['__proto__']: ADA })
    expect(Object.keys(second.inputRequests)).toEqual(['q1'])
    // An answer that is recorded stays what it was.
    const third = await round(host.client, second.requestState, { q1: ADA, q2: ADA })
    expect(third.value).toEqual([ADA, BOB])
  })

  it('is what was asked, whatever the handler does to it afterwards', async () => {
    await using host = await connectTo(async (interaction) => {
      const messages = [{ role: 'user' as const, content: { type: 'text' as const, text: 'Hello' } }]
      const asking = interaction.sample({ maxTokens: 5, messages })
      messages.pop()
      return (await asking).model
    })
    const first = await round(host.client)
    expect(first.inputRequests).toMatchObject({ q1: { params: { messages: [{ content: { text: 'Hello' } }] } } })
    expect(readValue(await host.client.callTool('tool'))).toBe('test')
  })

  it('is nothing when the handler ends in the same turn', async () => {
    const set = vi.fn()
    const store = { get: () => undefined, set, delete: () => {} }
    const run: Run = async (interaction) => {
      void interaction.elicit('A?', NAME_FORM)
      await Promise.resolve()
      await Promise.resolve()
      return 'done'
    }
    await using host = await connectTo(run, { maxStateBytes: 1, store })
    expect((await round(host.client)).value).toBe('done')
    await endOfTurn()
    expect(set).not.toHaveBeenCalled()
  })

  it('contains questions that the handler returns, if it sets no requestState', async () => {
    await using host = await connectTo(async (interaction, ctx) => {
      const who = await interaction.elicit('Who?', NAME_FORM)
      if (ctx.inputResponses?.['mine'] !== undefined) return who
      return { resultType: 'input_required', inputRequests: { mine: { method: 'roots/list' } } }
    })
    const first = await round(host.client)
    const second = await round(host.client, first.requestState, { q1: ADA })
    expect(Object.keys(second.inputRequests)).toEqual(['mine'])
    const third = await round(host.client, second.requestState, { mine: { roots: [] } })
    expect(third.value).toEqual(ADA)
  })

  it('can not contain a requestState of the handler as well', async () => {
    await using host = await connectTo(async (interaction) => {
      await interaction.step('once', () => 1)
      return { resultType: 'input_required', requestState: 'mine' }
    })
    await expect(round(host.client)).rejects.toMatchObject({ code: -32603 })
    expect(host.faults).toMatchObject([{ error: { message: expect.stringContaining('with its own requestState') } }])
  })
})

describe('a run that waits for answers', () => {
  it('stops: its signal aborts with InteractionSuspended', async () => {
    const reasons: unknown[] = []
    await using host = await connectTo(async (interaction) => {
      interaction.signal.addEventListener('abort', () => reasons.push(interaction.signal.reason))
      await interaction.elicit('A?', NAME_FORM)
      return interaction.signal.aborted
    })
    expect(readValue(await host.client.callTool('tool'))).toBe(false)
    expect(reasons).toEqual([expect.any(InteractionSuspended)])
  })

  it('has an aborted signal for whoever looks later', async () => {
    const gate = createDeferred()
    const seen = createDeferred<unknown>()
    await using host = await connectTo(async (interaction) => {
      void gate.promise.then(() => seen.resolve(interaction.signal.reason))
      await interaction.elicit('A?', NAME_FORM)
    })
    await round(host.client)
    gate.resolve()
    expect(await seen.promise).toBeInstanceOf(InteractionSuspended)
  })

  it('may fail or return later, without any effect', async () => {
    for (const late of [() => 'late', () => Promise.reject(new Error('late'))]) {
      const gate = createDeferred()
      await using host = await connectTo(async (interaction) => {
        void interaction.elicit('A?', NAME_FORM)
        await gate.promise
        return late()
      })
      const asked = await round(host.client)
      gate.resolve()
      await settle()
      expect(Object.keys(asked.inputRequests)).toEqual(['q1'])
      expect(host.faults).toEqual([])
    }
  })

  it('runs no further step and asks no further question', async () => {
    const gate = createDeferred()
    const step = vi.fn()
    await using host = await connectTo((interaction) =>
      Promise.all([
        interaction.elicit('A?', NAME_FORM),
        gate.promise.then(() => interaction.step('late', step)),
        gate.promise.then(() => interaction.listRoots()),
      ]),
    )
    const asked = await round(host.client)
    gate.resolve()
    await settle()
    expect(Object.keys(asked.inputRequests)).toEqual(['q1'])
    expect(step).not.toHaveBeenCalled()
  })

  it('waits for its steps first, so that none runs twice', async () => {
    const gate = createDeferred<string>()
    const step = vi.fn(() => gate.promise)
    await using host = await connectTo((interaction) =>
      Promise.all([interaction.elicit('A?', NAME_FORM), interaction.step('slow', step)]),
    )
    const calling = host.client.callTool('tool')
    await settle()
    gate.resolve('done')
    expect(readValue(await calling)).toEqual([accept({ name: 'name of A?' }), 'done'])
    expect(step).toHaveBeenCalledTimes(1)
  })

  it('fails with what fails in the same turn', async () => {
    await using host = await connectTo(async (interaction) => {
      void interaction.elicit('A?', NAME_FORM)
      throw new Error('first')
    })
    await expect(round(host.client)).rejects.toMatchObject({ code: -32603 })
  })
})

describe('a run that has ended', () => {
  it.each([
    ['returned at once', () => 'value'],
    ['returned', async () => 'value'],
    [
      'failed',
      async () => {
        throw new Error('failed')
      },
    ],
  ])('asks and does nothing any more, and says so: %s', async (_how, end) => {
    let late: Interaction | undefined
    await using host = await connectTo((interaction) => {
      late = interaction
      return end()
    })
    await host.client.callTool('tool').catch(() => {})
    const step = vi.fn()
    await expect(late?.elicit('A?', NAME_FORM)).rejects.toThrow("after 'tools/call' was answered")
    await expect(late?.step('late', step)).rejects.toThrow("after 'tools/call' was answered")
    expect(step).not.toHaveBeenCalled()
  })
})

describe('a handler that is not the same in each round', () => {
  it('gets no answer to another question, but an error', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setImmediate'] })
    let run = 0
    const answered = vi.fn()
    await using host = await connectTo(async (interaction) => {
      run += 1
      answered(await interaction.elicit(`Run ${run}?`, NAME_FORM))
    })
    const failing = host.client.callTool('tool').catch((error: unknown) => error)
    await vi.advanceTimersByTimeAsync(31_000)
    expect(await failing).toMatchObject({
      code: -32603,
      message: 'The call failed because its handler did not repeat its earlier questions',
    })
    expect(run).toBe(2)
    expect(answered).not.toHaveBeenCalled()
    expect(host.faults).toMatchObject([
      { kind: 'handler-failed', method: 'tools/call', message: expect.stringContaining('step()') },
    ])
  })

  it('gets no answer of another kind either', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setImmediate'] })
    let run = 0
    await using host = await connectTo((interaction) => {
      run += 1
      return run === 1 ? interaction.elicitUrl('Go', 'https://example.com') : interaction.listRoots()
    })
    const failing = host.client.callTool('tool').catch((error: unknown) => error)
    await vi.advanceTimersByTimeAsync(31_000)
    expect(await failing).toMatchObject({ code: -32603 })
  })

  it('may come to its questions in another order', async () => {
    const gates = new Map<string, ReturnType<typeof createDeferred<void>>>()
    const wait = (name: string) => {
      const gate = createDeferred()
      gates.set(name, gate)
      return gate.promise
    }
    await using host = await connectTo((interaction) =>
      Promise.all(
        ['A', 'B'].map(async (name) => {
          await wait(name)
          return interaction.elicit(name, NAME_FORM)
        }),
      ),
    )
    const openAfter = async (asking: Promise<Round>, ...names: string[]) => {
      for (const name of names) {
        await vi.waitFor(() => expect(gates.has(name)).toBe(true))
        gates.get(name)?.resolve()
        await settle()
        await endOfTurn()
      }
      gates.clear()
      return asking
    }
    const first = await openAfter(round(host.client), 'A')
    expect(first.inputRequests).toMatchObject({ q1: { params: { message: 'A' } } })
    const second = await openAfter(round(host.client, first.requestState, { q1: ADA }), 'B', 'A')
    expect(second.inputRequests).toMatchObject({ q2: { params: { message: 'B' } } })
    const third = await openAfter(round(host.client, second.requestState, { q2: BOB }), 'B', 'A')
    expect(third.value).toEqual([ADA, BOB])
  })

  it('may take its time for a step before it asks again', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setImmediate'] })
    const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))
    let run = 0
    await using host = await connectTo((interaction) => {
      run += 1
      const isSecond = run === 2
      const first = async () => {
        await pause(isSecond ? 500 : 0)
        if (isSecond) await interaction.step('slow', () => pause(2000))
        return interaction.elicit('A', NAME_FORM)
      }
      const second = async () => {
        await pause(isSecond ? 0 : 50)
        return interaction.elicit('B', NAME_FORM)
      }
      return Promise.all([first(), second()])
    })
    const calling = host.client.callTool('tool')
    await vi.advanceTimersByTimeAsync(4000)
    expect(readValue(await calling)).toEqual([accept({ name: 'name of A' }), accept({ name: 'name of B' })])
    expect(run).toBe(3)
  })

  it('may take its time in one branch while another one has asked', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setImmediate'] })
    const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))
    let run = 0
    await using host = await connectTo((interaction) => {
      run += 1
      const isSlow = run === 3
      const slow = async () => {
        await pause(isSlow ? 20_000 : 60)
        const first = await interaction.elicit('A', NAME_FORM)
        await pause(isSlow ? 20_000 : 0)
        return first
      }
      const quick = async () => {
        await pause(10)
        await interaction.elicit('B', NAME_FORM)
        await pause(80)
        return interaction.elicit('C', NAME_FORM)
      }
      return Promise.all([slow(), quick()])
    })
    const calling = host.client.callTool('tool')
    await vi.advanceTimersByTimeAsync(60_000)
    expect(readValue(await calling)).toEqual([accept({ name: 'name of A' }), accept({ name: 'name of C' })])
    expect(host.faults).toEqual([])
  })

  it('fails after replayPatienceMs, counted from its last question or step', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setImmediate'] })
    const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))
    let run = 0
    await using host = await connectTo(
      (interaction) => {
        run += 1
        const isSecond = run === 2
        const branches = ['A', 'B'].map(async (name, index) => {
          if (isSecond) await pause(400 * (index + 1))
          return interaction.elicit(isSecond && name === 'B' ? 'Other' : name, NAME_FORM)
        })
        return Promise.all([...branches, isSecond && interaction.elicit('New', NAME_FORM)])
      },
      { replayPatienceMs: 500 },
    )
    let failure: unknown
    const failing = host.client.callTool('tool').catch((error: unknown) => {
      failure = error
    })
    // A was asked again at 400, which leaves until 900; that something else was asked at 800 is a sign of life, too.
    await vi.advanceTimersByTimeAsync(1_200)
    expect(failure).toBeUndefined()
    await vi.advanceTimersByTimeAsync(200)
    await failing
    expect(failure).toMatchObject({ code: -32603 })
  })

  it('may end without asking again', async () => {
    let run = 0
    await using host = await connectTo(async (interaction) => {
      run += 1
      return run === 1 ? interaction.elicit('A?', NAME_FORM) : 'no need'
    })
    expect(readValue(await host.client.callTool('tool'))).toBe('no need')
  })
})

describe('an answer that does not fit', () => {
  const misfits = [
    ['another kind of answer', { roots: [] }, 'action', 'action: expected'],
    ['a field of another type', { action: 'accept', content: { name: 7 } }, 'content.name', 'name: expected string'],
    ['a missing field', { action: 'accept', content: {} }, 'content', '"name"'],
  ] as const

  it.each(misfits)('is rejected with its path: %s', async (_what, answer, path, words) => {
    await using host = await connectTo((interaction) => interaction.elicit('A?', NAME_FORM))
    const first = await round(host.client)
    const failing = round(host.client, first.requestState, { q1: answer as never })
    await expect(failing).rejects.toMatchObject({ code: -32602, data: { key: 'q1', path } })
    await expect(failing).rejects.toThrow(words)
  })

  it('is rejected when it answers another kind of question', async () => {
    await using host = await connectTo((interaction) => interaction.listRoots())
    const first = await round(host.client)
    const failing = round(host.client, first.requestState, { q1: ADA })
    await expect(failing).rejects.toMatchObject({ code: -32602, data: { key: 'q1', path: 'roots' } })
  })

  it('is rejected by a rule that only the schema of the author has', async () => {
    const { z } = await import('zod')
    const schema = z.object({ name: z.string().refine((name) => name !== 'Ada', 'is taken') })
    await using host = await connectTo((interaction) => interaction.elicit('A?', schema))
    const first = await round(host.client)
    const failing = round(host.client, first.requestState, { q1: ADA })
    await expect(failing).rejects.toMatchObject({ code: -32602, data: { key: 'q1', path: 'content.name' } })
    await expect(failing).rejects.toThrow('name: is taken')
  })

  it('is rejected when a model calls tools that it was not given', async () => {
    const messages = [{ role: 'user' as const, content: { type: 'text' as const, text: 'Hello' } }]
    await using host = await connectTo((interaction) => interaction.sample({ maxTokens: 1, messages }))
    const first = await round(host.client)
    const content = { type: 'tool_use' as const, id: '1', name: 'x', input: {} }
    const failing = round(host.client, first.requestState, { q1: { role: 'assistant', model: 'm', content } })
    await expect(failing).rejects.toMatchObject({ code: -32602, data: { key: 'q1', path: 'content' } })
  })

  it('can be asked for once more by the handler', async () => {
    await using host = await connectTo(async (interaction) => {
      for (;;) {
        const answer = await interaction.elicit('A?', NAME_FORM).catch(() => undefined)
        if (answer !== undefined) return answer
      }
    })
    const first = await round(host.client)
    const second = await round(host.client, first.requestState, { q1: { action: 'accept', content: { name: 7 } } })
    expect(Object.keys(second.inputRequests)).toEqual(['q2'])
    const third = await round(host.client, second.requestState, { q2: ADA })
    expect(third.value).toEqual(ADA)
  })
})

it('a call whose state is too large fails with a LimitError for its author', async () => {
  await using host = await connectTo(
    async (interaction) => {
      await interaction.step('large', () => 'x'.repeat(300))
      await interaction.elicit('A?', NAME_FORM)
    },
    { maxStateBytes: 256 },
  )
  await expect(round(host.client)).rejects.toMatchObject({ code: -32603 })
  expect(host.faults).toMatchObject([{ error: { limit: 'maxStateBytes', max: 256 } }])
  expect(host.faults[0]?.error).toBeInstanceOf(LimitError)
})
