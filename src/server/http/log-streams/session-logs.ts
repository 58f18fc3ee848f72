// The streams of one session on a backend: opened on this node, resumed on any.
import type { HttpExchange } from '../../../http/exchange.ts'
import type { RequestId } from '../../../types/protocol/jsonrpc.ts'
import type { EventStream, Resumption, StreamSettings } from '../streams/event-stream.ts'
import { CarriedStream } from './carried-stream.ts'
import { type ListeningRecord, LogStandalone } from './log-standalone.ts'
import type { LogStreams } from './log-streams.ts'
import type { LogOwner } from './log-use.ts'
import { type EventName, logOf, parseEventId } from './stream-name.ts'

/** As many as a session may have requests in flight on one node. */
const MAX_CARRIED = 256

export class SessionLogs {
  /** The stream that the client opens with GET. */
  readonly standalone: LogStandalone
  readonly #streams: LogStreams
  readonly #settings: StreamSettings
  readonly #key: string
  readonly #owner: LogOwner
  readonly #carried = new Set<CarriedStream>()

  /** `key` names the streams of the session: the same on all nodes, known to nobody else. */
  constructor(streams: LogStreams, settings: StreamSettings, key: string, record: ListeningRecord, owner: LogOwner) {
    this.#owner = owner
    this.standalone = new LogStandalone(streams, settings, key, record)
    this.#streams = streams
    this.#settings = settings
    this.#key = key
  }

  /** Whether a connection of this node carries the stream of another one, or that of the session. */
  get areConnected(): boolean {
    if (this.standalone.isConnected) return true
    for (const stream of this.#carried) if (stream.isConnected) return true
    return false
  }

  /** Opens a stream for the answers to these requests. */
  open(ids: readonly RequestId[]): EventStream {
    return this.#streams.open(this.#settings, this.#key, this.#owner, ids)
  }

  /**
   * Continues a stream after an event, whichever node writes or carries it. Answers nothing unless it returns `resumed`.
   * `undefined` for an id that no stream in a log has.
   */
  async resume(exchange: HttpExchange, lastEventId: string): Promise<Resumption | undefined> {
    const event = parseEventId(lastEventId)
    if (event === undefined) return undefined
    try {
      const outcome = await this.standalone.resume(exchange, event)
      return outcome ?? (this.#settings.isOnLogs === true ? await this.#resume(exchange, event) : undefined)
    } catch (error) {
      this.#settings.report({ kind: 'transport', message: 'An event stream could not be resumed.', error })
      return 'unavailable'
    }
  }

  async close(): Promise<void> {
    for (const stream of this.#carried) stream.close()
    await this.standalone.close()
  }

  async #resume(exchange: HttpExchange, event: EventName): Promise<Resumption> {
    const log = logOf(this.#key, event.stream)
    const own = this.#streams.reclaim(log)
    if (own !== undefined) return own.resume(exchange, `${event.seq}`)
    if (this.#carried.size >= MAX_CARRIED) return 'unavailable'
    const stream = new CarriedStream(this.#streams, log, event, (closed) => this.#carried.delete(closed))
    this.#carried.add(stream)
    let outcome: Resumption = 'unavailable'
    try {
      outcome = await this.#carry(exchange, stream, log, event)
    } finally {
      if (outcome !== 'resumed') stream.close()
    }
    return outcome
  }

  async #carry(exchange: HttpExchange, stream: CarriedStream, log: string, { seq }: EventName): Promise<Resumption> {
    const page = await this.#streams.logs.read(log, seq)
    if (page === undefined && seq > 0) return 'unknown'
    if (page?.isEnded !== true && !(await stream.prepare())) return 'unknown'
    stream.connect(exchange, this.#settings, page)
    return 'resumed'
  }
}
