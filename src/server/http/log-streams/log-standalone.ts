// The stream that a client opens with GET, where any node may send on it: a log with many writers, carried by one node at a time.
import { BackendError } from '../../../backend/backend-error.ts'
import type { LogPage } from '../../../backend/logs.ts'
import type { HttpExchange } from '../../../http/exchange.ts'
import { isThenable, type MaybePromise } from '../../../primitives/async/promises.ts'
import { monotonicNow } from '../../../primitives/async/timer.ts'
import { randomName } from '../../cluster/digest.ts'
import type { Listening } from '../../cluster/session-record.ts'
import type { Resumption, StreamSettings } from '../streams/event-stream.ts'
import { Holding } from './holding.ts'
import { eventEntryOf, turnEntryOf } from './log-entry.ts'
import type { ReaderEnd } from './log-reader.ts'
import type { LogStreams, StandaloneLog } from './log-streams.ts'
import { readAfter } from './read-after.ts'
import { createStreamName, type EventName, logOf, type Position } from './stream-name.ts'

/** The log lives as long after its last entry; the node that holds the stream adds one in time. */
const TTL_MS = 30 * 60_000
const KEEP_ALIVE_MS = TTL_MS / 3

/** Messages that wait for a client which does not listen, and those that a client which listens may still ask for. */
const WAITING = { maxEntries: 256, maxBytes: 1024 * 1024 }
/** The last message that was sent stays beside them: by its mark it is known that they follow it. */
const WAITING_AFTER = { ...WAITING, maxEntries: WAITING.maxEntries + 1 }
const SENT = { maxEntries: 1_000, maxBytes: 16 * 1024 * 1024 }

/** Clients open their stream right after the handshake; one that has not done so by then is taken to open none. */
const FIRST_STREAM_MS = 10_000

/** When clients of a node that ends are to open the stream again. */
const MIN_RETURN_MS = 100
const MAX_RETURN_MS = 2_000

/** Other nodes may take the stream at the same time. */
const MAX_TRIES = 4

/** The part of a session's record that says who listens. Rejects with `BackendError` where the engine does not answer. */
export interface ListeningRecord {
  /** As last read. */
  readonly listening: Listening | undefined
  /** Reads it anew. */
  check(): Promise<unknown>
  /** Changes it for all nodes. `change` may be called several times, and returns `undefined` where nothing is to change. */
  change(change: (listening: Listening | undefined) => Listening | undefined): Promise<unknown>
  /** This node has the stream: what is sent from here on goes to its connection only. */
  onHeld(): void
}

export class LogStandalone implements StandaloneLog {
  readonly log: string
  readonly #streams: LogStreams
  readonly #settings: StreamSettings
  readonly #record: ListeningRecord
  readonly #createdAt = monotonicNow()
  /** Unique to this object, because it counts its messages from 1. */
  readonly #writer: string
  readonly #markStart = randomName(6)
  #nth = 0
  #lastPostAt = monotonicNow()
  #holding: Holding | undefined
  /** How far the last connection of this node came: the record says so a little later. */
  #released: { readonly turn: number; readonly sent: Position } | undefined
  #releasing: Promise<void> | undefined
  #isOpening = false
  #hasReported = false

  constructor(streams: LogStreams, settings: StreamSettings, streamKey: string, record: ListeningRecord) {
    this.#streams = streams
    this.#settings = settings
    this.#record = record
    this.log = logOf(streamKey, '0')
    this.#writer = `${streams.node}.${this.#markStart}`
    streams.addStandalone(this)
  }

  /** Whether this node carries it to the client. */
  get isConnected(): boolean {
    return this.#holding?.isConnected ?? false
  }

  /** Whether the client has opened it, on whichever node, also if it is not connected right now. */
  get wasOpened(): boolean {
    return this.#listening !== undefined
  }

  /** Whether a request that is sent here can be expected to arrive. */
  get canReachClient(): boolean {
    return this.wasOpened || monotonicNow() - this.#createdAt < FIRST_STREAM_MS
  }

  /** Whether it has a connection here, or is about to. */
  get isHeld(): boolean {
    return this.isConnected || this.#isOpening
  }

  sentIn(turn: number): Position | undefined {
    return this.#released?.turn === turn ? this.#released.sent : undefined
  }

  send(text: string): Promise<void> | undefined {
    const data = eventEntryOf(text, this.#nextMark())
    try {
      const seq = this.#post(data)
      if (!isThenable(seq)) return this.#onPosted(seq, data)
      return seq.then(
        (number) => this.#onPosted(number, data),
        (error: unknown) => this.#sendUnstored(text, error),
      )
    } catch (error) {
      return this.#sendUnstored(text, error)
    }
  }

  /** Opens it here, unless a connection has it: then nothing is answered, and `taken` returned. */
  async open(exchange: HttpExchange, isPrimed: boolean): Promise<'opened' | 'taken' | 'unavailable'> {
    if (this.isHeld) return 'taken'
    return this.#whileOpening(exchange, 'unavailable', async () => {
      for (let tries = 0; tries < MAX_TRIES; tries++) {
        await this.#record.check()
        const before = this.#listening
        const sent = await this.#sentBy(before)
        if (sent === 'held') return 'taken'
        const { page, after } = await this.#waiting(sent)
        const next = this.#nextTurn(before, createStreamName(this.#streams.node), after)
        if (!(await this.#take(before, next))) continue
        if (after.seq > sent.seq) this.#reportDropped()
        await this.#hold(exchange, before, next, isPrimed, page)
        return 'opened'
      }
      return 'taken'
    })
  }

  /** Continues it here after an event, whoever has it. `undefined` where the event is of another stream. */
  async resume(exchange: HttpExchange, { stream, seq, mark }: EventName): Promise<Resumption | undefined> {
    await this.#record.check()
    if (this.#listening?.stream !== stream) return undefined
    return this.#whileOpening<Resumption>(exchange, 'unavailable', async () => {
      for (let tries = 0; tries < MAX_TRIES; tries++) {
        const before = this.#listening
        if (before?.stream !== stream) return 'unknown'
        const page = await readAfter(this.#streams.logs, this.log, { seq, mark })
        if (page === 'lost') return 'unknown'
        const isWhole = page === undefined ? seq === 0 : (page.entries[0]?.seq ?? seq + 1) === seq + 1
        if (!isWhole) return 'unknown'
        const next = this.#nextTurn(before, stream, { seq, mark })
        if (await this.#take(before, next)) {
          await this.#hold(exchange, before, next, false, page)
          return 'resumed'
        }
        await this.#record.check()
      }
      return 'unavailable'
    })
  }

  /** Once a second. */
  keepAlive(): void {
    const holding = this.#holding
    if (holding?.isConnected !== true || holding.sent.seq === 0) return
    if (monotonicNow() - this.#lastPostAt < KEEP_ALIVE_MS) return
    try {
      void Promise.resolve(this.#post(eventEntryOf('', this.#nextMark()))).catch(() => {})
    } catch {
      // As any message that is not stored; the log is there for a while yet.
    }
  }

  /** Clients come back after different times, so that not all of them do at once. */
  leave(): void {
    this.#holding?.leave(MIN_RETURN_MS + Math.random() * (MAX_RETURN_MS - MIN_RETURN_MS))
  }

  /** Resolves when the record says where the last connection ended: the backend is not closed before that. */
  async close(): Promise<void> {
    this.#streams.removeStandalone(this)
    this.#holding?.close()
    await this.#releasing
  }

  get #listening(): Listening | undefined {
    return this.#record.listening
  }

  #nextMark(): string {
    return this.#markStart + (this.#nth + 1).toString(36)
  }

  #post(data: string): MaybePromise<number> {
    this.#nth += 1
    this.#lastPostAt = monotonicNow()
    const { isOpen, sent = 0 } = this.#listening ?? {}
    const limits = this.isConnected || isOpen === true ? SENT : sent === 0 ? WAITING : WAITING_AFTER
    return this.#streams.logs.post(this.log, data, { writer: this.#writer, nth: this.#nth, ttlMs: TTL_MS, ...limits })
  }

  #onPosted(seq: number, data: string): undefined {
    this.#holding?.onPosted({ seq, data })
    const { isOpen, sent = 0 } = this.#listening ?? {}
    if (isOpen !== true && seq - sent > WAITING.maxEntries) this.#reportDropped()
  }

  /** Only where it is sure that the message is not in the log, from where it would be sent once more. */
  #sendUnstored(text: string, error: unknown): Promise<void> | undefined {
    const isNotStored = error instanceof BackendError && error.outcome === 'not-done'
    if (!isNotStored || this.#holding?.isConnected !== true) return Promise.reject(error)
    const message = 'The backend failed to store a message. It was sent and cannot be resumed.'
    this.#settings.report({ kind: 'transport', message, error })
    return this.#holding.sendUnstored(text)
  }

  async #whileOpening<T>(exchange: HttpExchange, failure: T, work: () => Promise<T>): Promise<T> {
    this.#isOpening = true
    try {
      return await work()
    } catch (error) {
      if (exchange.isAnswered) throw error
      this.#settings.report({ kind: 'transport', message: 'The stream of a session could not be opened.', error })
      return failure
    } finally {
      this.#isOpening = false
    }
  }

  /** How far the connection before came; `held` where it still carries the stream. */
  async #sentBy(before: Listening | undefined): Promise<Position | 'held'> {
    if (before === undefined) return { seq: 0 }
    const { node, turn, isOpen, sent: seq, mark } = before
    const known = { seq, mark }
    if (!isOpen) return known
    if (node === this.#streams.node) return this.sentIn(turn) ?? known
    const answer = await this.#streams.askHolder(node, this.log, turn)
    if (answer === true) return 'held'
    return answer === false || answer.seq < seq ? known : answer
  }

  /** What a client that opens a new stream has not been sent. */
  async #waiting(sent: Position): Promise<{ readonly page: LogPage | undefined; readonly after: Position }> {
    const { logs } = this.#streams
    const follows = await readAfter(logs, this.log, sent)
    // The engine has lost what was sent: all that it has now may be new to the client.
    const page = follows === 'lost' ? await logs.read(this.log, 0, { fromOldest: true }) : follows
    if (page === undefined) return { page, after: { seq: 0 } }
    const oldest = page.entries[0]?.seq ?? page.lastSeq + 1
    // What waited for too long is gone.
    return { page, after: oldest === sent.seq + 1 && follows !== 'lost' ? sent : { seq: oldest - 1 } }
  }

  #nextTurn(before: Listening | undefined, stream: string, { seq: sent, mark }: Position): Listening {
    const turn = (before?.turn ?? 0) + 1
    return { node: this.#streams.node, stream, turn, sent, ...(mark !== undefined && { mark }), isOpen: true }
  }

  /** Puts the new turn into the record, unless another one came first. */
  async #take(before: Listening | undefined, next: Listening): Promise<boolean> {
    let isTaken = false
    await this.#record.change((now) => {
      // The first try may have been done without our hearing of it.
      const isOurs = now?.turn === next.turn && now.stream === next.stream
      isTaken = isOurs || (now?.turn ?? 0) === (before?.turn ?? 0)
      return isTaken && !isOurs ? next : undefined
    })
    return isTaken
  }

  async #hold(
    exchange: HttpExchange,
    before: Listening | undefined,
    { stream, turn, sent, mark }: Listening,
    isPrimed: boolean,
    page: Parameters<Holding['start']>[0],
  ): Promise<void> {
    this.#holding?.replace()
    // The order of the log decides for whoever held the stream: what comes after this entry is not its to send.
    if (before?.isOpen === true && before.node !== this.#streams.node) await this.#post(turnEntryOf(turn))
    const held = { log: this.log, stream, turn, after: { seq: sent, mark } }
    const holding = new Holding(this.#streams, this.#settings, exchange, held, (reason) => this.#onEnd(holding, reason))
    this.#holding = holding
    this.#hasReported = false
    if (isPrimed) holding.prime(this.#settings.retryMs)
    holding.start(page)
    this.#record.onHeld()
  }

  /** The next connection begins where this one has ended. */
  #onEnd(holding: Holding, reason: ReaderEnd): void {
    if (this.#holding === holding) this.#holding = undefined
    if (reason === 'replaced') {
      // The record says who has it now, and who announces changes to the client with it.
      void this.#record.check().catch(() => {})
      return
    }
    const { turn, sent } = holding
    this.#released = { turn, sent }
    const message = 'The end of a connection could not be stored. The next one may get messages once more.'
    this.#releasing = this.#record
      .change((now) =>
        now?.turn === turn && now.isOpen ? { ...now, isOpen: false, sent: sent.seq, mark: sent.mark } : undefined,
      )
      .then(
        () => {},
        (error: unknown) => this.#settings.report({ kind: 'transport', message, error }),
      )
  }

  #reportDropped(): void {
    if (this.#hasReported) return
    this.#hasReported = true
    const message = 'A client has no event stream open. Its oldest messages were dropped.'
    this.#settings.report({ kind: 'overflow', message })
  }
}
