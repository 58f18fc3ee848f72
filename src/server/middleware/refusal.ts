// How the limits refuse a request: with an error for the program, or with a result for the model.

import { ownMember } from '../../primitives/json/objects.ts'
import { MCPError } from '../../types/errors/errors.ts'
import type { CallToolResult } from '../../types/features/tools.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import { type ServerRequestContext, serverOfRequest } from '../context.ts'
import { respond } from '../results/respond.ts'

/**
 * Error codes of the middleware in this package, each the HTTP status with the same meaning. JSON-RPC and the specification
 * reserve -32768 to -32000.
 */
export const RefusalCode = {
  /** `limitResponseSize`; `data` is `{ maxBytes }`. */
  ResponseTooLarge: 413,
  /** `limitRate`; `data` is `{ retryAfterMs }`. */
  TooManyRequests: 429,
  /** `limitConcurrency`; `data` is `{ max, maxWaiting }`. */
  TooBusy: 503,
  /** `limitTime`; `data` is `{ timeoutMs }`. */
  TookTooLong: 504,
} as const

export type RefusalCode = (typeof RefusalCode)[keyof typeof RefusalCode]

/** The key in the `_meta` of a refused tool call that got a result: the code and the data of the refusal. */
export const REFUSAL_META_KEY = 'mcpwire/refusal'

/** How a tool call is refused: with an `error` for the calling program, or with a `result` for the model. */
export type ToolRefusal = 'error' | 'result'

export interface Refusal {
  readonly code: RefusalCode
  /** What happened and what to do, in words for a model too. */
  readonly message: string
  readonly data: Readonly<Record<string, number>>
}

/** Throws the refusal, or returns it as the result of a tool call. */
export function refuseCall(ctx: ServerRequestContext, refusal: Refusal, toolRefusal: ToolRefusal): JSONObject {
  const { code, message, data } = refusal
  if (toolRefusal === 'error' || !takesToolResult(ctx)) throw new MCPError(code, message, data)
  const result: CallToolResult = {
    content: [{ type: 'text', text: message }],
    isError: true,
    _meta: { [REFUSAL_META_KEY]: { code, ...data } },
  }
  return respond(serverOfRequest(ctx), ctx, result)
}

/** A call that asked for a task gets a task or an error, never a result. */
function takesToolResult({ method, params }: ServerRequestContext): boolean {
  return method === 'tools/call' && ownMember(params, 'task') === undefined
}
