// Handlers of an MCPServer that ask: straight-line code in both eras, whatever rounds it takes on the wire.
import { afterEach, expect, vi } from 'vitest'
import { z } from 'zod'
import type { ClientOptions } from '../../../src/client/client-options.ts'
import { InteractionSuspended } from '../../../src/mcpserver/asking/options.ts'
import type { Context } from '../../../src/mcpserver/handlers/context.ts'
import type { MCPServerOptions } from '../../../src/mcpserver/options.ts'
import { ToolError } from '../../../src/types/errors/failures.ts'
import type { InputRequests } from '../../../src/types/features/input-required.ts'
import { requirement } from '../kit/requirement.ts'
import {
  accept,
  createServer,
  NAME_FORM,
  passTime,
  playRound,
  REQUEST_STATE,
  refusalOf,
  textsOf,
} from '../kit/support-mcpserver.ts'

afterEach(() => {
  vi.useRealTimers()
})

/** A server whose one tool is this handler. */
function createAsker(run: (ctx: Context) => unknown, options: MCPServerOptions = {}) {
  const made = createServer(options)
  made.server.tool('tool', {}, (_args, ctx) => run(ctx))
  return made
}

/** Answers every form with the question that it asks. */
const ANSWERING: ClientOptions = { onElicitation: ({ message }) => accept(`answer to ${message}`) }

const KEYS = { keys: ['a key of thirty-two bytes or more, for tests'], audience: 'tests' }

async function askName(ctx: Context, message: string): Promise<string> {
  const answer = await ctx.elicit(message, NAME_FORM)
  return answer.action === 'accept' ? String(answer.content.name) : answer.action
}

requirement('resolve:mcpserver:straight-line-code', async ({ connect, isModern }) => {
  let runs = 0
  const { server, faults } = createAsker(async (ctx) => {
    runs += 1
    const first = await askName(ctx, 'One?')
    return [first, await askName(ctx, `Two after ${first}?`)]
  })
  await using client = await connect(server, ANSWERING)

  expect(textsOf(await client.callTool('tool'))).toEqual(['answer to One?', 'answer to Two after answer to One??'])
  expect(runs).toBe(isModern ? 3 : 1)
  expect(faults).toEqual([])
})

requirement('mcpserver:ask:decline-and-cancel', async ({ connect }) => {
  const { server } = createAsker((ctx) => ctx.elicit('Who?', NAME_FORM).then((answer) => JSON.stringify(answer)))
  for (const action of ['decline', 'cancel'] as const) {
    await using client = await connect(server, { onElicitation: () => ({ action }) })
    expect(textsOf(await client.callTool('tool'))).toEqual([`{"action":"${action}"}`])
  }
})

requirement('mcpserver:ask:typed-content', async ({ connect }) => {
  const schema = z.object({ seats: z.number().int(), day: z.string().transform((day) => day.toUpperCase()) })
  const { server } = createAsker(async (ctx) => {
    const answer = await ctx.elicit('When?', schema)
    return answer.action === 'accept' ? `${answer.content.seats + 1} on ${answer.content.day}` : 'no'
  })
  const onElicitation = () => ({ action: 'accept' as const, content: { seats: 2, day: 'monday' } })
  await using client = await connect(server, { onElicitation })

  expect(textsOf(await client.callTool('tool'))).toEqual(['3 on MONDAY'])
})

requirement('mcpserver:ask:url', async ({ connect }) => {
  const { server } = createAsker(async (ctx) => (await ctx.elicitUrl('Sign in', 'https://example.com/in')).action)
  const asked: unknown[] = []
  const onElicitation: ClientOptions['onElicitation'] = (params) => {
    asked.push(params.mode === 'url' && params.url)
    return { action: 'accept' }
  }
  await using client = await connect(server, { onElicitation, elicitationCapabilities: { url: {} } })

  expect(textsOf(await client.callTool('tool'))).toEqual(['accept'])
  expect(asked).toEqual(['https://example.com/in'])
})

requirement('mcpserver:ask:model-and-roots', async ({ connect }) => {
  const { server } = createAsker(async (ctx) => {
    const messages = [{ role: 'user' as const, content: { type: 'text' as const, text: 'Hello' } }]
    const { content } = await ctx.sample({ maxTokens: 5, messages })
    const { roots } = await ctx.listRoots()
    return JSON.stringify([content, roots])
  })
  const content = { type: 'text' as const, text: 'Hi' }
  const roots = [{ uri: 'file:///home' }]
  await using client = await connect(server, {
    onSampling: () => ({ role: 'assistant', model: 'test', content }),
    onListRoots: () => ({ roots }),
  })

  expect(textsOf(await client.callTool('tool'))).toEqual([JSON.stringify([content, roots])])
})

requirement('mcpserver:ask:same-question-twice', async ({ connect }) => {
  const { server } = createAsker(async (ctx) => [await askName(ctx, 'Who?'), await askName(ctx, 'Who?')])
  const answers = ['first', 'second']
  await using client = await connect(server, { onElicitation: () => accept(answers.shift() ?? 'too many') })

  expect(textsOf(await client.callTool('tool'))).toEqual(['first', 'second'])
})

requirement('mcpserver:ask:together-in-one-round', async ({ connect, isModern, wire, transport }) => {
  let runs = 0
  const { server } = createAsker((ctx) => {
    runs += 1
    return Promise.all(['A?', 'B?', 'C?'].map((message) => askName(ctx, message)))
  })
  await using client = await connect(server, ANSWERING)

  expect(textsOf(await client.callTool('tool'))).toEqual(['answer to A?', 'answer to B?', 'answer to C?'])
  expect(runs).toBe(isModern ? 2 : 1)
  if (transport === 'direct') return
  const calls = wire.sent.filter((message) => 'method' in message && message.method === 'tools/call')
  expect(calls).toHaveLength(isModern ? 2 : 1)
})

requirement('mcpserver:ask:only-what-is-open', async ({ connect }) => {
  const { server } = createAsker((ctx) => Promise.all([askName(ctx, 'A?'), askName(ctx, 'B?')]))
  await using client = await connect(server, ANSWERING)

  const first = await playRound(client)
  expect(Object.keys(first.inputRequests)).toEqual(['q1', 'q2'])
  const second = await playRound(client, first, { q2: accept('Bob') })
  expect(Object.keys(second.inputRequests)).toEqual(['q1'])
  // An answer that is recorded stays what it was.
  const third = await playRound(client, second, { q1: accept('Ada'), q2: accept('Eve') })
  expect(third.result).toMatchObject({ content: [{ text: 'Ada' }, { text: 'Bob' }] })
})

requirement('resolve:mcpserver:steps-run-once', async ({ connect }) => {
  const charge = vi.fn(async () => ({ id: 7 }))
  const { server } = createAsker(async (ctx) => {
    const { id } = await ctx.step('charge', charge)
    await askName(ctx, 'One?')
    await askName(ctx, 'Two?')
    return `charged ${id}`
  })
  await using client = await connect(server, ANSWERING)

  expect(textsOf(await client.callTool('tool'))).toEqual(['charged 7'])
  expect(charge).toHaveBeenCalledOnce()
})

requirement('mcpserver:steps:failed-may-run-again', async ({ connect }) => {
  const attempt = vi.fn(() => 'done')
  attempt.mockImplementationOnce(() => {
    throw new Error('busy')
  })
  const { server } = createAsker(async (ctx) => {
    await ctx.step('attempt', attempt).catch(() => {})
    return ctx.step('attempt', attempt)
  })
  await using client = await connect(server)

  expect(textsOf(await client.callTool('tool'))).toEqual(['done'])
  expect(attempt).toHaveBeenCalledTimes(2)
})

requirement('mcpserver:steps:mistakes', async ({ connect }) => {
  const { server, faults } = createServer()
  server.tool('date', {}, (_args, ctx) => ctx.step('bad', () => new Date(0) as never))
  server.tool('twice', {}, (_args, ctx) => Promise.all([ctx.step('same', () => 1), ctx.step('same', () => 2)]))
  server.tool('asks', {}, (_args, ctx) => ctx.step('asks', () => ctx.listRoots()))
  await using client = await connect(server, { onListRoots: () => ({ roots: [] }) })

  for (const name of ['date', 'twice', 'asks']) expect(await client.callTool(name)).toMatchObject({ isError: true })
  expect(faults.map(({ error }) => String(error))).toEqual([
    expect.stringContaining("'bad'"),
    expect.stringContaining("'same'"),
    expect.stringContaining('A step asked a question'),
  ])
})

requirement('mcpserver:ask:capability-missing', async ({ connect, isModern }) => {
  const before = vi.fn()
  const { server } = createAsker(async (ctx) => {
    before()
    return askName(ctx, 'Who?')
  })
  await using client = await connect(server)

  // Nobody knew the code before 2026-07-28, and nothing is wrong with the call.
  const failure = (what: string, option: string) =>
    `The tool "tool" failed. This client cannot be asked: it did not declare ${what}. ` +
    `A client of mcpwire declares it with the option ${option}.`
  if (isModern) {
    const data = { requiredCapabilities: { elicitation: {} } }
    expect(await refusalOf(client.callTool('tool'))).toMatchObject({ code: -32021, data })
  } else {
    const text = failure('elicitation.form', 'onElicitation')
    expect(await client.callTool('tool')).toEqual({ isError: true, content: [{ type: 'text', text }] })
  }
  expect(before).toHaveBeenCalledOnce()

  const message = { role: 'user', content: { type: 'text', text: 'Hello' } } as const
  const { server: model } = createAsker((ctx) => ctx.sample({ messages: [message], maxTokens: 1 }))
  await using mute = await connect(model)
  if (isModern) {
    const data = { requiredCapabilities: { sampling: {} } }
    expect(await refusalOf(mute.callTool('tool'))).toMatchObject({ code: -32021, data })
  } else {
    expect(textsOf(await mute.callTool('tool'))).toEqual([failure('sampling', 'onSampling')])
  }
})

requirement('mcpserver:ask:can-do-without', async ({ connect }) => {
  const { server } = createAsker((ctx) => ctx.listRoots().catch(() => 'no roots, then'))
  await using client = await connect(server)

  expect(textsOf(await client.callTool('tool'))).toEqual(['no roots, then'])
})

requirement('mcpserver:ask:form-must-be-flat', async ({ connect }) => {
  const schema = z.object({ name: z.string(), address: z.object({ city: z.string() }) })
  const { server, faults } = createAsker((ctx) => ctx.elicit('Where?', schema))
  await using client = await connect(server, ANSWERING)

  expect(await client.callTool('tool')).toMatchObject({ isError: true })
  expect(String(faults[0]?.error)).toContain('properties.address')
})

requirement('mcpserver:ask:misfitting-answer', async ({ connect }) => {
  const { server } = createAsker((ctx) => askName(ctx, 'Who?'))
  await using client = await connect(server, ANSWERING)
  const first = await playRound(client)

  for (const content of [{}, { name: 7 }]) {
    const refusal = await refusalOf(playRound(client, first, { q1: { action: 'accept', content } }))
    expect(refusal).toMatchObject({ code: -32602, data: { key: 'q1' } })
  }
})

requirement('mcpserver:ask:nondeterministic', async ({ connect }) => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  let runs = 0
  const answered = vi.fn()
  const { server, faults } = createAsker(async (ctx) => {
    runs += 1
    answered(await askName(ctx, `Run ${runs}?`))
  })
  await using client = await connect(server, ANSWERING)

  const refusal = await passTime(refusalOf(client.callTool('tool')))
  expect(refusal).toMatchObject({ code: -32603, message: expect.stringContaining('did not repeat') })
  expect(answered).not.toHaveBeenCalled()
  expect(faults).toMatchObject([{ kind: 'handler-failed', message: expect.stringContaining('step()') }])
})

requirement('mcpserver:ask:patience', async ({ connect }) => {
  let runs = 0
  const ask = async (ctx: Context) => askName(ctx, `Run ${++runs}?`)
  const { server, faults } = createAsker(ask, { requestState: { ...KEYS, replayPatienceMs: 5 } })
  await using client = await connect(server, ANSWERING)

  // Far sooner than by default, on a clock that nobody has stopped.
  expect(await refusalOf(client.callTool('tool'))).toMatchObject({ code: -32603 })
  expect(faults).toHaveLength(1)
})

requirement('mcpserver:ask:after-the-end', async ({ connect }) => {
  let late: Context | undefined
  const { server } = createAsker((ctx) => {
    late = ctx
    return 'done'
  })
  await using client = await connect(server, ANSWERING)
  expect(textsOf(await client.callTool('tool'))).toEqual(['done'])

  await expect(late?.elicit('Who?', NAME_FORM)).rejects.toBeInstanceOf(Error)
})

requirement('mcpserver:ask:closing-what-is-open', async ({ connect, isModern }) => {
  const opened: { isClosed: boolean }[] = []
  const { server } = createAsker(async (ctx) => {
    const file = { isClosed: false }
    opened.push(file)
    const close = () => {
      file.isClosed = true
    }
    ctx.signal.addEventListener('abort', close, { once: true })
    try {
      return [await askName(ctx, 'One?'), await askName(ctx, 'Two?'), file.isClosed ? 'closed' : 'open']
    } finally {
      close()
    }
  })
  server.tool('timed', { timeoutMs: 60_000 }, async (_args, ctx) => {
    const file = { isClosed: false }
    opened.push(file)
    ctx.signal.addEventListener('abort', () => {
      file.isClosed = ctx.signal.reason instanceof InteractionSuspended
    })
    await askName(ctx, 'One?')
    file.isClosed = true
  })
  await using client = await connect(server, ANSWERING)

  expect(textsOf(await client.callTool('tool'))).toEqual(['answer to One?', 'answer to Two?', 'open'])
  await client.callTool('timed')
  expect(opened).toHaveLength(isModern ? 5 : 2)
  expect(opened.every(({ isClosed }) => isClosed)).toBe(true)
})

requirement('resolve:mcpserver:pinned-to-the-question', async ({ connect }) => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const removed = vi.fn()
  const createRemover = (path: string) =>
    createAsker(async (ctx) => removed(path, await askName(ctx, `Remove ${path}?`)), { requestState: KEYS }).server
  await using harmless = await connect(createRemover('/tmp'), ANSWERING)
  await using harmful = await connect(createRemover('/home'), ANSWERING)

  const asked = await passTime(playRound(harmless))
  const refusal = await passTime(refusalOf(playRound(harmful, asked, { q1: accept('yes') })))
  expect(refusal).toMatchObject({ code: -32603 })
  expect(removed).not.toHaveBeenCalled()
})

requirement('resolve:mcpserver:stable-keys', async ({ connect }) => {
  const createWorker = () =>
    createAsker(async (ctx) => [await askName(ctx, 'A?'), await askName(ctx, 'B?')], { requestState: KEYS }).server
  await using one = await connect(createWorker(), ANSWERING)
  await using other = await connect(createWorker(), ANSWERING)

  const first = await playRound(one)
  expect((await playRound(other)).inputRequests).toEqual(first.inputRequests)
  const second = await playRound(other, first, { q1: accept('Ada') })
  expect(Object.keys(second.inputRequests)).toEqual(['q2'])
  const third = await playRound(one, second, { q2: accept('Bob') })
  expect(third.result).toMatchObject({ content: [{ text: 'Ada' }, { text: 'Bob' }] })
})

requirement('resolve:mcpserver:answers-only-when-asked', async ({ connect }) => {
  // The worst case: nothing is sealed, so that the client writes the state.
  const { server } = createAsker((ctx) => askName(ctx, 'Who?'), { requestState: false })
  server.tool('silent', {}, () => 'asked nothing')
  await using client = await connect(server, ANSWERING)

  const first = await playRound(client)
  const unasked = await playRound(client, first, { q2: accept('Eve'), ['__proto__']: accept('Eve') })
  expect(Object.keys(unasked.inputRequests)).toEqual(['q1'])
  const forged = first.requestState.replace(/\["([^"]{43})"\]/, '["$1",{"action":"accept","content":{"name":7}}]')
  expect(forged).not.toBe(first.requestState)
  const refusal = await refusalOf(playRound(client, { ...first, requestState: forged }))
  expect(refusal).toMatchObject({ code: -32602, data: { key: 'q1' } })
  const { requestState } = first
  const silent = await client.session.callTool('silent', {}, { requestState, inputResponses: { q1: accept('Eve') } })
  expect(textsOf(silent)).toEqual(['asked nothing'])
})

requirement('state:mcpserver:sealed-by-default', async ({ connect }) => {
  const ask = async (ctx: Context) => {
    await ctx.step('secret', () => 'hunter2')
    return askName(ctx, 'Who?')
  }
  const { server } = createAsker(ask)
  await using client = await connect(server, ANSWERING)
  const sealed = await playRound(client)
  await using reader = await connect(createAsker(ask, { requestState: false }).server, ANSWERING)

  expect((await playRound(reader)).requestState).toContain('hunter2')
  expect(sealed.requestState).not.toBe('')
  expect(sealed.requestState).not.toContain('hunter2')
  expect((await playRound(client, sealed, { q1: accept('Ada') })).result).toMatchObject({ content: [{ text: 'Ada' }] })
})

requirement('mcpserver:state:forged', async ({ connect }) => {
  const run = vi.fn((ctx: Context) => askName(ctx, 'Who?'))
  const { server, faults } = createAsker(run)
  await using client = await connect(server, ANSWERING)
  const forged = { inputRequests: {}, requestState: 'forged', result: { content: [] } }

  for (const answers of [{ q1: accept('Eve') }, undefined]) {
    expect(await refusalOf(playRound(client, forged, answers))).toMatchObject({ code: -32602 })
    expect(run).not.toHaveBeenCalled()
    expect(faults.splice(0)).toMatchObject([{ message: expect.stringContaining('requestState') }])
  }
})

function createStore() {
  const kept = new Map<string, string>()
  const store = {
    get: async (id: string) => kept.get(id),
    set: async (id: string, state: string) => void kept.set(id, state),
    delete: async (id: string) => void kept.delete(id),
  }
  return { kept, store }
}

requirement('mcpserver:state:store', async ({ connect }) => {
  const { kept, store } = createStore()
  const ask = async (ctx: Context) => {
    const { length } = await ctx.step('large', () => 'x'.repeat(5_000))
    return `${length} ${await askName(ctx, 'Who?')}`
  }
  const { server } = createAsker(ask, { requestState: { maxStateBytes: 256, store } })
  await using client = await connect(server, ANSWERING)

  const first = await playRound(client)
  expect(first.requestState.length).toBeLessThan(1_000)
  expect(kept.size).toBe(1)
  const second = await playRound(client, first, { q1: accept('Ada') })
  expect(second.result).toMatchObject({ content: [{ text: '5000 Ada' }] })
  expect(kept.size).toBe(0)
})

requirement('mcpserver:state:store-forgets', async ({ connect }) => {
  const { kept, store } = createStore()
  const ask = async (ctx: Context) => {
    const name = await askName(ctx, 'Who?')
    if (name === 'Eve') throw new ToolError('Not you')
    return name
  }
  const { server } = createAsker(ask, { requestState: { maxStateBytes: 50, store } })
  await using client = await connect(server, ANSWERING)

  for (const [name, result] of [
    ['Ada', { content: [{ text: 'Ada' }] }],
    ['Eve', { isError: true, content: [{ text: 'Not you' }] }],
  ] as const) {
    const first = await playRound(client)
    const misfit = { q1: { action: 'accept' as const, content: {} } }
    expect(await refusalOf(playRound(client, first, misfit))).toMatchObject({ code: -32602 })
    expect(kept.size).toBe(1)
    expect((await playRound(client, first, { q1: accept(name) })).result).toMatchObject(result)
    expect(kept.size).toBe(0)
  }
})

requirement('mcpserver:state:too-large', async ({ connect }) => {
  const ask = async (ctx: Context) => {
    await ctx.step('large', () => 'x'.repeat(5_000))
    return askName(ctx, 'Who?')
  }
  const { server, faults } = createAsker(ask, { requestState: { ...REQUEST_STATE, maxStateBytes: 256 } })
  await using client = await connect(server, ANSWERING)

  await client.callTool('tool').catch(() => {})
  expect(faults).toMatchObject([{ error: { limit: 'maxStateBytes', max: 256 } }])
})

requirement('mcpserver:ask:own-result', async ({ connect, isModern }) => {
  const params = { mode: 'form', message: 'Who?', requestedSchema: NAME_FORM }
  const inputRequests = { who: { method: 'elicitation/create', params } } as unknown as InputRequests
  const { server } = createAsker((ctx) => {
    if (ctx.inputResponses !== undefined) return JSON.stringify([ctx.requestState, ctx.inputResponses])
    return { resultType: 'input_required', inputRequests, requestState: 'round 1' }
  })
  await using client = await connect(server, ANSWERING)

  if (!isModern) {
    expect(await refusalOf(client.callTool('tool'))).toMatchObject({ code: -32603 })
    return
  }
  const answers = { who: accept('answer to Who?') }
  expect(textsOf(await client.callTool('tool'))).toEqual([JSON.stringify(['round 1', answers])])
})
