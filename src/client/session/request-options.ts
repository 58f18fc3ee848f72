// What a caller may say about one request.
import type { CallOptions } from '../../dispatcher/dispatcher.ts'
import type { InputResponses } from '../../types/features/input-required.ts'
import type { Cursor } from '../../types/protocol/base.ts'
import type { RequestMetaObject } from '../../types/protocol/meta.ts'
import type { LegacyVersion } from '../../types/protocol/versions.ts'

/** For any request. `timeoutMs` is 60 s unless given, here or for the session, and 300 s for `tools/call`. */
export interface RequestOptions extends Omit<CallOptions, 'wantsProgress'> {
  /** Goes into `_meta`, where the keys that the protocol itself sets win; a log level given here counts for this request. */
  meta?: RequestMetaObject
}

/** For the handshake. */
export interface InitializeOptions extends RequestOptions {
  /** The only revision to speak. Without it the newest legacy revision is offered and any other may be agreed on. */
  protocolVersion?: LegacyVersion
}

/** For a request whose method is in no table. */
export interface VendorRequestOptions extends RequestOptions {
  /** The member of `params` that HTTP repeats in the header `Mcp-Name`; it then has to be a string. */
  nameParam?: string
}

/** For a listing. */
export interface ListOptions extends RequestOptions {
  /** Where the page before said to go on. */
  cursor?: Cursor
}

/** For a request that the server may answer with a question. */
export interface InteractiveOptions extends RequestOptions {
  /** The answers to the questions of the round before. */
  inputResponses?: InputResponses
  /** The state of the round before, byte for byte. */
  requestState?: string
  /** Return an `InputRequiredResult` instead of throwing. */
  allowInputRequired?: boolean
}

/** For a tool call. */
export interface CallToolOptions extends InteractiveOptions {
  /** Return a result that belongs to an extension instead of throwing `UnexpectedClaimedResult`. */
  allowClaimed?: boolean
}

export interface AllowInputRequired {
  allowInputRequired: true
}

export interface AllowClaimed {
  allowClaimed: true
}

/** Only finished results are wanted. */
export interface FinishedOnly {
  allowInputRequired?: false
  allowClaimed?: false
}
