import { describe, expect, it, vi } from 'vitest'
import { createDeferred } from '../../../../src/primitives/async/promises.ts'
import {
  createListenHandler,
  type ListenContext,
  type ListenOptions,
} from '../../../../src/server/subscriptions/listen.ts'
import { createSubscriptionBus, type SubscriptionBus } from '../../../../src/server/subscriptions/subscriptions.ts'
import type { SubscriptionFilter } from '../../../../src/types/features/subscriptions.ts'
import type { JSONObject } from '../../../../src/types/protocol/json.ts'
import { checkNotification, checkResult } from '../../../../src/wire/check.ts'

const ID = 'io.modelcontextprotocol/subscriptionId'
const ACKNOWLEDGED = 'notifications/subscriptions/acknowledged'
const TOOLS = 'notifications/tools/list_changed'
const UPDATED = 'notifications/resources/updated'

type Sent = [method: string, params: JSONObject]
type Notify = (method: string, params?: JSONObject) => Promise<void>
type Opening = Partial<Omit<ListenContext, 'outbound'>> & { notify?: Notify; isAborted?: boolean }

/** Everything that promises have in store happens before this resolves. */
const settle = () => new Promise<void>((resolve) => setImmediate(resolve))

function setUp(options?: ListenOptions) {
  const bus = createSubscriptionBus()
  const listen = createListenHandler(bus, options)
  const open = (notifications: SubscriptionFilter, { notify, isAborted, ...more }: Opening = {}) => {
    const sent: Sent[] = []
    const remember: Notify = async (method, params = {}) => {
      sent.push([method, params])
    }
    let abort = () => {}
    const context: ListenContext = {
      requestId: 1,
      onAbort: (listener) => {
        abort = () => listener(new Error('gone'))
        if (isAborted) abort()
      },
      outbound: { notify: notify ?? remember },
      ...more,
    }
    const result = listen(context, { notifications })
    result.catch(() => {})
    return { sent, abort: () => abort(), result }
  }
  return { bus, listen, open }
}

const methods = (sent: Sent[]) => sent.map(([method]) => method)
const publishUris = (bus: SubscriptionBus, from: number, to: number) => {
  for (let i = from; i < to; i++) void bus.publish({ type: 'resourceUpdated', uri: `x://${i}` })
}
const anyPart = { isPartOf: () => true }

describe('createListenHandler', () => {
  it('acknowledges first, with what is granted, then tells what was asked for', async () => {
    const { bus, listen, open } = setUp({ supported: () => ({ toolsListChanged: true, resourceSubscriptions: true }) })
    const { sent, result } = open({
      toolsListChanged: true,
      promptsListChanged: true,
      resourceSubscriptions: ['x://a'],
    })
    await bus.publish({ type: 'toolsListChanged' })
    await bus.publish({ type: 'promptsListChanged' })
    await bus.publish({ type: 'resourceUpdated', uri: 'x://a' })
    await bus.publish({ type: 'resourceUpdated', uri: 'x://b' })
    await settle()
    expect(sent).toEqual([
      [
        ACKNOWLEDGED,
        { notifications: { toolsListChanged: true, resourceSubscriptions: ['x://a'] }, _meta: { [ID]: 1 } },
      ],
      [TOOLS, { _meta: { [ID]: 1 } }],
      [UPDATED, { uri: 'x://a', _meta: { [ID]: 1 } }],
    ])
    void listen.close()
    expect(await result).toEqual({ resultType: 'complete', _meta: { [ID]: 1 } })
  })

  it('says everything as the revision spells it', async () => {
    const { bus, listen, open } = setUp()
    const { sent, result } = open(
      { toolsListChanged: true, resourceSubscriptions: ['x://a'] },
      { isStreamShared: true },
    )
    await bus.publish({ type: 'toolsListChanged' })
    await bus.publish({ type: 'resourceUpdated', uri: 'x://a' })
    void listen.close()
    checkResult('subscriptions/listen', '2026-07-28', await result)
    for (const [method, params] of sent) checkNotification(method, '2026-07-28', params, 'server')
    expect(sent).toHaveLength(4)
  })

  it.each([7, '7', 0, ''])('stamps the id %j with its own type', async (requestId) => {
    const { listen, open } = setUp()
    const { sent, result } = open({ toolsListChanged: true }, { requestId })
    void listen.close()
    expect((await result)._meta[ID]).toBe(requestId)
    expect(sent[0]?.[1]['_meta']).toEqual({ [ID]: requestId })
  })

  it('loses nothing that happens while the acknowledgement is on its way', async () => {
    const { bus, open } = setUp()
    const written = createDeferred()
    const sent: string[] = []
    open(
      { toolsListChanged: true },
      {
        notify: (method) => {
          sent.push(method)
          return written.promise
        },
      },
    )
    await bus.publish({ type: 'toolsListChanged' })
    await settle()
    expect(sent).toEqual([ACKNOWLEDGED])
    written.resolve()
    await settle()
    expect(sent).toEqual([ACKNOWLEDGED, TOOLS])
  })

  it('stops at once when the client cancels', async () => {
    const { bus, open } = setUp({ maxSubscriptions: 1 })
    const { sent, abort, result } = open({ toolsListChanged: true }, { isStreamShared: true })
    await settle()
    abort()
    await bus.publish({ type: 'toolsListChanged' })
    await result
    await settle()
    expect(methods(sent)).toEqual([ACKNOWLEDGED])
    const next = open({ toolsListChanged: true })
    await settle()
    expect(methods(next.sent)).toEqual([ACKNOWLEDGED])
  })

  it('does not begin for a request that is cancelled already', async () => {
    const { open } = setUp()
    const { sent, result } = open({}, { isAborted: true })
    await result
    expect(sent).toEqual([])
  })

  it('serves several subscriptions, each with its own filter', async () => {
    const { bus, open } = setUp()
    const one = open({ toolsListChanged: true }, { requestId: 'one' })
    const two = open({ promptsListChanged: true }, { requestId: 'two' })
    await bus.publish({ type: 'promptsListChanged' })
    await settle()
    expect(methods(one.sent)).toEqual([ACKNOWLEDGED])
    expect(two.sent[1]).toEqual(['notifications/prompts/list_changed', { _meta: { [ID]: 'two' } }])
  })

  it('needs an id', async () => {
    await expect(setUp().open({}, { requestId: undefined }).result).rejects.toMatchObject({ code: -32600 })
  })

  it('leaves the bus when the way to the client breaks', async () => {
    const { open } = setUp({ maxSubscriptions: 1 })
    const broken = open({}, { notify: () => Promise.reject(new Error('pipe')) })
    await expect(broken.result).rejects.toThrow('pipe')
    const { sent } = open({})
    await settle()
    expect(methods(sent)).toEqual([ACKNOWLEDGED])
  })
})

describe('limits', () => {
  it('refuses one subscription too many before it is acknowledged', async () => {
    const { open } = setUp({ maxSubscriptions: 2 })
    const first = open({})
    open({})
    const third = open({})
    await expect(third.result).rejects.toMatchObject({ code: -32603, message: 'Subscription limit reached' })
    expect(third.sent).toEqual([])
    first.abort()
    await first.result
    expect(methods(open({}).sent)).toEqual([ACKNOWLEDGED])
  })

  it('counts by connection where there is one', async () => {
    const { open } = setUp({ maxPerConnection: 1 })
    const [greedy, other] = [{}, {}]
    const first = open({}, { connection: greedy })
    await expect(open({}, { connection: greedy }).result).rejects.toMatchObject({ code: -32603 })
    expect(methods(open({}, { connection: other }).sent)).toEqual([ACKNOWLEDGED])
    first.abort()
    await first.result
    expect(methods(open({}, { connection: greedy }).sent)).toEqual([ACKNOWLEDGED])
  })

  it('allows 100 to a connection, and as many in all as HTTP lets in', async () => {
    const { open } = setUp()
    const connection = {}
    for (let i = 0; i < 100; i++) open({}, { connection })
    await expect(open({}, { connection }).result).rejects.toMatchObject({ code: -32603 })
    for (let i = 100; i < 10_000; i++) open({})
    await expect(open({}).result).rejects.toMatchObject({ message: 'Subscription limit reached' })
  })

  it('ends the subscription of a client that does not read, and frees its place', async () => {
    const { bus, open } = setUp({ ...anyPart, maxBacklog: 3, maxSubscriptions: 1 })
    const stuck = vi.fn(() => new Promise<void>(() => {}))
    const { result } = open({ resourceSubscriptions: ['x://'] }, { notify: stuck })
    publishUris(bus, 0, 3)
    await settle()
    await expect(open({}).result).rejects.toMatchObject({ message: 'Subscription limit reached' })
    publishUris(bus, 3, 4)
    await expect(result).rejects.toMatchObject({ code: -32603, message: expect.stringContaining('too slow') })
    expect(stuck).toHaveBeenCalledTimes(1)
    expect(methods(open({}).sent)).toEqual([ACKNOWLEDGED])
  })

  it('F102 a storm of the same change never overruns a slow client', async () => {
    const { bus, open } = setUp({ maxBacklog: 1 })
    const sent: string[] = []
    const gate = createDeferred()
    open(
      { toolsListChanged: true },
      {
        notify: (method) => {
          sent.push(method)
          return gate.promise
        },
      },
    )
    for (let i = 0; i < 10_000; i++) void bus.publish({ type: 'toolsListChanged' })
    gate.resolve()
    await settle()
    expect(sent).toEqual([ACKNOWLEDGED, TOOLS])
  })

  it('a publisher that waits for the bus never overruns a client that reads', async () => {
    const { bus, open } = setUp(anyPart)
    const { sent } = open({ resourceSubscriptions: ['x://'] }, {})
    for (let i = 0; i < 3000; i++) await bus.publish({ type: 'resourceUpdated', uri: `x://${i}` })
    await settle()
    expect(sent).toHaveLength(3001)
  })
})

describe('close', () => {
  it('ends all in good order: what waits is told, then the result', async () => {
    const { bus, listen, open } = setUp()
    const { sent, result } = open({ toolsListChanged: true })
    void bus.publish({ type: 'toolsListChanged' })
    void listen.close()
    await result
    expect(methods(sent)).toEqual([ACKNOWLEDGED, TOOLS])
  })

  it('S-CAN-05 says so on a stream that others share, before the result', async () => {
    const { listen, open } = setUp()
    const { sent, result } = open({}, { requestId: 'a', isStreamShared: true })
    void listen.close()
    await result
    expect(sent[1]).toEqual(['notifications/cancelled', { requestId: 'a', _meta: { [ID]: 'a' } }])
  })

  it('frees every place, for a server that starts again', async () => {
    const { listen, open } = setUp({ maxSubscriptions: 1 })
    const { result } = open({})
    void listen.close()
    await result
    const { sent } = open({})
    await settle()
    expect(methods(sent)).toEqual([ACKNOWLEDGED])
  })

  it('is cut short by a client that cancels meanwhile', async () => {
    const { listen, open } = setUp()
    const { abort, result } = open({}, { notify: () => new Promise(() => {}) })
    void listen.close()
    abort()
    await expect(result).resolves.toBeDefined()
  })
})

describe('a bus of one’s own', () => {
  it('is left when the subscription ends, even by one that tells too much at once', async () => {
    let leaves = 0
    const eager: SubscriptionBus = {
      publish: async () => {},
      subscribe: (listener) => {
        for (let i = 0; i < 5; i++) listener({ type: 'resourceUpdated', uri: `x://${i}` })
        return () => {
          leaves += 1
        }
      },
    }
    const listen = createListenHandler(eager, { ...anyPart, maxBacklog: 3, maxSubscriptions: 1 })
    const context = { requestId: 1, onAbort: () => {}, outbound: { notify: async () => {} } }
    const params = { notifications: { resourceSubscriptions: ['x://'] } }
    for (let i = 0; i < 2; i++) {
      await expect(listen(context, params)).rejects.toMatchObject({ message: expect.stringContaining('too slow') })
    }
    expect(leaves).toBe(2)
  })

  it('that cannot be subscribed to fails the request and keeps no place', async () => {
    const broken: SubscriptionBus = {
      publish: async () => {},
      subscribe: () => {
        throw new Error('no bus today')
      },
    }
    const listen = createListenHandler(broken, { maxSubscriptions: 1 })
    const context = { requestId: 1, onAbort: () => {}, outbound: { notify: async () => {} } }
    for (let i = 0; i < 2; i++) {
      await expect(listen(context, { notifications: {} })).rejects.toThrow('no bus today')
    }
  })
})
