// Request bodies on every runtime: their headers, their limits, and their decoding.
import { BodyError, type HttpExchange } from './exchange.ts'

const decoder = new TextDecoder('utf-8', { fatal: true })

/** Why a body is rejected before any of it is read; `undefined` where it may be read. */
export function checkBodyHeaders(exchange: Pick<HttpExchange, 'header'>, limit: number): BodyError | undefined {
  const encoding = exchange.header('content-encoding')
  if (encoding !== undefined && encoding !== 'identity' && encoding !== '') {
    return new BodyError(415, 'The request body is compressed. Send it without Content-Encoding.')
  }
  const length = declaredLength(exchange)
  if (length === null) return new BodyError(400, 'The Content-Length is malformed. Send the number of bytes.')
  return length !== undefined && length > limit ? tooLarge(limit) : undefined
}

/** The length that a request declares for its body: `undefined` where it declares none, `null` where that is no length. */
export function declaredLength(exchange: Pick<HttpExchange, 'header'>): number | null | undefined {
  const value = exchange.header('content-length')
  if (value === undefined) return undefined
  return typeof value === 'string' ? parseLength(value) : null
}

/** By hand, because this runs for every request, and a regular expression takes several times as long. */
function parseLength(text: string): number | null {
  if (text.length === 0 || text.length > 15) return null
  let length = 0
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code < 0x30 || code > 0x39) return null
    length = length * 10 + code - 0x30
  }
  return length
}

export function tooLarge(limit: number): BodyError {
  return new BodyError(413, `The request body is larger than ${limit} bytes.`, { max: limit })
}

export function tooSlow(timeoutMs: number): BodyError {
  return new BodyError(408, `The request body did not arrive within ${timeoutMs} ms.`)
}

export function cutOff(cause?: unknown): BodyError {
  return new BodyError(400, 'The request body was cut off.', cause === undefined ? undefined : { cause })
}

/** Throws `BodyError` for bytes that are not UTF-8, instead of replacing them. */
export function decodeBody(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes)
  } catch (cause) {
    throw new BodyError(400, 'The request body is not UTF-8.', { cause })
  }
}

export interface BodyLimits {
  readonly maxBytes: number
  readonly maxDepth: number
  readonly maxElements: number
}

/** The limit that a parsed value breaks; otherwise the approximate size of its JSON in bytes, without escapes. */
export function measureParsed(value: unknown, limits: BodyLimits): keyof BodyLimits | number {
  // By levels instead of by recursion: a framework may have parsed a value that is too deep for the stack.
  let level: unknown[] = [value]
  let elements = 0
  let bytes = 0
  for (let depth = 0; level.length > 0; depth++) {
    const next: unknown[] = []
    for (const item of level) {
      bytes += typeof item === 'string' ? item.length + 2 : 1
      if (typeof item !== 'object' || item === null) continue
      if (depth >= limits.maxDepth) return 'maxDepth'
      for (const [key, member] of Object.entries(item)) {
        elements += 1
        if (!Array.isArray(item)) bytes += key.length + 3
        next.push(member)
      }
      elements += 1
      if (elements > limits.maxElements) return 'maxElements'
    }
    if (bytes > limits.maxBytes) return 'maxBytes'
    level = next
  }
  return bytes
}
