// What the answers to the POSTs of one session have in common.
import type { Deadlines } from '../../primitives/deadlines.ts'
import { hasPolling } from '../../wire/polling.ts'
import type { Connection } from '../connection.ts'
import type { EventStream } from './event-stream.ts'
import type { ReplyOwner, ResponseMode } from './post-reply.ts'
import type { SessionStreams } from './session-streams.ts'

export interface ReplySettings {
  readonly mode: ResponseMode
  readonly streamAfterMs: number
  readonly deadlines: Deadlines
}

export class SessionReplies implements ReplyOwner {
  /** Set once the connection exists; until then there is nothing to answer. */
  connection: Connection | undefined
  readonly #settings: ReplySettings
  readonly #streams: SessionStreams

  constructor(settings: ReplySettings, streams: SessionStreams) {
    this.#settings = settings
    this.#streams = streams
  }

  get mode(): ResponseMode {
    return this.#settings.mode
  }

  get streamAfterMs(): number {
    return this.#settings.streamAfterMs
  }

  get deadlines(): Deadlines {
    return this.#settings.deadlines
  }

  get canPoll(): boolean {
    return this.#streams.areKept && this.connection !== undefined && hasPolling(this.connection.protocolVersion)
  }

  openStream(): EventStream {
    return this.#streams.open()
  }

  endStream(stream: EventStream): void {
    this.#streams.end(stream)
  }
}
