// A legacy source that does what a test says, a proxy, and two callers in front of it, under a clock that the test moves.
import { vi } from 'vitest'
import { Client } from '../../../../src/client/client.ts'
import type { Channel, Transport } from '../../../../src/dispatcher/channel.ts'
import { createMemoryChannelPair } from '../../../../src/dispatcher/memory-channel.ts'
import { createDeferred, type Deferred } from '../../../../src/primitives/async/promises.ts'
import { createProxy, type ProxyServer } from '../../../../src/proxy/proxy.ts'
import type { ServerRequestContext } from '../../../../src/server/context.ts'
import { Server } from '../../../../src/server/server.ts'
import type { JSONObject } from '../../../../src/types/protocol/json.ts'
import type { RequestId } from '../../../../src/types/protocol/jsonrpc.ts'
import { signedChannel } from '../../../support/signed-channel.ts'

export const PARK_MS = 600_000
export const OWNERS = ['ada', 'bob'] as const
export type Owner = (typeof OWNERS)[number]

const principalOf = (owner: Owner) => ({ clientId: 'app', subject: owner, issuer: 'https://issuer.test' })
const ENVELOPE = { clientCapabilities: { elicitation: { form: {} } } }
const TURNS = 6
const MOST_TURNS = 5_000

/** One question of the source: what was answered, once it is. */
export interface Asked {
  readonly abort: AbortController
  answer: unknown
  answers: number
}

/** A call, as the source sees it. */
export interface Work {
  readonly ctx: ServerRequestContext
  readonly questions: Asked[]
  readonly end: Deferred<void>
  isOver: boolean
}

export interface Scene extends AsyncDisposable {
  readonly proxy: ProxyServer
  /** By the id of the call. */
  readonly work: Map<number, Work>
  /** One round of a call. */
  send(owner: Owner, id: number, more?: JSONObject, signal?: AbortSignal): Promise<JSONObject>
  /** The source asks, and remembers the answer. */
  ask(id: number): void
  /** The connections to the source end. */
  cutOff(): void
  forget(owner: Owner): Promise<void>
  parked(): Promise<number>
}

export function textOf(id: number, question: number): string {
  return `call ${id}, question ${question}`
}

export async function openScene(maxParked = 1_000): Promise<Scene> {
  const work = new Map<number, Work>()
  const server = new Server('source', { supportedVersions: ['2025-11-25'], capabilities: { tools: {} } })
  server.setRequestHandler('tools/call', async (ctx, params) => {
    const { id, isStubborn } = params.arguments as { id: number; isStubborn?: boolean }
    const own: Work = { ctx, questions: [], end: createDeferred(), isOver: false }
    work.set(id, own)
    if (isStubborn !== true) ctx.onAbort(() => own.end.resolve())
    await own.end.promise
    own.isOver = true
    return { content: [{ type: 'text' as const, text: `result ${id}` }] }
  })
  const backs: Channel[] = []
  const target: Transport = {
    kind: 'memory',
    open: async () => {
      const [here, there] = relatingPair()
      backs.push(there)
      await server.connect(there)
      return here
    },
  }
  const proxy = createProxy(target, { mode: 'legacy', parkMs: PARK_MS, maxParked, onFault: () => {} })
  const clients = new Map<Owner, Client>()
  for (const owner of OWNERS) {
    const front: Transport = {
      kind: 'memory',
      open: async () => {
        const [here, there] = createMemoryChannelPair()
        await proxy.connect(signedChannel(there, { ...principalOf(owner), scopes: [] }))
        return here
      },
    }
    clients.set(owner, (await passTime(Client.connect(front, { mode: '2026-07-28' }))) as Client)
  }
  return {
    proxy,
    work,
    send: (owner, id, more = {}, signal) =>
      (clients.get(owner) as Client).session.sendRaw(
        'tools/call',
        { name: 'work', arguments: { id, isStubborn: id % 3 === 0 }, ...more },
        { envelope: ENVELOPE, timeoutMs: Infinity, ...(signal !== undefined && { signal }) },
      ) as Promise<JSONObject>,
    ask: (id) => askFor(work.get(id) as Work, id),
    cutOff: () => {
      for (const back of backs.splice(0)) void back.close()
    },
    forget: (owner) => proxy.forget(principalOf(owner)),
    parked: async () => (await proxy.health())[0]?.parked ?? 0,
    [Symbol.asyncDispose]: async () => {
      for (const { end } of work.values()) end.resolve()
      await passTime(Promise.all([...clients.values()].map((client) => client.close())))
      await passTime(proxy.close())
      await passTime(server.close())
    },
  }
}

/** As over HTTP: what the source sends during a call says which call that is. */
function relatingPair(): [Channel, Channel] {
  const [here, there] = createMemoryChannelPair()
  const related: (RequestId | undefined)[] = []
  const back: Channel = {
    start: (receiver) =>
      here.start({
        message: (message, hints) => {
          const relatedRequestId = related.shift()
          return receiver.message(message, { ...hints, ...(relatedRequestId !== undefined && { relatedRequestId }) })
        },
        fault: (fault) => receiver.fault(fault),
        lost: (id, reason) => receiver.lost(id, reason),
        closed: (reason) => receiver.closed(reason),
      }),
    send: (message, hints) => here.send(message, hints),
    close: () => here.close(),
  }
  const source: Channel = {
    start: (receiver) => there.start(receiver),
    send: (message, hints) => {
      related.push(hints?.relatedRequestId)
      return there.send(message, hints)
    },
    close: () => there.close(),
  }
  return [back, source]
}

function askFor({ ctx, questions }: Work, id: number): void {
  const asked: Asked = { abort: new AbortController(), answer: undefined, answers: 0 }
  const message = textOf(id, questions.length)
  questions.push(asked)
  const requestedSchema = { type: 'object', properties: { text: { type: 'string' } } }
  const settle = (answer: unknown) => {
    asked.answer = answer
    asked.answers += 1
  }
  ctx.dispatch
    .sendRawRequest(
      'elicitation/create',
      { message, requestedSchema },
      {
        timeoutMs: Infinity,
        signal: asked.abort.signal,
      },
    )
    .then(settle, () => settle('failed'))
}

/** Stops the clock. What is loaded with the first call is loaded before, since no clock knows how long that takes. */
export async function stopClock(): Promise<void> {
  await using scene = await openScene()
  const first = scene.send('ada', 1)
  await until(() => scene.work.has(1))
  scene.ask(1)
  const { requestState } = await first
  const last = scene.send('ada', 1, { requestState, inputResponses: { q1: { action: 'decline' } } } as JSONObject)
  scene.work.get(1)?.end.resolve()
  await last
  await scene.send('ada', 1, { requestState } as JSONObject).catch(() => {})
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] })
}

export async function until(isTrue: () => boolean): Promise<void> {
  for (let n = 0; n < MOST_TURNS || !vi.isFakeTimers(); n += 1) {
    if (isTrue()) return
    await turns(1)
  }
  throw new Error(`It did not happen within ${MOST_TURNS} turns.`)
}

/** Lets messages cross that are under way: they go through queues of this process alone. */
export async function turns(count = TURNS): Promise<void> {
  for (let n = 0; n < count; n += 1) {
    if (vi.isFakeTimers()) await vi.advanceTimersByTimeAsync(1)
    await new Promise((resolve) => setImmediate(resolve))
  }
}

/** Seals are made in another thread, which no clock knows of. */
export async function passTime<T>(work: Promise<T>): Promise<T> {
  let isSettled = false
  const settle = () => {
    isSettled = true
  }
  work.then(settle, settle)
  for (let n = 0; !isSettled && (n < MOST_TURNS || !vi.isFakeTimers()); n += 1) await turns(1)
  if (!isSettled) throw new Error(`Nothing came within ${MOST_TURNS} turns.`)
  return work
}
