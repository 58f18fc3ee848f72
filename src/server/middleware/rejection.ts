// What all limits share: how a request is rejected, and the checks of the numbers that limits are made of.

import { ownMember } from '../../primitives/json/objects.ts'
import { MCPError } from '../../types/errors/errors.ts'
import type { CallToolResult } from '../../types/features/tools.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import { type ServerRequestContext, serverOfRequest } from '../context.ts'
import { respond } from '../results/respond.ts'

/**
 * Error codes of the ready middleware, each the HTTP status that means the same. JSON-RPC and the specification reserve
 * -32768 to -32000 for themselves.
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

/** In the `_meta` of a refused tool call that is answered with a result: the code and the data of the refusal. */
export const REFUSAL_META_KEY = 'mcpwire/refusal'

/** How a tool call is refused: `error` tells the program that calls, `result` the model behind it. */
export type ToolRefusal = 'error' | 'result'

export interface Refusal {
  readonly code: RefusalCode
  /** What happened and what to do, for a model too. */
  readonly message: string
  readonly data: Readonly<Record<string, number>>
}

/** Throws the refusal, or returns it as the result of a tool call where that is wanted. */
export function refuse(ctx: ServerRequestContext, refusal: Refusal, toolRefusal: ToolRefusal): JSONObject {
  const { code, message, data } = refusal
  if (toolRefusal === 'error' || !takesToolResult(ctx)) throw new MCPError(code, message, data)
  const result: CallToolResult = {
    content: [{ type: 'text', text: message }],
    isError: true,
    _meta: { [REFUSAL_META_KEY]: { code, ...data } },
  }
  return respond(serverOfRequest(ctx), ctx, result)
}

/** A call that asked for a task is answered with a task, or with an error. */
function takesToolResult({ method, params }: ServerRequestContext): boolean {
  return method === 'tools/call' && ownMember(params, 'task') === undefined
}
