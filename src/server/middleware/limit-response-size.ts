// Refuses results that are too large to send: a model is told so instead of being drowned.
import { checkKeys, type KnownKeys } from '../../primitives/known-keys.ts'
import type { Middleware } from '../handlers.ts'
import { CONTENT_CALLS, createMethodTest } from './counted-methods.ts'
import { exceedsBytes } from './json-size.ts'
import { assertCount } from './numbers.ts'
import { outcomeOf } from './outcome.ts'
import { type Refusal, RefusalCode, refuse, type ToolRefusal } from './refusal.ts'

export interface LimitResponseSizeOptions {
  /** Bytes of the result as JSON. */
  maxBytes: number
  /** The requests whose results are limited: `tools/call`, `prompts/get`, `resources/read` and `tasks/result` unless given. */
  methods?: readonly string[]
  /** `result` unless given. */
  toolRefusal?: ToolRefusal
}

export const LIMIT_RESPONSE_SIZE_KEYS: KnownKeys<LimitResponseSizeOptions> = {
  maxBytes: true,
  methods: true,
  toolRefusal: true,
}

/**
 * Puts a refusal in the place of a result that is too large: a result for a tool call, error 413 for anything else. A question
 * to the user is no result, and passes.
 */
export function limitResponseSize(options: LimitResponseSizeOptions): Middleware {
  checkKeys('limitResponseSize()', options, LIMIT_RESPONSE_SIZE_KEYS)
  const { maxBytes, methods = CONTENT_CALLS, toolRefusal = 'result' } = options
  assertCount('maxBytes', maxBytes, 1)
  const refusal: Refusal = {
    code: RefusalCode.ResponseTooLarge,
    message: `The result is larger than the ${maxBytes} bytes that this server sends: ask for less at a time`,
    data: { maxBytes },
  }
  const isLimited = createMethodTest(methods)
  return async (ctx, next) => {
    const result = await next()
    if (result === undefined || !isLimited(ctx) || outcomeOf(result).kind === 'input-required') return result
    if (!exceedsBytes(result, maxBytes)) return result
    return refuse(ctx, refusal, toolRefusal)
  }
}
