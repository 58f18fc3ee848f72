// Replaces results that are too large by a message that says so.

import { exceedsBytes } from '../../primitives/json/json-bytes.ts'
import { assertCount, checkKeys, type KnownKeys } from '../../primitives/options.ts'
import type { Middleware } from '../handlers.ts'
import { createLimitTest } from './counted-requests.ts'
import { outcomeOf } from './log-requests.ts'
import { type Refusal, RefusalCode, refuseCall, type ToolRefusal } from './refusal.ts'

/** Options of `limitResponseSize()`. */
export interface LimitResponseSizeOptions {
  /** Bytes of the result as JSON. */
  maxBytes: number
  /**
   * The requests whose results are limited (default: `tools/call`, `prompts/get`, `resources/read`, the results of tasks, and
   * those of extensions that say so).
   */
  methods?: readonly string[] | undefined
  /** How a tool call is rejected (default: `result`). */
  toolRefusal?: ToolRefusal | undefined
}

export const LIMIT_RESPONSE_SIZE_KEYS: KnownKeys<LimitResponseSizeOptions> = {
  maxBytes: true,
  methods: true,
  toolRefusal: true,
}

/**
 * Replaces a result that is too large: by a result with `isError` for a tool call, by error 413 for anything else. A result that
 * asks for input is not limited.
 *
 * @example
 * ```ts
 * import { limitResponseSize } from 'mcpwire/server'
 * server.use(limitResponseSize({ maxBytes: 1024 * 1024 }))
 * ```
 */
export function limitResponseSize(options: LimitResponseSizeOptions): Middleware {
  checkKeys('limitResponseSize()', options, LIMIT_RESPONSE_SIZE_KEYS)
  const { maxBytes, toolRefusal = 'result' } = options
  assertCount('maxBytes', maxBytes, 1)
  const refusal: Refusal = {
    code: RefusalCode.ResponseTooLarge,
    message: `The result is larger than the ${maxBytes} bytes that this server sends: ask for less at a time`,
    data: { maxBytes },
  }
  const isLimited = createLimitTest(options.methods, 'content')
  return async (ctx, next) => {
    const result = await next()
    if (result === undefined || !isLimited(ctx) || outcomeOf(result).kind === 'input-required') return result
    if (!exceedsBytes(result, maxBytes)) return result
    return refuseCall(ctx, refusal, toolRefusal)
  }
}
