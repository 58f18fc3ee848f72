// Refuses results that are too large to send: a model is told so instead of being drowned.
import type { Middleware } from '../handlers.ts'
import { exceedsBytes } from './json-size.ts'
import { assertCount } from './numbers.ts'
import { type Refusal, RefusalCode, refuse, type ToolRefusal } from './refusal.ts'

export interface LimitResponseSizeOptions {
  /** Bytes of the result as JSON. */
  maxBytes: number
  /** `result` unless given. */
  toolRefusal?: ToolRefusal
}

/** Puts a refusal in the place of a result that is too large: a result for a tool call, error 413 for anything else. */
export function limitResponseSize({ maxBytes, toolRefusal = 'result' }: LimitResponseSizeOptions): Middleware {
  assertCount('maxBytes', maxBytes, 1)
  const refusal: Refusal = {
    code: RefusalCode.ResponseTooLarge,
    message: `The result is larger than the ${maxBytes} bytes that this server sends: ask for less at a time`,
    data: { maxBytes },
  }
  return async (ctx, next) => {
    const result = await next()
    if (result === undefined || !exceedsBytes(result, maxBytes)) return result
    return refuse(ctx, refusal, toolRefusal)
  }
}
