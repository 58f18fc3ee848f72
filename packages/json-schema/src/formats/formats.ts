// The formats that are checked when asked for, each in time linear to the text. Unknown formats pass.

import { sizeOf } from '../patterns/size.ts'
import { isDate, isDateTime, isDuration, isTime } from './time.ts'
import { isEmail, isHostname, isIPv4, isIPv6, isUri, isUriReference } from './web.ts'

export interface Format {
  accepts(text: string): boolean
  /** What that costs. */
  steps(text: string): number
}

/** Several expressions, and the parts that they find. */
const FORMAT_STEPS = 300

/** Those that end at the first digit too many, or at a length that none may have, look at few characters. */
const brief = (text: string) => FORMAT_STEPS + (text.length >> 6)
/** A few passes over the text. */
const passes = (text: string) => FORMAT_STEPS + text.length
const manyPasses = (text: string) => FORMAT_STEPS + text.length * 4

// Reading an expression takes time as well.
const MAX_REGEX_LENGTH = 1 << 16

export const FORMATS: ReadonlyMap<string, Format> = new Map<string, Format>([
  ['date', { accepts: isDate, steps: brief }],
  ['time', { accepts: isTime, steps: passes }],
  ['date-time', { accepts: isDateTime, steps: passes }],
  ['duration', { accepts: isDuration, steps: manyPasses }],
  ['email', { accepts: isEmail, steps: brief }],
  ['hostname', { accepts: isHostname, steps: brief }],
  ['ipv4', { accepts: isIPv4, steps: passes }],
  ['ipv6', { accepts: isIPv6, steps: brief }],
  ['uri', { accepts: isUri, steps: passes }],
  ['uri-reference', { accepts: isUriReference, steps: passes }],
  ['uuid', { accepts: isUuid, steps: brief }],
  ['regex', { accepts: isRegex, steps: (text) => (text.length <= MAX_REGEX_LENGTH ? sizeOf(text).toRead : 1) }],
  ['json-pointer', { accepts: isJsonPointer, steps: passes }],
])

function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(text)
}

/** Parsing is all that happens: the expression is never run. */
function isRegex(text: string): boolean {
  try {
    return text.length <= MAX_REGEX_LENGTH && new RegExp(text, 'u') instanceof RegExp
  } catch {
    return false
  }
}

function isJsonPointer(text: string): boolean {
  return (text === '' || text.startsWith('/')) && !/~(?![01])/.test(text)
}
