// The connection that carries the log of a session's own stream, on the node that holds it.
import type { LogEntry, LogPage } from '../../../backend/logs.ts'
import type { HttpExchange } from '../../../http/exchange.ts'
import { BoundedSink } from '../streams/bounded-sink.ts'
import type { StreamSettings } from '../streams/event-stream.ts'
import { LogReader, type ReaderEnd } from './log-reader.ts'
import type { CarriedLog, LogStreams } from './log-streams.ts'
import { type Position, positionText } from './stream-name.ts'

/** Without a hint the log is looked at after 1 s, then after twice as long each time: the connections of a node are many. */
const MAX_PAUSE = 30

export interface Held {
  readonly log: string
  readonly stream: string
  readonly turn: number
  /** Everything up to this entry has been sent before. */
  readonly after: Position
}

export class Holding implements CarriedLog {
  readonly writer = undefined
  readonly turn: number
  readonly #streams: LogStreams
  readonly #held: Held
  readonly #sink: BoundedSink
  readonly #reader: LogReader
  readonly #onEnd: (reason: ReaderEnd) => void
  #stopFollowing: (() => void) | undefined
  #stopWatching: (() => void) | undefined
  #pause = 1
  #ticks = 0
  #isClosed = false
  #isPrimed = false

  /** Answers the exchange. `onEnd` is called once, when the connection has ended. */
  constructor(
    streams: LogStreams,
    settings: StreamSettings,
    exchange: HttpExchange,
    held: Held,
    onEnd: (reason: ReaderEnd) => void,
  ) {
    this.turn = held.turn
    this.#streams = streams
    this.#held = held
    this.#onEnd = onEnd
    const { log, stream, turn, after } = held
    const sink = new BoundedSink(exchange.stream(), settings)
    this.#sink = sink
    this.#reader = new LogReader(
      {
        logs: streams.logs,
        log,
        stream,
        sink,
        turn,
        report: (fault) => settings.report(fault),
        onEnd: (reason) => this.#close(reason),
      },
      after,
    )
    sink.onCut = () => this.#reader.end('gone')
    this.#stopWatching = exchange.onGone(() => this.#reader.end('gone'))
  }

  get isConnected(): boolean {
    return !this.#isClosed && !this.#sink.isClosed
  }

  /** The last entry that was sent. */
  get sent(): Position {
    return this.#reader.position
  }

  /** Spec, Transports: an event with an id and no data, so that a client can resume before it has received anything. */
  prime(retryMs: number): void {
    this.#isPrimed = true
    const { stream, after } = this.#held
    void this.#sink.send({ data: '', id: `${stream}.${positionText(after)}`, retryMs })
  }

  /** Sends what a page has, and what follows. */
  start(page: LogPage | undefined): void {
    const { log } = this.#held
    this.#streams.carry(log, this)
    this.#stopFollowing = this.#streams.logs.follow(log, (entry) => this.look(entry))
    this.#reader.start(page)
    this.#reader.look()
  }

  /** A message that could not be stored goes out without an id. */
  sendUnstored(text: string): Promise<void> | undefined {
    return this.#sink.send(text)
  }

  look(entry?: LogEntry): void {
    this.#pause = 1
    this.#ticks = 0
    this.#reader.look(entry)
  }

  /** This node has added an entry. Where entries of other nodes come before it, its hint comes after theirs. */
  onPosted(entry: LogEntry): void {
    this.#pause = 1
    if (this.#reader.isNext(entry.seq)) this.#reader.look(entry)
  }

  /** Once a second. */
  tick(): void {
    if (this.#sink.isClosed) this.#reader.end('gone')
    this.#ticks += 1
    if (this.#ticks < this.#pause) return
    this.#ticks = 0
    this.#pause = Math.min(this.#pause * 2, MAX_PAUSE)
    this.#reader.look()
  }

  replace(): void {
    this.#reader.end('replaced')
  }

  close(): void {
    this.#reader.end('gone')
  }

  /** Ends the connection. A client that knows events without data learns when to come back. */
  leave(retryMs: number): void {
    const id = `${this.#held.stream}.${positionText(this.sent)}`
    if (this.#isPrimed) void this.#sink.send({ data: '', id, retryMs: Math.round(retryMs) })
    this.close()
  }

  #close(reason: ReaderEnd): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#streams.release(this.#held.log, this)
    this.#stopFollowing?.()
    this.#stopWatching?.()
    this.#sink.end()
    this.#onEnd(reason)
  }
}
