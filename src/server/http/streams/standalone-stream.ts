// The stream that a client opens with GET: for what belongs to no request of its own.
import type { Fault } from '../../../dispatcher/fault.ts'
import type { HttpExchange } from '../../../http/exchange.ts'
import { monotonicNow } from '../../../primitives/async/timer.ts'
import type { SessionStreams } from '../legacy/session-streams.ts'
import type { EventStream } from './event-stream.ts'

/** Messages that wait for a client which is not listening, in number and in characters. */
const MAX_BACKLOG = 256
const MAX_BACKLOG_LENGTH = 1024 * 1024

/** A client opens its stream right after the handshake; one that has not done so by then never will. */
const FIRST_LISTEN_MS = 10_000

export class StandaloneStream {
  readonly #streams: SessionStreams
  readonly #report: (fault: Fault) => void
  readonly #createdAt = monotonicNow()
  #stream: EventStream | undefined
  #backlog: string[] | undefined
  #backlogLength = 0

  constructor(streams: SessionStreams, report: (fault: Fault) => void) {
    this.#streams = streams
    this.#report = report
  }

  get isConnected(): boolean {
    return this.#stream?.isConnected ?? false
  }

  /** Whether the client listens here, or did and may come back. */
  get isHeard(): boolean {
    return this.#stream !== undefined
  }

  /** Whether a request sent here has a chance to be read. */
  get canReachClient(): boolean {
    return this.#stream !== undefined || monotonicNow() - this.#createdAt < FIRST_LISTEN_MS
  }

  send(text: string): Promise<void> | undefined {
    const stream = this.#stream
    if (stream?.isConnected) return stream.send(text)
    // Both ways lie open to a client that lost its connection: it resumes, and finds this in the store, or it begins anew.
    this.#remember(text)
    return stream?.send(text)
  }

  /** Opens a new stream for a client that listens for the first time or anew, with what has waited for it. */
  open(exchange: HttpExchange, isPrimed: boolean): void {
    this.#streams.drop(this.#stream)
    const stream = this.#streams.open()
    this.#stream = stream
    stream.connect(exchange)
    if (isPrimed) stream.prime()
    for (const text of this.#takeBacklog()) void stream.send(text)
  }

  /** A stream was resumed. If it is this one, the client has had from the store what waited here. */
  resumed(stream: EventStream): void {
    if (stream === this.#stream) this.#takeBacklog()
  }

  #takeBacklog(): readonly string[] {
    const backlog = this.#backlog ?? []
    this.#backlog = undefined
    this.#backlogLength = 0
    return backlog
  }

  #remember(text: string): void {
    this.#backlog ??= []
    const backlog = this.#backlog
    backlog.push(text)
    this.#backlogLength += text.length
    let dropped = 0
    while (backlog.length > MAX_BACKLOG || this.#backlogLength > MAX_BACKLOG_LENGTH) {
      this.#backlogLength -= backlog.shift()?.length ?? 0
      dropped += 1
    }
    if (dropped > 0) this.#report({ kind: 'overflow', message: 'A client does not listen: old messages were dropped' })
  }
}
