// The client's side of multi-round-trip requests: it answers what the server asks and calls again.
import { afterEach, expect, vi } from 'vitest'
import { createDeferred } from '../../../src/primitives/async/promises.ts'
import { MCPError } from '../../../src/types/errors/errors.ts'
import { InputRequiredRoundsExceededError } from '../../../src/types/errors/failures.ts'
import type { InputRequiredResult, InputResponses } from '../../../src/types/features/input-required.ts'
import type { CallToolResult } from '../../../src/types/features/tools.ts'
import type { JSONObject } from '../../../src/types/protocol/json.ts'
import type { RequestId } from '../../../src/types/protocol/jsonrpc.ts'
import { requirement } from '../kit/requirement.ts'
import {
  asks,
  defers,
  NAME_FORM,
  ROOTS,
  SAMPLING,
  stopTime,
  text,
  textOf,
  toolServer,
} from '../kit/support-interaction.ts'

afterEach(() => {
  vi.useRealTimers()
})

interface Leg {
  id: RequestId | undefined
  params: JSONObject
}

/** A tool that gives these results one after the other, and what each leg of the call brought. */
function createRounds(...results: (InputRequiredResult | CallToolResult)[]) {
  const legs: Leg[] = []
  const server = toolServer(({ requestId }, params) => {
    legs.push({ id: requestId, params: structuredClone(params) as JSONObject })
    return results[legs.length - 1] ?? text('done')
  })
  return { server, legs }
}

const accept = (name: string) => ({ action: 'accept' as const, content: { name } })
const onElicitation = () => accept('Ada')
const onListRoots = () => ({ roots: [{ uri: 'file:///home' }] })
const onSampling = () => ({ role: 'assistant' as const, model: 'm', content: { type: 'text' as const, text: 'hello' } })

requirement('mrtr:call:answers-and-retries', async ({ connect }) => {
  const { server, legs } = createRounds(asks({ who: NAME_FORM }))
  await using client = await connect(server, { onElicitation })

  expect(textOf(await client.callTool('tool', { x: 1 }))).toBe('done')

  const [first, second] = legs.map(({ params }) => params)
  expect(first).toMatchObject({ name: 'tool', arguments: { x: 1 } })
  expect(first).not.toHaveProperty('inputResponses')
  expect(second).toMatchObject({ name: 'tool', arguments: { x: 1 }, inputResponses: { who: accept('Ada') } })
})

requirement('mrtr:prompt:answers-and-retries', async ({ connect }) => {
  const seen: (InputResponses | undefined)[] = []
  const server = toolServer(() => text(''), {
    handlers: {
      'prompts/get': (ctx, { arguments: args }) => {
        seen.push(ctx.inputResponses)
        if (ctx.inputResponses === undefined) return asks({ who: NAME_FORM })
        return { messages: [{ role: 'user', content: { type: 'text', text: String(args?.['topic']) } }] }
      },
    },
  })
  await using client = await connect(server, { onElicitation })

  const { messages } = await client.getPrompt('explain', { topic: 'rounds' })

  expect(messages[0]?.content).toEqual({ type: 'text', text: 'rounds' })
  expect(seen).toEqual([undefined, { who: accept('Ada') }])
})

requirement('mrtr:read:answers-and-retries', async ({ connect }) => {
  const server = toolServer(() => text(''), {
    handlers: {
      'resources/read': (ctx, { uri }) =>
        ctx.inputResponses === undefined ? asks({ where: ROOTS }) : { contents: [{ uri, text: 'found' }] },
    },
  })
  await using client = await connect(server, { onListRoots })

  const { contents } = await client.readResource('file:///home/note')

  expect(contents).toEqual([{ uri: 'file:///home/note', text: 'found' }])
})

requirement('mrtr:call:all-three-kinds', async ({ connect }) => {
  const { server, legs } = createRounds(asks({ form: NAME_FORM, model: SAMPLING, roots: ROOTS }))
  await using client = await connect(server, { onElicitation, onListRoots, onSampling })

  await client.callTool('tool')

  const answers = { form: onElicitation(), model: onSampling(), roots: onListRoots() }
  expect(legs[1]?.params).toMatchObject({ inputResponses: answers })
})

requirement('mrtr:state:byte-exact', async ({ connect }) => {
  const state = ' {"a" : 1,"a":2}\u0000\u2028é e\u0301 \u{1f642} \ud800 %7B+/= \n'
  const { server, legs } = createRounds(asks({ who: NAME_FORM }, state))
  await using client = await connect(server, { onElicitation })

  await client.callTool('tool')

  expect(legs[1]?.params['requestState']).toBe(state)
})

requirement('mrtr:state:empty-is-a-state', async ({ connect }) => {
  const { server, legs } = createRounds(asks({ who: NAME_FORM }, ''))
  await using client = await connect(server, { onElicitation })

  await client.callTool('tool')

  expect(legs[1]?.params).toHaveProperty('requestState', '')
})

requirement('mrtr:state:absent-stays-absent', async ({ connect }) => {
  const { server, legs } = createRounds(asks({ a: NAME_FORM }, 'first'), asks({ b: NAME_FORM }))
  await using client = await connect(server, { onElicitation })

  await client.callTool('tool')

  expect(legs[1]?.params).toHaveProperty('requestState', 'first')
  expect(legs[2]?.params).not.toHaveProperty('requestState')
})

requirement('mrtr:retry:new-id', async ({ connect }) => {
  const { server, legs } = createRounds(asks({ a: NAME_FORM }), asks({ b: NAME_FORM }))
  await using client = await connect(server, { onElicitation })

  await client.callTool('tool', {}, { requestId: 'mine' })

  expect(legs[0]?.id).toBe('mine')
  expect(new Set(legs.map(({ id }) => id)).size).toBe(3)
})

requirement('mrtr:retry:only-latest-round', async ({ connect }) => {
  const { server, legs } = createRounds(asks({ a: NAME_FORM }), asks({ b: NAME_FORM }))
  await using client = await connect(server, { onElicitation })

  await client.callTool('tool')

  expect(Object.keys(legs[1]?.params['inputResponses'] as object)).toEqual(['a'])
  expect(Object.keys(legs[2]?.params['inputResponses'] as object)).toEqual(['b'])
})

requirement('mrtr:retry:parallel-calls-apart', async ({ connect }) => {
  const seen: string[] = []
  const server = toolServer((ctx, { name }) => {
    seen.push(`${name} ${ctx.requestState ?? '-'} ${Object.keys(ctx.inputResponses ?? {})}`)
    if (name === 'plain') return text('plain')
    return ctx.inputResponses === undefined ? asks({ [`ask ${name}`]: NAME_FORM }, `state of ${name}`) : text(name)
  })
  const held = createDeferred<void>()
  await using client = await connect(server, {
    onElicitation: async () => {
      await held.promise
      return accept('Ada')
    },
  })

  const asking = Promise.all([client.callTool('a'), client.callTool('b')])
  await client.callTool('plain')
  held.resolve()

  expect((await asking).map(textOf)).toEqual(['a', 'b'])
  expect(seen.sort()).toEqual(['a - ', 'a state of a ask a', 'b - ', 'b state of b ask b', 'plain - '])
})

requirement('mrtr:retry:keeps-meta', async ({ connect }) => {
  const { server, legs } = createRounds(asks({ who: NAME_FORM }))
  await using client = await connect(server, { onElicitation })

  await client.callTool('tool', {}, { meta: { 'com.example/trace': 'abc' } })

  const [first, second] = legs.map(({ params }) => ({ ...(params['_meta'] as JSONObject), progressToken: undefined }))
  expect(first).toMatchObject({ 'com.example/trace': 'abc' })
  expect(second).toEqual(first)
})

requirement('mrtr:retry:progress-on-each-leg', async ({ connect }) => {
  const server = toolServer(async (ctx) => {
    await ctx.reportProgress(ctx.inputResponses === undefined ? 1 : 2)
    return ctx.inputResponses === undefined ? asks({ who: NAME_FORM }) : text('done')
  })
  const told: number[] = []
  await using client = await connect(server, { onElicitation })

  await client.callTool('tool', {}, { onProgress: ({ progress }) => told.push(progress) })

  expect(told).toEqual([1, 2])
})

requirement('mrtr:callbacks:concurrent', async ({ connect }) => {
  const { server, legs } = createRounds(asks({ a: NAME_FORM, b: ROOTS }))
  const asked = createDeferred<void>()
  await using client = await connect(server, {
    // Can only be answered while the other question is being asked.
    onElicitation: async () => {
      await asked.promise
      return accept('Ada')
    },
    onListRoots: () => {
      asked.resolve()
      return onListRoots()
    },
  })

  await client.callTool('tool')

  expect(legs).toHaveLength(2)
})

requirement('mrtr:callbacks:refusal-stops-siblings', async ({ connect }) => {
  const { server, legs } = createRounds(asks({ a: NAME_FORM, b: ROOTS }))
  const told = createDeferred<unknown>()
  await using client = await connect(server, {
    onElicitation: (_params, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          told.resolve(signal.reason)
          reject(signal.reason)
        })
      }),
    onListRoots: () => {
      throw new MCPError(-1, 'Not today')
    },
  })

  await expect(client.callTool('tool')).rejects.toMatchObject({ code: -1 })

  expect(await told.promise).toMatchObject({ code: -1 })
  expect(legs).toHaveLength(1)
})

requirement('mrtr:callbacks:refusal-is-local', async ({ connect }) => {
  const { server } = createRounds(asks({ a: ROOTS }))
  await using client = await connect(server, {
    onListRoots: () => {
      throw new MCPError(-1, 'Not today', { why: 'closed' })
    },
  })

  const failure = await client.callTool('tool').catch((error: unknown) => error)

  expect(failure).toBeInstanceOf(MCPError)
  expect(failure).toMatchObject({ code: -1, message: 'Not today', data: { why: 'closed' }, local: true })
})

requirement('mrtr:callbacks:unexpected-error', async ({ connect }) => {
  const { server, legs } = createRounds(asks({ a: ROOTS }))
  const bug = new Error('a bug of the application')
  await using client = await connect(server, {
    onListRoots: () => {
      throw bug
    },
  })

  await expect(client.callTool('tool')).rejects.toBe(bug)
  expect(legs).toHaveLength(1)
})

requirement('mrtr:callbacks:key-is-request-id', async ({ connect }) => {
  const { server } = createRounds(asks({ 'the key': NAME_FORM }))
  const ids: unknown[] = []
  await using client = await connect(server, {
    onElicitation: (_params, ctx) => {
      ids.push(ctx.requestId)
      return accept('Ada')
    },
  })

  await client.callTool('tool')

  expect(ids).toEqual(['the key'])
})

requirement('mrtr:keys:prototype-names', async ({ connect }) => {
  const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty']
  const { server, legs } = createRounds(asks(Object.fromEntries(names.map((name) => [name, NAME_FORM]))))
  await using client = await connect(server, { onElicitation })

  await client.callTool('tool')

  const responses = legs[1]?.params['inputResponses'] as object
  expect(Object.keys(responses)).toEqual(names)
  expect(Object.getPrototypeOf(responses)).toBe(Object.prototype)
})

requirement('mrtr:rounds:several', async ({ connect }) => {
  const { server, legs } = createRounds(asks({ a: NAME_FORM }, '1'), asks({ b: ROOTS }, '2'), defers('3'))
  await using client = await connect(server, { onElicitation, onListRoots })

  expect(textOf(await client.callTool('tool'))).toBe('done')

  expect(legs.map(({ params }) => params['requestState'])).toEqual([undefined, '1', '2', '3'])
})

requirement('fault:F098:rounds-are-capped', async ({ connect }) => {
  const { server, legs } = createRounds(...Array.from({ length: 20 }, () => asks({ a: ROOTS })))
  await using client = await connect(server, { onListRoots })
  await using impatient = await connect(server, { onListRoots, inputRequiredMaxRounds: 2 })

  await expect(client.callTool('tool')).rejects.toThrow(InputRequiredRoundsExceededError)
  expect(legs).toHaveLength(1 + 10)

  legs.length = 0
  await expect(impatient.callTool('tool')).rejects.toMatchObject({ rounds: 2 })
  expect(legs).toHaveLength(1 + 2)
})

requirement('mrtr:rounds:none-allowed', async ({ connect }) => {
  const { server, legs } = createRounds(asks({ a: ROOTS }))
  const asked = vi.fn(onListRoots)
  await using client = await connect(server, { onListRoots: asked, inputRequiredMaxRounds: 0 })

  await expect(client.callTool('tool')).rejects.toThrow(InputRequiredRoundsExceededError)
  expect(legs).toHaveLength(1)
  expect(asked).not.toHaveBeenCalled()
})

requirement('mrtr:rounds:state-only-backoff', async ({ connect }) => {
  const { server, legs } = createRounds(defers('1'), defers('2'), defers('3'), defers('4'), defers('5'))
  await using client = await connect(server)
  stopTime()

  const calling = client.callTool('tool')
  const legsAt: number[] = []
  for (const ms of [0, 49, 1, 99, 1, 199, 1, 249, 1, 249, 1]) {
    await vi.advanceTimersByTimeAsync(ms)
    legsAt.push(legs.length)
  }

  expect(legsAt).toEqual([1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6])
  expect(textOf(await calling)).toBe('done')
  expect(legs[1]?.params).toMatchObject({ requestState: '1', inputResponses: {} })
})

requirement('mrtr:rounds:question-resets-backoff', async ({ connect }) => {
  const { server, legs } = createRounds(defers('1'), defers('2'), asks({ a: ROOTS }), defers('4'))
  await using client = await connect(server, { onListRoots })
  stopTime()

  const calling = client.callTool('tool')
  await vi.advanceTimersByTimeAsync(50 + 100)
  expect(legs).toHaveLength(4)
  await vi.advanceTimersByTimeAsync(50)

  expect(legs).toHaveLength(5)
  await calling
})

requirement('mrtr:seed:first-leg', async ({ connect }) => {
  const { server, legs } = createRounds()
  await using client = await connect(server, { onElicitation })
  const inputResponses = { who: accept('Grace') }

  await client.callTool('tool', { x: 1 }, { inputResponses, requestState: 'kept' })

  expect(legs[0]?.params).toMatchObject({ arguments: { x: 1 }, inputResponses, requestState: 'kept' })
})

requirement('mrtr:seed:first-leg-only', async ({ connect }) => {
  const { server, legs } = createRounds(asks({ next: NAME_FORM }))
  await using client = await connect(server, { onElicitation })

  await client.callTool('tool', {}, { inputResponses: { who: accept('Grace') }, requestState: 'kept' })

  expect(legs[1]?.params).toMatchObject({ inputResponses: { next: accept('Ada') } })
  expect(legs[1]?.params).not.toHaveProperty('requestState')
  expect(legs[1]?.params).not.toHaveProperty('inputResponses.who')
})
