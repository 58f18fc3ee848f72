// What differs between the eras when a request travels over HTTP, as one interface: each era has a file with its rules.
import type { TransportContext } from '../../dispatcher/channel.ts'
import type { PostResponse } from '../../http/poster.ts'
import type { RequestId } from '../../types/protocol/jsonrpc.ts'
import type { RequestHeaders } from './http-link.ts'

/** What the rules look at of a request under way. */
export interface CallFacts {
  readonly id: RequestId
  readonly method: string
  /** The id that the server knows the request by: another one once it was repeated. */
  readonly wireId: RequestId
  readonly progressToken: RequestId | undefined
}

/** One sending of a request, and what the era knew when it left. */
export interface Departure {
  readonly headers: RequestHeaders
}

export interface EraRules {
  readonly transport: TransportContext
  /** Whether a cut stream can be picked up after the last event that had an id. */
  readonly canResume: boolean
  /** Whether closing the stream of a request cancels it; otherwise the server has to be told. */
  readonly cancelsByClosing: boolean
  /** Something that a request has to wait for before it leaves. */
  ready(): Promise<void> | undefined
  /** All headers of a POST that leaves now, with those that mirror its message. */
  depart(mirrored: RequestHeaders): Departure
  /** All headers of a GET that goes on with a stream. */
  rejoin(): RequestHeaders
  /** A successful response begins. Throws where it cannot be accepted. */
  arrived(response: PostResponse): void
  /** Why this message has no business on the stream of this request. */
  objection(message: unknown, call: CallFacts): string | undefined
  /** Whether the server refused the request, before doing anything, because it has forgotten us. */
  isForgotten(status: number, departure: Departure): boolean
  /** Makes the server know us again; shared by all who ask for it. */
  renew(departure: Departure, reason: Error): Promise<void>
}
