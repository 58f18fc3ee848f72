// Nodes that share a backend, with the streams of one session on each of them, without the session around.
import { type Fault, FaultReporter } from '../../../../../src/dispatcher/fault.ts'
import { type ClusterNode, startNode } from '../../../../../src/server/cluster/cluster-node.ts'
import type { Listening } from '../../../../../src/server/cluster/session-record.ts'
import type { ListeningRecord, LogStandalone } from '../../../../../src/server/http/log-streams/log-standalone.ts'
import { logStreamsOf } from '../../../../../src/server/http/log-streams/log-streams.ts'
import { SessionLogs } from '../../../../../src/server/http/log-streams/session-logs.ts'
import { parseEventId } from '../../../../../src/server/http/log-streams/stream-name.ts'
import { StreamQueues } from '../../../../../src/server/http/streams/bounded-sink.ts'
import type { EventStream, Resumption, StreamSettings } from '../../../../../src/server/http/streams/event-stream.ts'
import { Heartbeat } from '../../../../../src/server/http/streams/heartbeat.ts'
import type { RequestId } from '../../../../../src/types/protocol/jsonrpc.ts'
import { type DisturbedBackend, disturbedBackend } from '../../../../cluster/disturbed-backend.ts'
import { FakeExchange } from '../../../../support/fake-exchange.ts'

export const SESSION_KEY = 'k'.repeat(43)

export interface TestNode {
  readonly cluster: ClusterNode
  readonly session: SessionLogs
  readonly standalone: LogStandalone
  readonly settings: StreamSettings
  readonly faults: Fault[]
  readonly backend: DisturbedBackend
  /** Opens the stream of a POST on this node. */
  open(ids?: readonly RequestId[]): { stream: EventStream; exchange: FakeExchange }
  resume(lastEventId: string | undefined): Promise<{ outcome: Resumption; exchange: FakeExchange }>
  /** Opens the own stream of the session on this node, or resumes it. */
  listen(lastEventId?: string): Promise<{ outcome: string | undefined; exchange: FakeExchange }>
}

export interface TestNodes extends AsyncDisposable {
  readonly nodes: readonly TestNode[]
}

/** Each node has a backend of its own, which the test can disturb; all of them have the same data. */
export async function startNodes(
  count: number,
  shared: DisturbedBackend = disturbedBackend(),
  isAsync = false,
): Promise<TestNodes> {
  await shared.open()
  const nodes: TestNode[] = []
  // One after the other: nodes that start at once wait a moment for each other, and the timers of some tests stand still.
  for (let index = 0; index < count; index += 1) nodes.push(await startTestNode(disturbedBackend({ shared, isAsync })))
  return {
    nodes,
    async [Symbol.asyncDispose]() {
      for (const { session, cluster } of nodes) {
        await session.close()
        await cluster.close()
      }
    },
  }
}

async function startTestNode(backend: DisturbedBackend): Promise<TestNode> {
  const faults: Fault[] = []
  const reporter = new FaultReporter((fault) => void faults.push(fault))
  const cluster = await startNode(backend, reporter)
  const settings: StreamSettings = {
    store: undefined,
    isOnLogs: true,
    storeTimeoutMs: 600_000,
    report: (fault) => reporter.report(fault),
    queues: new StreamQueues(),
    readerTimeoutMs: 600_000,
    retryMs: 1,
    heartbeat: new Heartbeat(600_000),
  }
  const streams = logStreamsOf(cluster, reporter)
  const session = new SessionLogs(streams, settings, SESSION_KEY, new TestRecord(backend), {
    session: 'session',
    caller: 'ada',
  })
  const { standalone } = session
  return {
    cluster,
    session,
    standalone,
    settings,
    faults,
    backend,
    open(ids = [1]) {
      const stream = session.open(ids)
      const exchange = new FakeExchange({})
      stream.connect(exchange)
      stream.prime()
      return { stream, exchange }
    },
    async listen(lastEventId) {
      const exchange = new FakeExchange({ method: 'GET' })
      const event = parseEventId(lastEventId ?? '')
      if (event === undefined) return { outcome: await standalone.open(exchange, true), exchange }
      return { outcome: await standalone.resume(exchange, event), exchange }
    },
    async resume(lastEventId) {
      const exchange = new FakeExchange({ method: 'GET' })
      return { outcome: (await session.resume(exchange, lastEventId ?? '')) ?? 'unknown', exchange }
    },
  }
}

/** The record of the session, as far as its own stream needs it. */
class TestRecord implements ListeningRecord {
  listening: Listening | undefined
  readonly #backend: DisturbedBackend

  constructor(backend: DisturbedBackend) {
    this.#backend = backend
  }

  async check(): Promise<void> {
    const kept = await this.#backend.records.get('record')
    this.listening = kept === undefined ? undefined : JSON.parse(kept.value)
  }

  async change(change: (listening: Listening | undefined) => Listening | undefined): Promise<void> {
    for (;;) {
      const kept = await this.#backend.records.get('record')
      const next = change(kept === undefined ? undefined : JSON.parse(kept.value))
      if (next === undefined) return this.check()
      const condition = kept === undefined ? 'absent' : { revision: kept.revision }
      const options = { ttlMs: 3_600_000, if: condition } as const
      if ((await this.#backend.records.put('record', JSON.stringify(next), options)) === undefined) continue
      this.listening = next
      return
    }
  }

  onHeld(): void {}
}

export function message(n: number): string {
  return `{"jsonrpc":"2.0","method":"notifications/message","params":{"data":${n}}}`
}

export function answer(id: RequestId = 1): string {
  return JSON.stringify({ jsonrpc: '2.0', id, result: {} })
}
