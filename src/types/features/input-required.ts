// Multi-round-trip requests (2026-07-28): a server asks by returning, and the client answers by calling again.
import type { RequestParams } from '../protocol/base.ts'
import type { ResultMetaObject } from '../protocol/meta.ts'
import type { ElicitRequest, ElicitResult } from './elicitation.ts'
import type { ListRootsRequest, ListRootsResult } from './roots.ts'
import type { CreateMessageRequest, CreateMessageResult } from './sampling.ts'

/** A question to the client, without a JSON-RPC envelope. */
export type InputRequest = CreateMessageRequest | ListRootsRequest | ElicitRequest

/** The answer to an input request, without an envelope. */
export type InputResponse = CreateMessageResult | ListRootsResult | ElicitResult

/** Questions by a key of the server's choice. */
export interface InputRequests {
  [key: string]: InputRequest
}

/** Answers, each under the key of its question. */
export interface InputResponses {
  [key: string]: InputResponse
}

/** Not an answer yet. Holds questions, a state, or both; the client calls again with what it was given. */
export type InputRequiredResult = {
  /** Values beside the result that are not for the model. */
  _meta?: ResultMetaObject
  /** Marks a result that asks the user before the call can finish. */
  resultType: 'input_required'
  /** The questions, by a key of your choice. The client sends the answers under the same keys. */
  inputRequests?: InputRequests
  /** Opaque to the client, which hands it back unchanged. */
  requestState?: string
}

/** Params of the requests that may be answered with an `InputRequiredResult`. */
export type InputResponseRequestParams = RequestParams & {
  /** Since 2026-07-28. */
  inputResponses?: InputResponses
  /** Since 2026-07-28. */
  requestState?: string
}
