// Who may see, answer, cancel and watch a task: its owner, and nobody else, whichever way is taken.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createMemoryChannelPair } from '../../../src/dispatcher/memory-channel.ts'
import type { MCPServer } from '../../../src/mcpserver/mcpserver.ts'
import { createDeferred } from '../../../src/primitives/async/promises.ts'
import { fakeClock } from '../../../src/testing/fake-clock.ts'
import { withTasks } from '../../../src/testing/with-tasks.ts'
import type { AuthInfo } from '../../../src/types/protocol/auth.ts'
import type { JSONObject } from '../../../src/types/protocol/json.ts'
import { RawPeer } from '../../support/peers.ts'
import { signedChannel } from '../../support/signed-channel.ts'
import { accept, NAME_FORM } from '../kit/support-mcpserver.ts'
import { nextTurn, taskServer } from '../kit/support-tasks.ts'

const META = 'io.modelcontextprotocol/'
const CAPABILITIES = { extensions: { [`${META}tasks`]: {} }, elicitation: { form: {} } }

/** A caller on a channel of its own, who can send anything. */
async function caller(server: MCPServer, auth: AuthInfo | undefined) {
  const [here, there] = createMemoryChannelPair()
  const served = await server.connect(signedChannel(there, auth))
  const peer = new RawPeer(here)
  let id = 0
  const send = (method: string, params: JSONObject, capabilities: JSONObject = CAPABILITIES) => {
    const _meta = { [`${META}protocolVersion`]: '2026-07-28', [`${META}clientCapabilities`]: capabilities }
    peer.send({ jsonrpc: '2.0', id: ++id, method, params: { ...params, _meta } })
  }
  const call = async (method: string, params: JSONObject) => {
    send(method, params)
    return (await peer.next()) as { result?: JSONObject; error?: { code: number; message: string } }
  }
  return { peer, send, call, [Symbol.asyncDispose]: () => served.close() }
}

type Caller = Awaited<ReturnType<typeof caller>>

async function start(who: Caller, name: string): Promise<string> {
  const { result } = await who.call('tools/call', { name, arguments: {} })
  return result?.['taskId'] as string
}

async function until(who: Caller, taskId: string, status: string): Promise<JSONObject> {
  for (;;) {
    const { result } = await who.call('tasks/get', { taskId })
    if (result?.['status'] === status) return result
    await nextTurn()
  }
}

/** The four ways to a task, each with what it got; the acknowledgement of a subscription ends it. */
async function tryAll(who: Caller, taskId: string, key: string) {
  const answers = [
    await who.call('tasks/get', { taskId }),
    await who.call('tasks/update', { taskId, inputResponses: { [key]: accept('stranger') } }),
    await who.call('tasks/cancel', { taskId }),
  ].map(({ error }) => error)
  who.send('subscriptions/listen', { notifications: { taskIds: [taskId] } })
  const acknowledged = (await who.peer.next()) as unknown as { params: { notifications: { taskIds?: string[] } } }
  return { answers, granted: acknowledged.params.notifications.taskIds }
}

const principal = fc.option(
  fc.record(
    {
      clientId: fc.constantFrom('c1', 'c2'),
      scopes: fc.constantFrom(['read'], ['read', 'write']),
      issuer: fc.constantFrom('https://a.example', 'https://b.example'),
      subject: fc.constantFrom('ada', 'grace'),
    },
    { requiredKeys: ['clientId', 'scopes'] },
  ),
  { nil: undefined },
)

function identityOf(auth: Partial<AuthInfo> | undefined): string {
  return auth === undefined ? 'nobody' : JSON.stringify([auth.clientId, auth.issuer ?? null, auth.subject ?? null])
}

describe('the owner of a task', () => {
  it('R16 tasks T-27: whoever is not the owner finds nothing, by get, update, cancel and subscription, and changes nothing', async () => {
    await fc.assert(
      fc.asyncProperty(principal, principal, async (creator, other) => {
        const { server } = taskServer()
        server.tool('ask', { task: 'required' }, async (_args, ctx) => {
          const answer = await ctx.elicit('Name?', NAME_FORM)
          return answer.action === 'accept' ? answer.content.name : answer.action
        })
        await using owner = await caller(server, creator as AuthInfo | undefined)
        await using stranger = await caller(server, other as AuthInfo | undefined)
        const taskId = await start(owner, 'ask')
        const waiting = await until(owner, taskId, 'input_required')
        const [key] = Object.keys(waiting['inputRequests'] as object) as [string]

        if (identityOf(creator) === identityOf(other)) {
          // The same caller, with another token and other scopes.
          expect((await stranger.call('tasks/get', { taskId })).result).toMatchObject({ status: 'input_required' })
        } else {
          const missing = await tryAll(stranger, 'A'.repeat(43), key)
          const foreign = await tryAll(stranger, taskId, key)
          expect(foreign.answers).toEqual(missing.answers)
          expect(foreign.answers.map((error) => error?.code)).toEqual([-32602, -32602, -32602])
          expect(foreign.granted ?? []).toEqual([])
        }
        await owner.call('tasks/update', { taskId, inputResponses: { [key]: accept('owner') } })
        const done = await until(owner, taskId, 'completed')
        expect((done['result'] as JSONObject)['content']).toEqual([{ type: 'text', text: 'owner' }])
        await server.close()
      }),
      { numRuns: 60 },
    )
  })

  it('tasks T-27: the option owner decides, and a caller whom it fails for owns nothing', async () => {
    const { server, faults } = taskServer({
      owner: (ctx) => {
        if (ctx.auth?.clientId === 'broken') throw new Error('no tenant')
        return ctx.auth?.subject
      },
    })
    server.tool('report', { task: 'always' }, () => 'done')
    const auth = (clientId: string, subject: string): AuthInfo => ({ clientId, subject, scopes: [] })
    await using ada = await caller(server, auth('c1', 'ada'))
    await using adaElsewhere = await caller(server, auth('c2', 'ada'))
    await using broken = await caller(server, auth('broken', 'ada'))
    const taskId = await start(ada, 'report')

    expect((await adaElsewhere.call('tasks/get', { taskId })).result).toMatchObject({ taskId })
    expect((await broken.call('tasks/get', { taskId })).error?.code).toBe(-32602)
    expect((await broken.call('tools/call', { name: 'report', arguments: {} })).error?.code).toBe(-32603)
    expect(faults.map(({ error }) => (error as Error).message)).toContain('no tenant')
  })

  it('tasks T-27: a tool that the owner can no longer use hides its tasks, but they can be cancelled', async () => {
    const { server } = taskServer()
    const end = createDeferred()
    const tool = server.tool('report', { task: 'always' }, async (_args, ctx) => {
      await Promise.race([end.promise, new Promise((resolve) => ctx.signal.addEventListener('abort', resolve))])
      ctx.signal.throwIfAborted()
      return 'done'
    })
    await using owner = await caller(server, undefined)
    const taskId = await start(owner, 'report')
    tool.update({ scopes: ['admin'] })
    expect((await owner.call('tasks/get', { taskId })).error?.code).toBe(-32602)
    expect((await owner.call('tasks/update', { taskId, inputResponses: {} })).error?.code).toBe(-32602)
    expect((await owner.call('tasks/cancel', { taskId })).result).toBeDefined()
    tool.update({ scopes: [] })
    await until(owner, taskId, 'cancelled')
    end.resolve()
  })
})

describe('a subscription by taskIds', () => {
  it('tasks T-25: each change is announced with the whole task, to those who were granted the id', async () => {
    const { server } = taskServer()
    server.tool('ask', { task: 'required' }, async (_args, ctx) => {
      await ctx.elicit('Name?', NAME_FORM)
      return 'done'
    })
    await using owner = await caller(server, undefined)
    await using listener = await caller(server, undefined)
    const taskId = await start(owner, 'ask')
    const waiting = await until(owner, taskId, 'input_required')
    listener.send('subscriptions/listen', { notifications: { taskIds: [taskId, 'B'.repeat(43), 'x'] } })
    expect(await listener.peer.next()).toMatchObject({
      method: 'notifications/subscriptions/acknowledged',
      params: { notifications: { taskIds: [taskId] } },
    })
    const [key] = Object.keys(waiting['inputRequests'] as object) as [string]
    await owner.call('tasks/update', { taskId, inputResponses: { [key]: accept('Ada') } })
    const states: JSONObject[] = []
    while (states.at(-1)?.['status'] !== 'completed') {
      const { method, params } = (await listener.peer.next()) as unknown as { method: string; params: JSONObject }
      expect(method).toBe('notifications/tasks')
      states.push(params)
    }
    const { resultType: _type, _meta: _stamp, ...polled } = await until(owner, taskId, 'completed')
    expect(states.at(-1)).toEqual({ ...polled, _meta: { [`${META}subscriptionId`]: 1 } })
  })

  it('tasks T-25: a task that has ended already is announced once, right after the acknowledgement', async () => {
    const { server } = taskServer()
    server.tool('report', { task: 'always' }, () => 'done')
    await using owner = await caller(server, undefined)
    const taskId = await start(owner, 'report')
    await until(owner, taskId, 'completed')
    owner.send('subscriptions/listen', { notifications: { taskIds: [taskId] } })
    expect(await owner.peer.next()).toMatchObject({ method: 'notifications/subscriptions/acknowledged' })
    expect(await owner.peer.next()).toMatchObject({
      method: 'notifications/tasks',
      params: { taskId, status: 'completed', result: { content: [{ text: 'done' }] } },
    })
  })

  it('tasks T-20: a client that did not declare the extension is refused', async () => {
    const { server } = taskServer()
    await using other = await caller(server, undefined)
    other.send('subscriptions/listen', { notifications: { taskIds: ['x'] } }, {})
    expect(await other.peer.next()).toMatchObject({ error: { code: -32021 } })
  })

  it('TQ-14: subscribers hear that the server stops before their stream ends', async () => {
    const { server } = taskServer()
    server.tool('endless', { task: 'always' }, () => new Promise(() => {}))
    await using owner = await caller(server, undefined)
    const taskId = await start(owner, 'endless')
    owner.send('subscriptions/listen', { notifications: { taskIds: [taskId] } })
    await owner.peer.next()
    const closing = server.close()
    expect(await owner.peer.next()).toMatchObject({
      method: 'notifications/tasks',
      params: { status: 'failed', statusMessage: 'The server was stopped before the task had ended.' },
    })
    await closing
  })

  it('traps X-07: a caller that can no longer use the tool hears nothing more of its task', async () => {
    const { server } = taskServer()
    let isVisible = true
    const [first, second] = [createDeferred(), createDeferred()]
    server.tool('hidden', { task: 'always', visible: () => isVisible }, async () => {
      await first.promise
      return 'secret'
    })
    server.tool('shown', { task: 'always' }, async () => {
      await second.promise
      return 'done'
    })
    await using owner = await caller(server, undefined)
    await using listener = await caller(server, undefined)
    const hidden = await start(owner, 'hidden')
    const shown = await start(owner, 'shown')
    listener.send('subscriptions/listen', { notifications: { taskIds: [hidden, shown] } })
    await listener.peer.next()
    isVisible = false
    first.resolve()
    await nextTurn()
    second.resolve()
    expect(await listener.peer.next()).toMatchObject({ params: { taskId: shown, status: 'completed' } })
    isVisible = true
    expect((await owner.call('tasks/get', { taskId: hidden })).result).toMatchObject({ status: 'completed' })
  })

  it('traps X-07: a caller whose token has expired hears nothing more of its task', async () => {
    const clock = fakeClock()
    const { server } = taskServer()
    withTasks(server, { clock })
    const gate = createDeferred()
    server.tool('report', { task: 'always' }, async () => {
      await gate.promise
      return 'secret'
    })
    const expiresAt = Math.floor(clock.now() / 1000) + 10
    await using owner = await caller(server, { clientId: 'app', scopes: [], expiresAt })
    const taskId = await start(owner, 'report')
    owner.send('subscriptions/listen', { notifications: { taskIds: [taskId], toolsListChanged: true } })
    await owner.peer.next()
    await clock.advance(11_000)
    gate.resolve()
    await clock.advance(0)
    server.tool('another', () => '')
    expect(await owner.peer.next()).toMatchObject({ method: 'notifications/tools/list_changed' })
  })
})
