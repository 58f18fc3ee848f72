// The options of `requestState` about asking reach the calls of an MCPServer, and hold exactly at their edge.
import { Client, InputRequiredRoundsExceededError, LimitError, MCPServer } from 'mcpwire'
import { describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import type { Context } from '../../../../src/mcpserver/handlers/context.ts'
import { toCompleteResult } from '../../../../src/mcpserver/prompts/completion.ts'

type Settings = Exclude<NonNullable<ConstructorParameters<typeof MCPServer>[1]>['requestState'], false | undefined>

const MODES = ['auto', 'legacy'] as const

function asking(requestState: Settings, ask: (ctx: Context) => Promise<unknown>) {
  const errors: unknown[] = []
  const server = new MCPServer('asking', { requestState, onFault: ({ error }) => errors.push(error) })
  server.tool('ask', {}, async (_args, ctx) => JSON.stringify(await ask(ctx)))
  return { server, errors }
}

const accept = () => ({ action: 'accept' as const, content: {} })

describe.each(MODES)('maxQuestions, %s', (mode) => {
  it.each([
    [3, false],
    [4, true],
  ])('of 3: a call with %i questions fails is %s', async (questions, fails) => {
    const { server, errors } = asking({ maxQuestions: 3 }, async (ctx) => {
      for (let n = 0; n < questions; n += 1) await ctx.elicit(`Question ${n}?`, z.object({}))
    })
    const onElicitation = vi.fn(accept)
    await using client = await Client.connect(server, { mode, onElicitation })
    expect((await client.callTool('ask')).isError ?? false).toBe(fails)
    expect(onElicitation).toHaveBeenCalledTimes(3)
    expect(errors).toEqual(fails ? [expect.objectContaining({ limit: 'maxQuestions', max: 3 })] : [])
    if (fails) expect(errors[0]).toBeInstanceOf(LimitError)
  })
})

describe('maxStateBytes', () => {
  const stateOf = (length: number) => (ctx: Context) =>
    ctx.step('large', () => 'x'.repeat(length)).then(() => ctx.elicit('Sure?', z.object({})))

  /** The state of such a call, as it is before it is sealed. */
  async function sizeOfState(length: number): Promise<number> {
    const sizes: number[] = []
    const store = {
      get: () => undefined,
      set: (_id: string, text: string) => void sizes.push(text.length),
      delete: () => {},
    }
    const { server } = asking({ maxStateBytes: 1, store }, stateOf(length))
    await using client = await Client.connect(server, { onElicitation: accept })
    await client.callTool('ask').catch(() => {})
    return sizes[0] ?? 0
  }

  it.each([
    [0, false],
    [1, true],
  ])(
    'a state that is %i bytes larger than it may be fails the call is %s, and comes back where it does not',
    async (over, fails) => {
      const maxStateBytes = (await sizeOfState(500)) - over
      const { server, errors } = asking({ maxStateBytes }, stateOf(500))
      await using client = await Client.connect(server, { onElicitation: accept })
      const result = await client.callTool('ask')
      expect(result.isError ?? false).toBe(fails)
      expect(errors).toEqual(fails ? [expect.objectContaining({ limit: 'maxStateBytes', max: maxStateBytes })] : [])
    },
  )
})

describe('answerTimeoutMs', () => {
  it('ends a question that nobody answers while the call is open', async () => {
    const { server, errors } = asking({ answerTimeoutMs: 1 }, (ctx) => ctx.elicit('Sure?', z.object({})))
    await using client = await Client.connect(server, {
      mode: 'legacy',
      onElicitation: () => new Promise<never>(() => {}),
    })
    expect((await client.callTool('ask')).isError).toBe(true)
    expect(errors).toMatchObject([{ code: -32001, local: true }])
  })
})

describe('replayPatienceMs', () => {
  it('is how long a run may take that asks a new question in place of an answered one', async () => {
    const setTimeout = vi.spyOn(globalThis, 'setTimeout')
    let runs = 0
    const { server } = asking({ replayPatienceMs: 7 }, async (ctx) => {
      runs += 1
      await ctx.elicit(`Question of run ${runs}?`, z.object({}))
    })
    await using client = await Client.connect(server, { onElicitation: accept })
    await expect(client.callTool('ask')).rejects.toThrow('did not repeat its earlier questions')
    expect(runs).toBe(2)
    const delays = setTimeout.mock.calls.map(([, delay]) => delay)
    setTimeout.mockRestore()
    expect(delays).toContain(7)
  })
})

describe('names and suggestions', () => {
  it('a prompt has at most 256 characters in its name, a tool 128', () => {
    const server = new MCPServer('names')
    expect(() => server.prompt('p'.repeat(256), {}, () => 'x')).not.toThrow()
    expect(() => server.prompt('p'.repeat(257), {}, () => 'x')).toThrow(RangeError)
    expect(() => server.tool('t'.repeat(128), {}, () => 'x')).not.toThrow()
    expect(() => server.tool('t'.repeat(129), {}, () => 'x')).toThrow(RangeError)
  })

  it('100 suggestions are sent in full, of 101 the client gets 100 and hasMore', () => {
    const values = Array.from({ length: 101 }, (_, index) => `v${index}`)
    expect(toCompleteResult(values.slice(0, 100))).toEqual({ completion: { values: values.slice(0, 100) } })
    expect(toCompleteResult(values)).toEqual({
      completion: { values: values.slice(0, 100), total: 101, hasMore: true },
    })
  })
})

describe('the value of a step', () => {
  const nested = (depth: number): unknown => (depth === 0 ? 'core' : [nested(depth - 1)])

  it.each([
    [101, false],
    [102, true],
  ])('in %i lists fails the call is %s', async (depth, fails) => {
    const { server } = asking({}, async (ctx) => {
      await ctx.step('deep', () => nested(depth))
    })
    await using client = await Client.connect(server, { mode: 'legacy' })
    expect((await client.callTool('ask')).isError ?? false).toBe(fails)
  })
})

describe('a call without a client', () => {
  it.each([
    [10, false],
    [11, true],
  ])('that asks in %i rounds fails is %s', async (rounds, fails) => {
    const { server } = asking({}, async (ctx) => {
      for (let n = 0; n < rounds; n += 1) await ctx.elicit(`Question ${n}?`, z.object({}))
      return 'asked'
    })
    const outcome = server.callTool('ask', {}, { onElicitation: accept }).then(
      () => undefined,
      (error: unknown) => error,
    )
    if (fails) expect(await outcome).toBeInstanceOf(InputRequiredRoundsExceededError)
    else expect(await outcome).toBeUndefined()
  })
})
