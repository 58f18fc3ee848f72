// The formats that are checked when asked for, each in time linear to the text. Unknown formats pass.
import { isDate, isDateTime, isDuration, isTime } from './formats-time.ts'
import { isEmail, isHostname, isIPv4, isIPv6, isUri, isUriReference } from './formats-web.ts'

export const FORMATS: ReadonlyMap<string, (text: string) => boolean> = new Map([
  ['date', isDate],
  ['time', isTime],
  ['date-time', isDateTime],
  ['duration', isDuration],
  ['email', isEmail],
  ['hostname', isHostname],
  ['ipv4', isIPv4],
  ['ipv6', isIPv6],
  ['uri', isUri],
  ['uri-reference', isUriReference],
  ['uuid', isUuid],
  ['regex', isRegex],
  ['json-pointer', isJsonPointer],
])

function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(text)
}

// Reading an expression takes time as well.
const MAX_REGEX_LENGTH = 1 << 16

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
