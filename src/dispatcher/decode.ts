// JSON in: bytes or text become a value, once their size and structure are known to be harmless.
import { findBreach, type StructureLimits } from '../primitives/json-scan.ts'
import { ErrorCode } from '../types/error-codes.ts'
import { MCPError } from '../types/errors.ts'
import { LimitError } from '../types/failures.ts'

export interface MessageLimits extends StructureLimits {
  /** Bytes of one message. */
  maxBytes: number
}

const MIB = 1024 * 1024

/** What a server takes from a client it does not know. */
export const SERVER_LIMITS: MessageLimits = Object.freeze({ maxBytes: 4 * MIB, maxDepth: 64, maxElements: 100_000 })

/** What a client takes from a server it chose. */
export const CLIENT_LIMITS: MessageLimits = Object.freeze({ maxBytes: 64 * MIB, maxDepth: 64, maxElements: 1_000_000 })

const LIMIT_NAMES: Record<keyof StructureLimits, string> = { maxDepth: 'JSON nesting', maxElements: 'JSON elements' }

const decoder = new TextDecoder('utf-8', { fatal: true })
const encoder = new TextEncoder()

/**
 * Parses one message. Throws `LimitError` before parsing when a limit would be broken, and `MCPError` -32700 when the bytes are no
 * UTF-8 or the text is no JSON. Of duplicate keys the last one counts, for every reader alike; `__proto__` is a key like any
 * other.
 */
export function decodeMessage(source: Uint8Array | string, limits: MessageLimits): unknown {
  const isText = typeof source === 'string'
  if (source.length > limits.maxBytes) throw new LimitError('message bytes', limits.maxBytes)
  const bytes = isText ? encoder.encode(source) : source
  if (bytes.length > limits.maxBytes) throw new LimitError('message bytes', limits.maxBytes)
  const breach = findBreach(bytes, limits)
  if (breach !== undefined) throw new LimitError(LIMIT_NAMES[breach], limits[breach])
  try {
    return JSON.parse(isText ? source : decoder.decode(bytes))
  } catch {
    // What JSON.parse says would quote the message.
    throw new MCPError(ErrorCode.ParseError, 'Parse error', undefined, { local: true })
  }
}
