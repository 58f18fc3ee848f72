// What limits do while a server asks its client something, and afterwards.
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { MCPServer } from '../../../../src/mcpserver/mcpserver.ts'
import { createDeferred } from '../../../../src/primitives/async/promises.ts'
import type { Middleware } from '../../../../src/server/handlers.ts'
import { limitConcurrency } from '../../../../src/server/middleware/limit-concurrency.ts'
import { limitRate } from '../../../../src/server/middleware/limit-rate.ts'
import { limitResponseSize } from '../../../../src/server/middleware/limit-response-size.ts'
import { limitTime } from '../../../../src/server/middleware/limit-time.ts'
import { Server } from '../../../../src/server/server.ts'
import { connect } from '../../../../src/testing/connect.ts'

const FORM = { type: 'object', properties: { name: { type: 'string' } } } as const
const ACCEPT = { action: 'accept' as const, content: { name: 'Ada' } }

/** A server whose tool asks, or stays until it is let go. */
function serve(middleware: Middleware[]) {
  const server = new MCPServer('limited', { middleware })
  const held = new Map<string, () => void>()
  server.tool(
    'tool',
    { input: { type: 'object', properties: { as: { type: 'string' } }, required: ['as'] } },
    async ({ as }, ctx) => {
      if (as.startsWith('asks')) return (await ctx.elicit('Who?', FORM)).action
      await new Promise<void>((resolve) => held.set(as, resolve))
      return as
    },
  )
  const arrived = async (as: string) => {
    while (!held.has(as)) await new Promise((resolve) => setImmediate(resolve))
    return held.get(as) as () => void
  }
  return { server, arrived }
}

/** A user who answers when the test says so. */
function askLater() {
  const [asked, answered] = [createDeferred(), createDeferred<typeof ACCEPT>()]
  const onElicitation = () => {
    asked.resolve()
    return answered.promise
  }
  return { onElicitation, asked: asked.promise, answer: () => answered.resolve(ACCEPT) }
}

const turns = async (count: number) => {
  for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve))
}

describe('limitTime', () => {
  it('gives up once, also on a handler that asks when its time is up', async () => {
    const over = createDeferred()
    const server = new Server('late', {
      middleware: [limitTime({ timeoutMs: 5, toolRefusal: 'error' })],
      handlers: {
        'tools/call': async (ctx) => {
          await new Promise((resolve) => ctx.signal.addEventListener('abort', resolve))
          await ctx.session.sendPing({ related: false })
          // A second refusal would come now, be nobody's, and fail this run.
          await new Promise((resolve) => setTimeout(resolve, 5))
          over.resolve()
          return { content: [] }
        },
      },
    })
    await using client = await connect(server, { mode: 'legacy' })

    await expect(client.callTool('tool')).rejects.toMatchObject({ code: 504 })
    await over.promise
  })
})

describe('limitConcurrency', () => {
  it('takes the places of several limits again in the order in which they were taken', async () => {
    const limits = [
      limitConcurrency({ max: 1, maxWaiting: 10, key: () => 'all' }),
      limitConcurrency({ max: 1, maxWaiting: 10 }),
    ]
    const { server, arrived } = serve(limits)
    const { onElicitation, asked, answer } = askLater()
    await using client = await connect(server, { mode: 'legacy', onElicitation })

    const first = client.callTool('tool', { as: 'asks' })
    await asked
    const second = client.callTool('tool', { as: 'second' })
    const letSecondGo = await arrived('second')
    answer()
    await turns(20)
    const third = client.callTool('tool', { as: 'third' })
    await turns(20)
    letSecondGo()
    void arrived('third').then((letGo) => letGo())

    const results = await Promise.all([first, second, third])
    expect(results.map(({ content }) => content)).toEqual(
      ['accept', 'second', 'third'].map((text) => [{ type: 'text', text }]),
    )
  })

  it('lets time go on while a call waits for its place after an answer', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] })
    onTestFinished(() => void vi.useRealTimers())
    const { server, arrived } = serve([
      limitTime({ timeoutMs: 40 }),
      limitConcurrency({ max: 1, maxWaiting: 10, key: () => 'all' }),
    ])
    const { onElicitation, asked, answer } = askLater()
    await using client = await connect(server, { mode: 'legacy', onElicitation })

    const first = client.callTool('tool', { as: 'asks' })
    await asked
    const second = client.callTool('tool', { as: 'second' })
    const letSecondGo = await arrived('second')
    answer()
    await turns(20)
    await vi.advanceTimersByTimeAsync(40)

    expect(await first).toMatchObject({ isError: true })
    letSecondGo()
    await second
  })
})

describe('limitRate', () => {
  it('counts rounds that bring a call no further', async () => {
    const { server } = serve([limitRate({ perSecond: 0.001, burst: 1 })])
    await using client = await connect(server, { mode: 'modern', onElicitation: () => ACCEPT })
    const session = client.session
    const call = (requestState?: string, inputResponses?: object) =>
      session.callTool('tool', { as: 'asks' }, {
        allowInputRequired: true,
        ...(requestState !== undefined && { requestState }),
        ...(inputResponses !== undefined && { inputResponses }),
      } as never) as Promise<{ requestState?: string; resultType?: string }>

    const first = await call()
    expect(first.resultType).toBe('input_required')
    const second = await call(first.requestState)
    expect(second.requestState).toBe(first.requestState)
    await expect(call(second.requestState)).rejects.toMatchObject({ code: 429 })
    await expect(call(second.requestState, { junk: { action: 'decline' } })).rejects.toMatchObject({ code: 429 })
  })
})

describe('limitResponseSize', () => {
  it('holds for the result of a task as well', async () => {
    const server = new Server('tasks', {
      middleware: [limitResponseSize({ maxBytes: 500 })],
      capabilities: { tasks: {} },
      handlers: { 'tasks/result': () => ({ content: [{ type: 'text', text: 'x'.repeat(1_000) }] }) },
    } as never)
    await using client = await connect(server, { mode: 'legacy' })

    await expect(client.session.sendRequest('tasks/result', { taskId: '1' } as never)).rejects.toMatchObject({
      code: 413,
    })
  })
})
