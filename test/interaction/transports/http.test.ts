// What only HTTP can show of calls: streams that end or break, what closing one means, and which stream carries what.
import { expect, vi } from 'vitest'
import { createDeferred } from '../../../src/primitives/async/promises.ts'
import { type EventStore, MemoryEventStore } from '../../../src/server/http/streams/event-store.ts'
import { MCPError } from '../../../src/types/errors/errors.ts'
import { FakeExchange } from '../../support/fake-exchange.ts'
import { settle } from '../../support/peers.ts'
import { EventBody } from '../../unit/client/transports/scripted-http.ts'
import { requirement } from '../kit/requirement.ts'
import { connectScriptedHttp, connectSeen, handlerOf, openSession, post, sendModern } from '../kit/support-http.ts'
import { DONE, type Message, serverWith, text, waitingTool } from '../kit/support-lifecycle.ts'

const isCall = ({ message }: { message: Message }) => message['method'] === 'tools/call'
const callOf = (id: string, name = 'run') => ({ jsonrpc: '2.0', id, method: 'tools/call', params: { name } })

requirement('rpc:http:answer-that-never-comes', async (setting) => {
  const { client, http } = await connectScriptedHttp(setting, (request) =>
    isCall(request) ? new EventBody().write(': nothing to say\n\n').end().response : undefined,
  )
  await expect(client.callTool('run')).rejects.toMatchObject({ code: -32000, local: true })
  expect(http.sent('tools/call')).toHaveLength(1)
})

requirement('rpc:http:error-after-the-stream-began', async (setting) => {
  const server = serverWith(async (ctx) => {
    await ctx.reportProgress(1)
    throw new MCPError(1234, 'too late for a status')
  })
  const { client, responses } = await connectSeen(setting, server)
  const told: number[] = []
  const call = client.callTool('run', {}, { onProgress: ({ progress }) => void told.push(progress) })
  await expect(call).rejects.toMatchObject({ code: 1234, local: false })
  expect(told).toEqual([1])
  const types = responses.map(({ status, headers }) => `${status} ${headers.get('content-type')}`)
  expect(types).toContain('200 text/event-stream')
})

requirement('rpc:http:order-of-stored-events', async () => {
  const release = createDeferred()
  const kept = new MemoryEventStore()
  const slowStreams = new Set<string>()
  /** Takes its time over the stream of one call. */
  const eventStore: EventStore = {
    append: (stream, data) => {
      const id = kept.append(stream, data)
      if (data.includes('"slow"')) slowStreams.add(stream)
      return slowStreams.has(stream) ? release.promise.then(() => id) : id
    },
    replayAfter: (stream, id) => kept.replayAfter(stream, id),
    drop: (stream) => kept.drop(stream),
  }
  const server = serverWith(
    async ({ session }, { name }) => {
      for (const data of [name, 2, 3]) void session.sendLogMessage('info', data)
      return DONE
    },
    { logging: true },
  )
  const handler = handlerOf(server, { eventStore })
  const session = await openSession(handler)
  const slow = post(handler, callOf('a', 'slow'), session)
  const quick = post(handler, callOf('b', 'quick'), session)
  await quick.answered
  await quick.sink?.ended.promise
  expect(quick.sink?.messages.at(-1)).toMatchObject({ id: 'b', result: DONE })
  expect(slow.sink?.messages ?? []).toEqual([])

  release.resolve()
  await slow.answered
  await slow.sink?.ended.promise
  expect(slow.sink?.messages).toMatchObject([
    { params: { data: 'slow' } },
    { params: { data: 2 } },
    { params: { data: 3 } },
    { id: 'a', result: DONE },
  ])
})

requirement('cancel:http:resumption-suppresses-it', async (setting) => {
  const primed = new EventBody().prime('e0')
  const { client, http } = await connectScriptedHttp(setting, (request) =>
    isCall(request) ? primed.response : undefined,
  )
  const token = createDeferred<string>()
  const abort = new AbortController()
  const hints = { onResumptionToken: (value: string) => token.resolve(value) }
  const call = client.callTool('run', {}, { signal: abort.signal, hints })
  expect(await token.promise).toBe('e0')
  abort.abort(new Error('later'))
  await expect(call).rejects.toThrow('later')
  await settle()
  expect(http.sent('notifications/cancelled')).toEqual([])
  expect(primed.isCancelled).toBe(true)
})

requirement('cancel:http:closing-the-stream', async (setting) => {
  const { handler, entered, aborted } = waitingTool()
  const { client, requests } = await connectSeen(setting, serverWith(handler))
  const abort = new AbortController()
  const call = client.callTool('run', {}, { signal: abort.signal })
  await entered
  abort.abort(new Error('enough'))
  await expect(call).rejects.toThrow('enough')
  await aborted
  expect(requests.map(({ message }) => message['method'])).toEqual(['server/discover', 'tools/call'])
})

requirement('cancel:http:disconnect-is-none', async () => {
  const { handler: tool, entered, release } = waitingTool()
  const handler = handlerOf(serverWith(tool))
  const call = post(handler, callOf('a'), await openSession(handler))
  const signal = await entered
  call.leave()
  await Promise.resolve()
  expect(signal.aborted).toBe(false)
  release()
})

requirement('cancel:http:handshake-post-ends', async () => {
  const { handler: tool, entered, aborted } = waitingTool()
  const handler = handlerOf(serverWith(tool))
  const session = await openSession(handler)
  const call = post(handler, callOf('a'), session)
  await entered
  const cancelled = post(
    handler,
    { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'a' } },
    session,
  )
  await cancelled.answered
  expect(cancelled.status).toBe(202)
  await aborted
  await call.answered
  expect(call.json).toMatchObject({ id: 'a', error: { code: expect.any(Number) } })
})

requirement('progress:http:on-its-own-stream', async ({ isModern }) => {
  const server = serverWith(
    async (ctx) => {
      await ctx.reportProgress(1)
      await ctx.session.sendLogMessage('info', 'at work')
      return text('done')
    },
    { logging: true, subscriptions: true },
  )
  const handler = handlerOf(server)
  const params = { name: 'run' }
  const [beside, call] = isModern ? await modernStreams() : await handshakeStreams()
  await call.answered
  await call.sink?.ended.promise
  expect(call.sink?.messages).toMatchObject([
    { method: 'notifications/progress', params: { progressToken: 'p', progress: 1 } },
    { method: 'notifications/message' },
    { result: text('done') },
  ])
  const others = ((beside.sink?.messages ?? []) as Message[]).map(({ method }) => method)
  expect(others).toEqual(isModern ? ['notifications/subscriptions/acknowledged'] : [])

  async function modernStreams() {
    const notifications = { toolsListChanged: true }
    const listening = sendModern(handler, { id: 'l', method: 'subscriptions/listen', params: { notifications } })
    await listening.answered
    await listening.sink?.received(1)
    const meta = { progressToken: 'p', 'io.modelcontextprotocol/logLevel': 'info' }
    return [listening, sendModern(handler, { id: 'c', params, meta })] as const
  }

  async function handshakeStreams() {
    const session = await openSession(handler)
    const headers = { ...session.headers, accept: 'text/event-stream' }
    const listening = new FakeExchange({ ...session, method: 'GET', headers })
    void handler(listening)
    await listening.answered
    const body = { ...callOf('c'), params: { ...params, _meta: { progressToken: 'p' } } }
    return [listening, post(handler, body, session)] as const
  }
})

requirement('http:sse:keep-alive-from-the-start', async ({ isModern }) => {
  const { handler: tool, release } = waitingTool()
  const handler = handlerOf(serverWith(tool), { streamAfterMs: 5, keepAliveMs: 5 })
  const call = isModern
    ? sendModern(handler, { params: { name: 'run' } })
    : post(handler, callOf('a'), await openSession(handler))
  await call.answered
  await vi.waitFor(() => expect(call.sink?.comments.length).toBeGreaterThan(1))
  expect(call.sink?.messages).toEqual([])
  release()
  await call.sink?.ended.promise
  expect(call.sink?.messages).toMatchObject([{ result: DONE }])
})
