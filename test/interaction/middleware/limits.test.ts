// The limits that come with a server, around an MCPServer: what they refuse, and what they leave alone.
import { expect } from 'vitest'
import type { Client } from '../../../src/client/client.ts'
import { advertise } from '../../../src/client/extensions/extension.ts'
import type { Context } from '../../../src/mcpserver/handlers/context.ts'
import type { MCPServerOptions } from '../../../src/mcpserver/options.ts'
import { createDeferred } from '../../../src/primitives/async/promises.ts'
import type { ExtensionRequest } from '../../../src/server/extensions/extension.ts'
import type { Middleware } from '../../../src/server/handlers.ts'
import { limitConcurrency } from '../../../src/server/middleware/limit-concurrency.ts'
import { limitRate } from '../../../src/server/middleware/limit-rate.ts'
import { limitResponseSize } from '../../../src/server/middleware/limit-response-size.ts'
import { limitTime } from '../../../src/server/middleware/limit-time.ts'
import { requirement, type Setting } from '../kit/requirement.ts'
import { accept, createServer, NAME_FORM, playRound, refusalOf, textsOf } from '../kit/support-mcpserver.ts'

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** Slow enough that no token comes back while a test runs. */
const RARELY = { perSecond: 0.001 }

const ANSWERING = { onElicitation: () => accept('Ada') }

/** A server with this middleware whose `tool` is this handler. */
function serverOf(middleware: Middleware[], run: (ctx: Context) => unknown, options: MCPServerOptions = {}) {
  const made = createServer({ middleware, ...options })
  made.server.tool('tool', {}, (_args, ctx) => run(ctx))
  return made
}

/** Asks twice, with something in between that must happen once. */
function bookingTool() {
  const paid: string[] = []
  const run = async (ctx: Context) => {
    await ctx.elicit('Which seat?', NAME_FORM)
    await ctx.step('pay', () => void paid.push('paid'))
    await ctx.elicit('Whose receipt?', NAME_FORM)
    return 'booked'
  }
  return { run, paid }
}

/** A tool whose runs end when the test lets them. */
function heldTool() {
  const entered: (() => void)[] = []
  const run = () => {
    const end = createDeferred()
    entered.push(() => end.resolve())
    return end.promise.then(() => 'done')
  }
  return { run, entered }
}

/** What keeps a connection and is no call. */
async function goOn(client: Client, { isModern }: Setting): Promise<void> {
  await client.listTools()
  await client.session.sendNotification('vendor/told')
  if (!isModern) await client.session.sendPing()
}

requirement('limits:rate:refuses', async ({ connect }) => {
  const { server } = serverOf([limitRate({ ...RARELY, burst: 2 })], () => 'done')
  server.tool('other', {}, () => 'done, too')
  await using client = await connect(server)
  for (let call = 0; call < 2; call += 1) await client.callTool('tool')

  const refusal = await refusalOf(client.callTool('tool'))
  expect(refusal).toMatchObject({
    code: 429,
    message: expect.stringMatching(/^Too many requests: try again in \d+ s$/),
  })
  expect((refusal.data as { retryAfterMs: number }).retryAfterMs).toBeGreaterThan(900_000)
  expect(textsOf(await client.callTool('other'))).toEqual(['done, too'])
})

requirement('limits:rate:leaves-the-rest-alone', async (setting) => {
  const { server } = serverOf([limitRate({ ...RARELY, burst: 1, key: () => 'everybody' })], () => 'done')
  for (let client = 0; client < 4; client += 1) {
    await using connected = await setting.connect(server, { cache: false })
    expect(connected.protocolVersion).toBe(setting.version)
    for (let time = 0; time < 3; time += 1) await goOn(connected, setting)
    if (client === 0) await connected.callTool('tool')
    else expect(await refusalOf(connected.callTool('tool'))).toMatchObject({ code: 429 })
  }
})

requirement('limits:rate:named-methods', async ({ connect }) => {
  const { server } = serverOf([limitRate({ ...RARELY, burst: 1, methods: ['tools/list'] })], () => 'done')
  await using client = await connect(server, { cache: false })
  await client.listTools()
  for (let call = 0; call < 3; call += 1) await client.callTool('tool')
  expect(await refusalOf(client.listTools())).toMatchObject({ code: 429 })
})

requirement('limits:rate:asking-is-one-call', async ({ connect }) => {
  const { run, paid } = bookingTool()
  const { server } = serverOf([limitRate({ ...RARELY, burst: 2 })], run)
  await using client = await connect(server, ANSWERING)
  for (let call = 1; call <= 2; call += 1) {
    expect(textsOf(await client.callTool('tool'))).toEqual(['booked'])
    expect(paid).toHaveLength(call)
  }
  expect(await refusalOf(client.callTool('tool'))).toMatchObject({ code: 429 })
  expect(paid).toHaveLength(2)
})

requirement('limits:rate:state-brought-again', async ({ connect }) => {
  let runs = 0
  const { server } = serverOf([limitRate({ ...RARELY, burst: 2 })], async (ctx) => {
    runs += 1
    return (await ctx.elicit('Who?', NAME_FORM)).action
  })
  await using client = await connect(server, ANSWERING)
  const asked = await playRound(client)
  const answers = Object.fromEntries(Object.keys(asked.inputRequests).map((key) => [key, accept('Ada')]))
  await playRound(client, asked, answers)
  // The second time is a call by itself, and takes the other token.
  await playRound(client, asked, answers)
  expect(runs).toBe(3)
  for (let time = 0; time < 3; time += 1) {
    expect(await refusalOf(playRound(client, asked, answers))).toMatchObject({ code: 429 })
  }
  expect(runs).toBe(3)
})

requirement('limits:rate:forged-state', async ({ connect }) => {
  const forged = { inputRequests: {}, requestState: 'v1.forged', result: { content: [] } }
  for (const [options, code] of [
    [{}, -32602],
    [{ requestState: false }, 429],
  ] as const) {
    let runs = 0
    const run = () => {
      runs += 1
      return 'done'
    }
    const { server } = serverOf([limitRate({ ...RARELY, burst: 1 })], run, options)
    await using client = await connect(server, ANSWERING)
    await client.callTool('tool')
    for (let time = 0; time < 3; time += 1) {
      expect(await refusalOf(playRound(client, forged))).toMatchObject({ code })
    }
    expect(await refusalOf(client.callTool('tool'))).toMatchObject({ code: 429 })
    expect(runs).toBe(1)
  }
})

requirement('limits:size:refuses', async ({ connect }) => {
  const { server } = serverOf([limitResponseSize({ maxBytes: 500 })], () => 'x'.repeat(1000))
  server.tool('small', {}, () => 'x')
  server.resource('big://one', () => 'x'.repeat(1000))
  await using client = await connect(server)
  expect(textsOf(await client.callTool('small'))).toEqual(['x'])
  expect(await client.callTool('tool')).toMatchObject({
    content: [{ type: 'text', text: expect.stringContaining('larger than the 500 bytes') }],
    isError: true,
    _meta: { 'mcpwire/refusal': { code: 413, maxBytes: 500 } },
  })
  expect(await refusalOf(client.readResource('big://one'))).toMatchObject({ code: 413, data: { maxBytes: 500 } })
})

requirement('limits:size:leaves-the-rest-alone', async (setting) => {
  const withMiddleware = (middleware: Middleware) => serverOf([middleware], () => 'x'.repeat(1000)).server
  await using client = await setting.connect(withMiddleware(limitResponseSize({ maxBytes: 1 })), { cache: false })
  await goOn(client, setting)
  expect(await client.callTool('tool')).toMatchObject({ isError: true })

  const strict = withMiddleware(limitResponseSize({ maxBytes: 10, methods: ['tools/list'] }))
  await using other = await setting.connect(strict, { cache: false })
  expect(await refusalOf(other.listTools())).toMatchObject({ code: 413 })
  expect(textsOf(await other.callTool('tool'))).toEqual(['x'.repeat(1000)])
})

requirement('limits:size:questions', async ({ connect }) => {
  const { server } = serverOf([limitResponseSize({ maxBytes: 500 })], async (ctx) => {
    return (await ctx.elicit('x'.repeat(1000), NAME_FORM)).action
  })
  await using client = await connect(server, ANSWERING)
  expect(textsOf(await client.callTool('tool'))).toEqual(['accept'])
})

requirement('limits:time:refuses', async ({ connect }) => {
  const aborted = createDeferred<unknown>()
  const { server } = serverOf([limitTime({ tools: { tool: 20 } })], async ({ signal }) => {
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
    aborted.resolve(signal.reason)
    return 'too late'
  })
  await using client = await connect(server)
  expect(await client.callTool('tool')).toMatchObject({
    content: [{ type: 'text', text: expect.stringContaining('Gave up after 20 ms') }],
    isError: true,
    _meta: { 'mcpwire/refusal': { code: 504, timeoutMs: 20 } },
  })
  expect(await aborted.promise).toMatchObject({ name: 'LimitError' })
})

requirement('limits:time:not-while-asking', async ({ connect }) => {
  // What is not asked takes a small part of the limit, on a busy machine too; what is asked takes longer than the limit.
  const { server } = serverOf([limitTime({ timeoutMs: 600 })], async (ctx) => {
    const answers = await Promise.all([ctx.elicit('One?', NAME_FORM), ctx.elicit('Other?', NAME_FORM)])
    return answers.map(({ action }) => action).join(' ')
  })
  const onElicitation = async ({ message }: { message: string }) => {
    await sleep(message === 'One?' ? 300 : 800)
    return accept('Ada')
  }
  await using client = await connect(server, { onElicitation })
  expect(textsOf(await client.callTool('tool'))).toEqual(['accept accept'])
})

requirement('limits:time:leaves-the-rest-alone', async ({ connect, isModern }) => {
  const slow: Middleware = async (ctx, next) => {
    if (['initialize', 'server/discover', 'ping'].includes(ctx.method)) await sleep(15)
    return next()
  }
  const { server } = serverOf([limitTime({ timeoutMs: 5 }), slow], () => 'done')
  await using client = await connect(server)
  if (!isModern) {
    await client.session.sendPing()
    return
  }
  await using subscription = await client.listen({ toolsListChanged: true })
  await sleep(15)
  server.tool('another', {}, () => 'done')
  for await (const event of subscription) {
    expect(event).toEqual({ type: 'toolsListChanged' })
    break
  }
})

requirement('limits:concurrency:refuses', async ({ connect }) => {
  const { run, entered } = heldTool()
  const { server } = serverOf([limitConcurrency({ max: 1, maxWaiting: 1 })], run)
  server.tool('other', {}, () => 'done, too')
  await using client = await connect(server)
  const calls = [client.callTool('tool'), client.callTool('tool'), client.callTool('tool')]
  const refused = await Promise.any(calls.map((call) => refusalOf(call)))
  expect(refused).toMatchObject({ code: 503, data: { max: 1, maxWaiting: 1 } })
  expect(entered).toHaveLength(1)
  expect(textsOf(await client.callTool('other'))).toEqual(['done, too'])
  entered[0]?.()
  await expect.poll(() => entered).toHaveLength(2)
  entered[1]?.()
  const ends = await Promise.allSettled(calls)
  expect(ends.map(({ status }) => status).sort()).toEqual(['fulfilled', 'fulfilled', 'rejected'])
})

requirement('limits:concurrency:leaves-the-rest-alone', async (setting) => {
  const { run, entered } = heldTool()
  const { server } = serverOf([limitConcurrency({ max: 1, key: () => 'everybody' })], run)
  await using client = await setting.connect(server, { cache: false })
  const subscription = setting.isModern ? await client.listen({ toolsListChanged: true }) : undefined
  const call = client.callTool('tool')
  await expect.poll(() => entered).toHaveLength(1)
  await using other = await setting.connect(server, { cache: false })
  await goOn(other, setting)
  expect(await refusalOf(other.callTool('tool'))).toMatchObject({ code: 503 })
  entered[0]?.()
  expect(textsOf(await call)).toEqual(['done'])
  await subscription?.close()
})

requirement('limits:concurrency:no-place-while-asking', async ({ connect }) => {
  const held = heldTool()
  const { server } = serverOf([limitConcurrency({ max: 1, key: () => 'everybody' })], held.run)
  const paid: string[] = []
  server.tool('book', {}, async (_args, ctx) => {
    await ctx.elicit('Which seat?', NAME_FORM)
    paid.push('paid')
    return 'booked'
  })
  const [asked, answer] = [createDeferred(), createDeferred()]
  await using client = await connect(server, {
    onElicitation: async () => {
      asked.resolve()
      await answer.promise
      return accept('1A')
    },
  })
  const booking = client.callTool('book')
  await asked.promise
  const other = client.callTool('tool')
  await expect.poll(() => held.entered).toHaveLength(1)
  answer.resolve()
  await sleep(20)
  expect(paid).toEqual([])
  held.entered[0]?.()
  await other
  expect(textsOf(await booking)).toEqual(['booked'])
  expect(paid).toEqual(['paid'])
})

requirement('limits:concurrency:further-round-waits', async ({ connect }) => {
  const held = heldTool()
  const { run, paid } = bookingTool()
  const isHeld: boolean[] = [false, true]
  const { server } = serverOf([limitConcurrency({ max: 1 })], (ctx) => (isHeld.shift() ? held.run() : run(ctx)))
  await using client = await connect(server, ANSWERING)
  const asked = await playRound(client)
  const other = client.callTool('tool')
  await expect.poll(() => held.entered).toHaveLength(1)
  expect(await refusalOf(playRound(client))).toMatchObject({ code: 503 })

  const answers = Object.fromEntries(Object.keys(asked.inputRequests).map((key) => [key, accept('1A')]))
  const further = playRound(client, asked, answers)
  await sleep(10)
  expect(paid).toEqual([])
  held.entered[0]?.()
  expect(Object.keys((await further).inputRequests)).toHaveLength(1)
  expect(paid).toEqual(['paid'])
  await other
})

const OWN = 'com.example/jobs'

/** An extension with two methods: what it says of the first holds, and the second says nothing of itself. */
function serverWithJobs(middleware: Middleware, facts: Partial<ExtensionRequest>) {
  const handle = async () => {
    await sleep(15)
    return { job: 'x'.repeat(500) }
  }
  const requests = { 'com.example/get': { ...facts, handle }, 'com.example/list': { handle } }
  return createServer({ middleware: [middleware], extensions: [{ identifier: OWN, requests }] }).server
}

requirement('limits:methods-of-extensions', async ({ connect }) => {
  const open = async (middleware: Middleware, facts: Partial<ExtensionRequest>) => {
    const client = await connect(serverWithJobs(middleware, facts), { extensions: [advertise(OWN)] })
    const get = (id: string) => client.session.sendRequest('com.example/get', { id })
    const list = () => client.session.sendRequest('com.example/list', {})
    return { get, list, [Symbol.asyncDispose]: () => client.close() }
  }
  {
    await using counted = await open(limitRate({ ...RARELY, burst: 1 }), { isCounted: true })
    await counted.get('1')
    expect(await refusalOf(counted.get('1'))).toMatchObject({ code: 429 })
    for (let time = 0; time < 3; time += 1) await counted.list()
  }
  {
    await using measured = await open(limitResponseSize({ maxBytes: 100 }), { isContent: true })
    expect(await refusalOf(measured.get('1'))).toMatchObject({ code: 413 })
    expect(await measured.list()).toMatchObject({ job: 'x'.repeat(500) })
  }
  {
    await using untimed = await open(limitTime({ timeoutMs: 5 }), { isUntimed: true })
    expect(await untimed.get('1')).toMatchObject({ job: 'x'.repeat(500) })
    expect(await refusalOf(untimed.list())).toMatchObject({ code: 504 })
  }
})

requirement('limits:methods-of-extensions:undeclared', async ({ connect }) => {
  const key = () => 'one limit for all'
  const methods = ['com.example/get']
  const limits = [
    limitRate({ ...RARELY, burst: 1, key }),
    limitRate({ ...RARELY, burst: 1, key, methods }),
    limitConcurrency({ max: 1, key, methods }),
  ]
  for (const middleware of limits) {
    const { run, entered } = heldTool()
    const handle = async () => ({ job: await run() })
    const requests = { 'com.example/get': { isCounted: true, handle } }
    const { server } = createServer({ middleware: [middleware], extensions: [{ identifier: OWN, requests }] })
    await using stranger = await connect(server)
    await using client = await connect(server, { extensions: [advertise(OWN)] })
    const askBy = ({ session }: Client) => session.sendRequest('com.example/get', {})

    for (let time = 0; time < 3; time += 1) expect(await refusalOf(askBy(stranger))).toMatchObject({ code: -32021 })
    const served = askBy(client)
    await expect.poll(() => entered.length).toBe(1)
    expect((await refusalOf(askBy(client))).code).toBeGreaterThan(400)
    expect(await refusalOf(askBy(stranger))).toMatchObject({ code: -32021 })
    entered[0]?.()
    expect(await served).toMatchObject({ job: 'done' })
  }

  const facts = { isCounted: true, isOpenToAll: true }
  await using anybody = await connect(serverWithJobs(limitRate({ ...RARELY, burst: 1 }), facts))
  await anybody.session.sendRequest('com.example/get', {})
  expect(await refusalOf(anybody.session.sendRequest('com.example/get', {}))).toMatchObject({ code: 429 })
})
