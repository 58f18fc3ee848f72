// What differs between the eras when a request is sent over HTTP: legacy-session.ts and modern-rules.ts implement it.
import type { TransportContext } from '../../dispatcher/channel.ts'
import type { PostResponse } from '../../http/poster.ts'
import type { RequestId } from '../../types/protocol/jsonrpc.ts'
import type { RequestHeaders } from './http-link.ts'

/** What the rules read of a pending request. */
export interface PendingRequest {
  readonly id: RequestId
  readonly method: string
  /** The id that the server knows the request by: a new one after each retry. */
  readonly wireId: RequestId
  readonly progressToken: RequestId | undefined
}

/** One POST, with what the era knew when it was sent. */
export interface SentRequest {
  readonly headers: RequestHeaders
}

export interface EraRules {
  readonly transport: TransportContext
  /** Whether a response stream that broke off can be resumed after its last event id. */
  readonly canResume: boolean
  /** Whether closing the response stream cancels the request; otherwise a notification does. */
  readonly cancelsByClosing: boolean
  /** A POST has to wait for this, where it is given. */
  whenReady(): Promise<void> | undefined
  /** All headers of a POST that is sent now; `mirrored` are those that repeat parts of its message. */
  prepareSend(mirrored: RequestHeaders): SentRequest
  /** All headers of a GET that opens or resumes a stream. */
  streamHeaders(): RequestHeaders
  /** Called with each successful HTTP response before its body is read. Throws where the response is not acceptable. */
  onResponse(response: PostResponse): void
  /** Why this message must not arrive on the response stream of this request; `undefined` where it may. */
  findViolation(message: unknown, request: PendingRequest): string | undefined
  /** Whether the server rejected the request, without executing it, because its session has expired. */
  isSessionExpired(status: number | undefined, sent: SentRequest): boolean
  /** Opens a new session; requests that fail at the same time share it. */
  renewSession(sent: SentRequest, reason: Error): Promise<void>
}
