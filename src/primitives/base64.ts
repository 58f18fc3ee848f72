// Base64 that takes back only what it would have written itself: atob lets whitespace, missing padding and stray bits pass.

const utf8Encoder = new TextEncoder()
// A byte order mark is part of the text; without ignoreBOM the decoder would swallow it.
const utf8Decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const asciiDecoder = new TextDecoder('utf-8')

const STANDARD = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
const URL_SAFE = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
const PADDING = 61
const NOT_IN_ALPHABET = 255

const STANDARD_CODES = utf8Encoder.encode(STANDARD)
const URL_SAFE_CODES = utf8Encoder.encode(URL_SAFE)
const STANDARD_VALUES = valuesOf(STANDARD)
const URL_SAFE_VALUES = valuesOf(URL_SAFE)

/** Standard Base64 with padding (RFC 4648, section 4). */
export function encodeBase64(bytes: Uint8Array): string {
  return encode(bytes, STANDARD_CODES, true)
}

/** The bytes of a canonical, padded Base64 text; `undefined` for any other text. */
export function decodeBase64(text: string): Uint8Array | undefined {
  if (text.length % 4 !== 0) return undefined
  return decode(text, lengthWithoutPadding(text), STANDARD_VALUES)
}

/** Whether `decodeBase64` would take this text, without making the bytes. */
export function isBase64(text: string): boolean {
  if (text.length % 4 !== 0) return false
  const length = lengthWithoutPadding(text)
  for (let i = 0; i < length; i++) if (sextetAt(text, i) > 63) return false
  // As in `decode`: what the last character says beyond the last byte must be nothing.
  const strayBits = [0, 0, 15, 3][length % 4] ?? 0
  return strayBits === 0 || (sextetAt(text, length - 1) & strayBits) === 0
}

/** Base64url without padding (RFC 4648, section 5, as JOSE and PKCE use it). */
export function encodeBase64Url(bytes: Uint8Array): string {
  return encode(bytes, URL_SAFE_CODES, false)
}

/** The bytes of a canonical Base64url text without padding; `undefined` for any other text. */
export function decodeBase64Url(text: string): Uint8Array | undefined {
  return decode(text, text.length, URL_SAFE_VALUES)
}

/** Base64 of the UTF-8 form. A lone surrogate has none and becomes U+FFFD. */
export function encodeBase64Text(text: string): string {
  return encodeBase64(utf8Encoder.encode(text))
}

/** `undefined` when the text is not canonical Base64 or its bytes are not UTF-8. */
export function decodeBase64Text(text: string): string | undefined {
  return decodeUtf8(decodeBase64(text))
}

/** Base64url of the UTF-8 form. A lone surrogate has none and becomes U+FFFD. */
export function encodeBase64UrlText(text: string): string {
  return encodeBase64Url(utf8Encoder.encode(text))
}

/** `undefined` when the text is not canonical Base64url or its bytes are not UTF-8. */
export function decodeBase64UrlText(text: string): string | undefined {
  return decodeUtf8(decodeBase64Url(text))
}

function decodeUtf8(bytes: Uint8Array | undefined): string | undefined {
  if (bytes === undefined) return undefined
  try {
    return utf8Decoder.decode(bytes)
  } catch {
    return undefined
  }
}

function encode(bytes: Uint8Array, codes: Uint8Array, padded: boolean): string {
  const whole = bytes.length - (bytes.length % 3)
  const unpaddedLength = Math.ceil((bytes.length * 4) / 3)
  const out = new Uint8Array(padded ? Math.ceil(bytes.length / 3) * 4 : unpaddedLength).fill(PADDING)
  let at = 0
  for (let i = 0; i < whole; i += 3) {
    const triple = (byteAt(bytes, i) << 16) | (byteAt(bytes, i + 1) << 8) | byteAt(bytes, i + 2)
    out[at++] = byteAt(codes, triple >> 18)
    out[at++] = byteAt(codes, (triple >> 12) & 63)
    out[at++] = byteAt(codes, (triple >> 6) & 63)
    out[at++] = byteAt(codes, triple & 63)
  }
  if (whole < bytes.length) {
    const rest = (byteAt(bytes, whole) << 16) | (byteAt(bytes, whole + 1) << 8)
    for (let shift = 18; at < unpaddedLength; shift -= 6) out[at++] = byteAt(codes, (rest >> shift) & 63)
  }
  return asciiDecoder.decode(out)
}

function decode(text: string, length: number, values: Uint8Array): Uint8Array | undefined {
  if (length % 4 === 1) return undefined
  const valueAt = (index: number) => byteAt(values, text.charCodeAt(index), NOT_IN_ALPHABET)
  const out = new Uint8Array(Math.floor((length * 3) / 4))
  const whole = length - (length % 4)
  let at = 0
  for (let i = 0; i < whole; i += 4) {
    const first = valueAt(i)
    const second = valueAt(i + 1)
    const third = valueAt(i + 2)
    const fourth = valueAt(i + 3)
    if ((first | second | third | fourth) > 63) return undefined
    out[at++] = (first << 2) | (second >> 4)
    out[at++] = (second << 4) | (third >> 2)
    out[at++] = (third << 6) | fourth
  }
  if (whole === length) return out
  const first = valueAt(whole)
  const second = valueAt(whole + 1)
  const third = whole + 2 < length ? valueAt(whole + 2) : 0
  if ((first | second | third) > 63) return undefined
  const rest = (first << 12) | (second << 6) | third
  out[at] = rest >> 10
  if (at + 1 < out.length) out[at + 1] = rest >> 2
  // Bits past the last byte carry nothing; if they are not zero, another text has the same bytes.
  const strayBits = at + 1 < out.length ? rest & 0x3 : rest & 0x3ff
  return strayBits === 0 ? out : undefined
}

function sextetAt(text: string, index: number): number {
  return byteAt(STANDARD_VALUES, text.charCodeAt(index), NOT_IN_ALPHABET)
}

function lengthWithoutPadding(text: string): number {
  if (text.endsWith('==')) return text.length - 2
  return text.endsWith('=') ? text.length - 1 : text.length
}

function byteAt(bytes: Uint8Array, index: number, fallback = 0): number {
  return bytes[index] ?? fallback
}

function valuesOf(alphabet: string): Uint8Array {
  const values = new Uint8Array(128).fill(NOT_IN_ALPHABET)
  for (let value = 0; value < alphabet.length; value++) values[alphabet.charCodeAt(value)] = value
  return values
}
