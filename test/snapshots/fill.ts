// Writes one of everything that a backend keeps, and says how to find it again.
import { onTestFinished } from 'vitest'
import type { Backend } from '../../src/backend/backend.ts'
import type { Claim, NewTask } from '../../src/backend/task-store.ts'
import { MCPServer } from '../../src/mcpserver/mcpserver.ts'
import { RawClient, StreamReader, startCluster } from '../cluster/cluster.ts'

const DAY = 86_400_000

/** What a reader must know of what was written. */
export interface Facts {
  /** Milliseconds since 1970, when it was written. */
  readonly writtenAt: number
  readonly revision: string
  readonly sessionId: string
  /** Of the last message that the client of the session has read. */
  readonly lastEventId: string
  readonly leased: Claim
}

export function taskOf(id: string, change: Partial<NewTask> = {}): NewTask {
  const times = { ttlMs: DAY, keepMs: DAY, pollIntervalMs: 500, maxAttempts: 3 }
  return { id, owner: 'ada', kind: 'report', dialect: 'extension', input: '{"ä":1}', ...times, ...change }
}

export const CLAIM = { kinds: ['report'], max: 1, leaseMs: 600_000 }
export const POST = { ttlMs: DAY, maxEntries: 3, maxBytes: 10_000 }

/** The server of a snapshot: each release has to serve the sessions that another one has begun. */
export function createSnapshotServer(backend: Backend): MCPServer {
  const server = new MCPServer('snapshot', { backend, logging: true, onFault: () => {} })
  server.tool('count', async (_, ctx) =>
    String(await ctx.session.shared.update('n', (n) => (typeof n === 'number' ? n + 1 : 1))),
  )
  server.tool('announce', async (_, ctx) => {
    await ctx.session.sendToolListChanged()
    return 'done'
  })
  return server
}

export async function fill(backend: Backend): Promise<Facts> {
  await backend.open({ namespace: 'snapshot' })
  const writtenAt = Date.now()
  const { records, logs, limits } = backend
  const tasks = backend.tasks as NonNullable<Backend['tasks']>
  const revision = (await records.put('plain', 'a value: ä \u0000 "quoted"', { ttlMs: DAY })) as string
  for (const seq of [1, 2]) await logs.append('open', { seq, data: `event ${seq}` }, { writer: 'w', ttlMs: DAY })
  await logs.append('ended', { seq: 1, data: 'the only one' }, { writer: 'w', ttlMs: DAY, isLast: true })
  for (const nth of [1, 2, 3, 4, 5]) await logs.post('posted', `message ${nth}`, { writer: 'w', nth, ...POST })
  await limits.take('bucket', { perSecond: 0.001, burst: 3, tokens: 3 })
  await limits.hold('places', 'holder', { max: 1, ttlMs: DAY })
  const claimed = async (id: string) => {
    await tasks.create(taskOf(id))
    return (await tasks.claim('worker', CLAIM))[0] as Claim
  }
  await tasks.finish(await claimed('completed'), { status: 'completed', text: 'the outcome' })
  await tasks.create(taskOf('cancelled'))
  await tasks.cancel('cancelled', 0)
  const parked = await claimed('parked')
  await tasks.keepStep(parked, 'read', '"step"')
  await tasks.ask(parked, { question: '{}' })
  await tasks.park(parked)
  const leased = await claimed('leased')
  await tasks.renew(leased, CLAIM.leaseMs, 'half way')
  await tasks.create(taskOf('ready'))
  return { writtenAt, revision, leased, ...(await fillSession(backend)) }
}

/** A session with a value of its own, and a stream of which its client has read the first message. */
async function fillSession(backend: Backend): Promise<Pick<Facts, 'sessionId' | 'lastEventId'>> {
  const cluster = await startCluster(() => createSnapshotServer(backend), { size: 1 })
  const client = await RawClient.open(cluster, 0)
  const stream = new StreamReader(await client.get(0))
  await client.tool(0, 'count')
  await client.tool(0, 'announce')
  await stream.next()
  const lastEventId = stream.lastEventId as string
  await stream.cancel()
  await client.tool(0, 'announce')
  onTestFinished(() => backend.close())
  return { sessionId: client.sessionId as string, lastEventId }
}
