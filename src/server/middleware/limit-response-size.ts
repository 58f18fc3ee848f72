// Replaces results that are too large by a message that says so.

import { assertCount, checkKeys, type KnownKeys } from '../../primitives/options.ts'
import type { Middleware } from '../handlers.ts'
import { createLimitTest } from './counted-requests.ts'
import { outcomeOf } from './log-requests.ts'
import { type Refusal, RefusalCode, refuseCall, type ToolRefusal } from './refusal.ts'

/** No message nests deeper. Beyond it the estimate stops. */
const MAX_DEPTH = 64
/** A control character becomes `\u0000`; no other code unit takes more bytes. */
const MAX_BYTES_PER_UNIT = 6
/** Longer than any number, and than `false`. */
const MAX_SCALAR_BYTES = 25

/** Whether the value, as JSON in UTF-8, takes more than `maxBytes`. Throws `TypeError` for what has no JSON. */
export function exceedsBytes(value: unknown, maxBytes: number): boolean {
  const estimate = new Estimate(maxBytes)
  estimate.add(value, 0)
  if (estimate.most <= maxBytes) return false
  if (estimate.least > maxBytes) return true
  return new TextEncoder().encode(JSON.stringify(value)).length > maxBytes
}

/** The least and the most bytes that a value can take. Stops once `least` is above the limit. */
class Estimate {
  least = 0
  most = 0
  readonly #enough: number

  constructor(enough: number) {
    this.#enough = enough
  }

  add(value: unknown, depth: number): void {
    if (this.least > this.#enough) return
    if (typeof value === 'string') this.#addString(value)
    else if (typeof value === 'object' && value !== null) this.#addCollection(value, depth)
    else this.#addRange(1, typeof value === 'bigint' ? Infinity : MAX_SCALAR_BYTES)
  }

  #addString(text: string): void {
    this.#addRange(text.length + 2, text.length * MAX_BYTES_PER_UNIT + 2)
  }

  #addCollection(collection: object, depth: number): void {
    // An object with `toJSON` cannot be estimated.
    if (depth === MAX_DEPTH || 'toJSON' in collection) {
      this.#addRange(0, Infinity)
      return
    }
    this.#addRange(2, 2)
    if (Array.isArray(collection)) for (const item of collection) this.#addMember(item, depth)
    else for (const [key, value] of Object.entries(collection)) this.#addProperty(key, value, depth)
  }

  #addProperty(key: string, value: unknown, depth: number): void {
    if (value === undefined || typeof value === 'function' || typeof value === 'symbol') return
    this.#addString(key)
    this.#addMember(value, depth)
  }

  #addMember(value: unknown, depth: number): void {
    // A colon or a comma, or none.
    this.#addRange(0, 2)
    this.add(value, depth + 1)
  }

  #addRange(least: number, most: number): void {
    this.least += least
    this.most += most
  }
}

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
