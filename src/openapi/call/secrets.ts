// What must not be repeated to a caller: the credentials of the author, in each of the ways that an API writes them back.
import { decodeBase64Text } from '../../primitives/base64.ts'
import { isPlainObject } from '../../primitives/json/objects.ts'
import { type Members, setMember } from '../document/members.ts'

const MASK = '***'
/** Shorter ones would be found in every other word. */
const MIN_LENGTH = 6
/** What would need a longer pattern is found by its beginning, and hidden up to the end of the word. */
const MAX_PATTERN = 50_000

/** Hides the credentials of one call. */
export interface Hider {
  /** `isCut`: the text may end in the middle of a credential. */
  text(text: string, isCut?: boolean): string
  /** A JSON value with its keys. The value itself where nothing is hidden. */
  json(value: unknown): unknown
  /** Bytes keep their number. */
  bytes(bytes: Uint8Array): Uint8Array
}

const HIDES_NOTHING: Hider = { text: (text) => text, json: (value) => value, bytes: (bytes) => bytes }

export function createHider(secrets: readonly string[]): Hider {
  const hidden = [...new Set(secrets)].filter(({ length }) => length >= MIN_LENGTH).sort((a, b) => b.length - a.length)
  if (hidden.length === 0) return HIDES_NOTHING
  const pattern = new RegExp(hidden.map(formsOf).join('|'), 'g')
  const starts = hidden.flatMap((secret) => [secret, encodeURIComponent(wellFormed(secret))])
  const text = (given: string, isCut = false) => {
    const whole = given.replace(pattern, MASK)
    return isCut ? withoutStart(whole, starts) : whole
  }
  const bytes = (given: Uint8Array) => {
    const letters = latin1(given)
    let masked: Uint8Array | undefined
    for (const { index, 0: found } of letters.matchAll(pattern)) {
      masked ??= given.slice()
      masked.fill(STAR, index, index + found.length)
    }
    return masked ?? given
  }
  return { text, json: (value) => hideInJSON(value, text), bytes }
}

const STAR = 0x2a

/** A header as the author wrote it, and what it holds: a token after its scheme, a password in Base64, cookies. */
export function secretsOfHeader(name: string, value: string): string[] {
  // `Bearer` and the like are no secret, and say what is hidden.
  const token = /authorization/i.test(name) ? value.replace(/^\w+ +/, '') : value
  const found = [token]
  if (/^basic +/i.test(value)) {
    const pair = decodeBase64Text(token) ?? ''
    found.push(pair, pair.slice(pair.indexOf(':') + 1))
  }
  if (name.toLowerCase() === 'cookie') {
    for (const cookie of value.split(';')) found.push(cookie.slice(cookie.indexOf('=') + 1).trim())
  }
  return found
}

/** Whether the value of such a header is a credential. Others, as the version of an API, are in every answer. */
export function isSecretHeader(name: string): boolean {
  return /auth|key|token|secret|cookie|session|credential|password|signature/i.test(name)
}

/**
 * A pattern for a text as it is, percent-encoded once or more in letters of either case, with `+` for a space, escaped in JSON with
 * `\u` or a backslash, and as entities of HTML. Letters and digits stand for themselves in all of these.
 */
function formsOf(secret: string): string {
  let pattern = ''
  for (const [part] of wellFormed(secret).matchAll(/[A-Za-z0-9]+|\\+|./gsu)) {
    pattern += /^[A-Za-z0-9]/.test(part) ? part : anyFormOf(part)
    if (pattern.length > MAX_PATTERN) return `${pattern}[!#-&(-;=?-~]*`
  }
  return pattern
}

const ENTITIES: Readonly<Record<string, string>> = { '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot', "'": 'apos' }

/** Each form has a greatest length, so that an answer made of backslashes costs no more than any other. */
function anyFormOf(part: string): string {
  const character = String.fromCodePoint(part.codePointAt(0) as number)
  const units = Array.from({ length: character.length }, (_, index) => hex(character.charCodeAt(index), 4))
  const raw = units.map((unit) => `\\u${unit}`).join('')
  const percent = [...encoder.encode(character)].map((byte) => `%(?:25){0,3}${eitherCase(hex(byte, 2))}`).join('')
  const code = character.codePointAt(0) as number
  const named = Object.hasOwn(ENTITIES, character) ? `|${ENTITIES[character]}` : ''
  const entity = `&(?:#0{0,5}${code}|#[xX]0{0,5}${eitherCase(code.toString(16))}${named});`
  // A run of backslashes is as long as its escaping makes it.
  if (character === '\\') return `(?:\\\\|u005[cC]|${percent}|${entity}){${part.length},${part.length * 8}}`
  const json = units.map((unit) => `\\\\{1,4}u${eitherCase(unit)}`).join('')
  const forms = [entity, percent, json, `\\\\{0,4}${raw}`]
  if (character === ' ') forms.push('\\+')
  return `(?:${forms.join('|')})`
}

const encoder = new TextEncoder()

function hex(code: number, length: number): string {
  return code.toString(16).padStart(length, '0')
}

function eitherCase(digits: string): string {
  return digits.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`)
}

function wellFormed(text: string): string {
  return text.replace(/\p{Cs}/gu, '\ufffd')
}

/** A limit may have cut a credential in two. Its first half is left out. */
function withoutStart(text: string, secrets: readonly string[]): string {
  let length = 0
  for (const secret of secrets) {
    for (let size = Math.min(secret.length - 1, text.length); size > length; size--) {
      if (text.endsWith(secret.slice(0, size))) length = size
    }
  }
  return length < MIN_LENGTH ? text : `${text.slice(0, -length)}${MASK}`
}

function hideInJSON(value: unknown, hide: (text: string) => string): unknown {
  if (typeof value === 'string') return hide(value)
  if (typeof value === 'number') return hide(String(value)) === String(value) ? value : MASK
  if (Array.isArray(value)) {
    const items = value.map((item: unknown) => hideInJSON(item, hide))
    return items.every((item, index) => item === value[index]) ? value : items
  }
  if (!isPlainObject(value)) return value
  let isSame = true
  const shown: Members = {}
  for (const [key, member] of Object.entries(value)) {
    const name = hide(key)
    const hidden = hideInJSON(member, hide)
    isSame &&= name === key && hidden === member
    setMember(shown, name, hidden)
  }
  return isSame ? value : shown
}

const PIECE = 32_768

function latin1(bytes: Uint8Array): string {
  let text = ''
  for (let at = 0; at < bytes.length; at += PIECE) text += String.fromCharCode(...bytes.subarray(at, at + PIECE))
  return text
}
