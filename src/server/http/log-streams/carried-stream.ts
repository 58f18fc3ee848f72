// The stream of another node, carried to a client that has resumed it here.
import type { LogEntry, LogPage } from '../../../backend/logs.ts'
import type { HttpExchange } from '../../../http/exchange.ts'
import { BoundedSink } from '../streams/bounded-sink.ts'
import type { StreamSettings } from '../streams/event-stream.ts'
import { LogReader } from './log-reader.ts'
import type { CarriedLog, LogStreams, WriterAnswer } from './log-streams.ts'
import { endLostLog } from './lost-writer.ts'
import { type EventName, writerOf } from './stream-name.ts'

/** The writer is asked again after so many seconds, and every second while it is silent. */
const ASK_EVERY = 5

export class CarriedStream implements CarriedLog {
  readonly writer: string
  readonly #streams: LogStreams
  readonly #log: string
  readonly #event: EventName
  readonly #onClosed: (stream: CarriedStream) => void
  #reader: LogReader | undefined
  #sink: BoundedSink | undefined
  #stopWatching: (() => void) | undefined
  #answer: WriterAnswer | undefined
  #ticks = 0
  #isAsking = false
  #isClosed = false

  constructor(streams: LogStreams, log: string, event: EventName, onClosed: (stream: CarriedStream) => void) {
    this.#streams = streams
    this.#log = log
    this.#event = event
    this.writer = writerOf(event.stream)
    this.#onClosed = onClosed
  }

  get isConnected(): boolean {
    return this.#sink !== undefined && !this.#sink.isClosed
  }

  /**
   * Whether the stream can go on here, before anything is answered: its writer goes on, is silent for a moment, or was lost, and
   * then the log has ended. Rejects with what the backend throws.
   */
  async prepare(): Promise<boolean> {
    // From here on hints are taken, so that none is lost between the answer of the writer and the first look.
    this.#streams.carry(this.#log, this)
    const answer = await this.#streams.askWriter(this.writer, this.#log)
    this.#answer = answer
    if (answer === 'broken') return false
    if (answer === 'following') return true
    if (answer === undefined && (await this.#streams.isAlive(this.writer))) return true
    return this.#endInItsPlace()
  }

  /** Answers the exchange with everything after the event, and with what follows. */
  connect(exchange: HttpExchange, settings: StreamSettings, page: LogPage | undefined): void {
    const sink = new BoundedSink(exchange.stream(), settings)
    this.#sink = sink
    const { stream } = this.#event
    const reader = new LogReader(
      {
        logs: this.#streams.logs,
        log: this.#log,
        stream,
        sink,
        report: (fault) => settings.report(fault),
        onEnd: () => this.close(),
      },
      this.#event,
    )
    this.#reader = reader
    sink.onCut = () => this.close()
    this.#stopWatching = exchange.onGone(() => this.close())
    reader.start(page)
    // What was stored since the page was read.
    reader.look()
  }

  look(entry?: LogEntry, isLast?: boolean): void {
    this.#reader?.look(entry, isLast)
  }

  /** Once a second. */
  tick(): void {
    this.#ticks += 1
    this.look()
    if (this.#answer === 'following' && this.#ticks % ASK_EVERY !== 0) return
    if (this.#reader !== undefined && !this.#isAsking && !this.#isClosed) void this.#checkWriter()
  }

  replace(): void {
    this.close()
  }

  /** Idempotent. */
  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#streams.release(this.#log, this)
    this.#reader?.end('gone')
    this.#stopWatching?.()
    this.#sink?.end()
    this.#onClosed(this)
  }

  /** Never rejects: an engine that fails is asked again. */
  async #checkWriter(): Promise<void> {
    this.#isAsking = true
    try {
      const answer = await this.#streams.askWriter(this.writer, this.#log)
      this.#answer = answer
      if (answer === 'broken') this.close()
      else if (answer === 'unknown' || (answer === undefined && !(await this.#streams.isAlive(this.writer)))) {
        await this.#endInItsPlace()
        this.look()
      }
    } catch {
      this.#answer = undefined
    } finally {
      this.#isAsking = false
    }
  }

  async #endInItsPlace(): Promise<boolean> {
    const { logs, node } = this.#streams
    return endLostLog(logs, this.#log, node, this.#event.ids)
  }
}
