// The Content-Type and Accept headers of requests, by RFC 9110.
import type { HttpExchange, ReplyHeaders } from './exchange.ts'

export const JSON_TYPE = 'application/json'
export const EVENT_STREAM_TYPE = 'text/event-stream'

/** The headers of a JSON answer. It is for one caller, so that no cache may store it. */
export const JSON_HEADERS: ReplyHeaders = Object.freeze({ 'content-type': JSON_TYPE, 'cache-control': 'no-store' })

/** No client sends a longer list; splitting one would be wasted work. */
const MAX_ACCEPT_LENGTH = 4096

/** Whether the body is declared as JSON in UTF-8: `application/json`, in any case, with any parameters but another charset. */
export function isJsonContent(exchange: HttpExchange): boolean {
  const value = exchange.header('content-type')
  // The common form first, without parsing.
  if (value === JSON_TYPE) return true
  if (typeof value !== 'string') return false
  const [type = '', ...parameters] = value.split(';')
  return typeOf(type) === JSON_TYPE && parameters.every(isNoOtherCharset)
}

/** Whether the request accepts an answer of this type; without an `Accept` header it accepts every type. */
export function accepts(exchange: HttpExchange, type: string): boolean {
  const value = acceptHeader(exchange)
  return value === undefined || acceptHeaderAllows(value, type)
}

/** Whether the `Accept` header allows this type, by name or wildcard; `false` without the header. */
export function acceptsExplicitly(exchange: HttpExchange, type: string): boolean {
  const value = acceptHeader(exchange)
  return value !== undefined && acceptHeaderAllows(value, type)
}

/** Not from `headers`, which some exchanges have to build first. */
function acceptHeader(exchange: HttpExchange): string | undefined {
  const value = exchange.header('accept')
  return typeof value === 'object' ? value.join(', ') : value
}

function acceptHeaderAllows(value: string, type: string): boolean {
  if (value === 'application/json, text/event-stream') return type === JSON_TYPE || type === EVENT_STREAM_TYPE
  if (value.length > MAX_ACCEPT_LENGTH) return false
  let best = 0
  let allowed = false
  for (const range of value.split(',')) {
    const [name = '', ...parameters] = range.split(';')
    const precision = precisionOf(typeOf(name), type)
    // RFC 9110, 12.5.1: the most specific range that fits decides.
    if (precision === 0 || precision < best) continue
    const isWanted = !parameters.some(isZeroWeight)
    allowed = precision === best ? allowed || isWanted : isWanted
    best = precision
  }
  return allowed
}

/** 3 for the type itself, 2 for its family, 1 for anything, 0 for another type. */
function precisionOf(range: string, type: string): 0 | 1 | 2 | 3 {
  if (range === type) return 3
  if (range === '*/*') return 1
  return range.endsWith('/*') && type.startsWith(range.slice(0, -1)) ? 2 : 0
}

function typeOf(text: string): string {
  return text.trim().toLowerCase()
}

function isZeroWeight(parameter: string): boolean {
  return /^q=0(?:\.0{0,3})?$/.test(typeOf(parameter))
}

function isNoOtherCharset(parameter: string): boolean {
  const text = typeOf(parameter)
  if (!text.startsWith('charset=')) return true
  return /^"?utf-?8"?$/.test(text.slice('charset='.length))
}
