// Messages for those who pass results on: each result keeps the text that it came as, and what is long in it is parsed only
// when somebody reads it.

import { type ByteTools, WEB_BYTES } from '../primitives/byte-tools.ts'
import { SHORT_LENGTH } from '../primitives/json/json-scan.ts'
import { type MemberSpan, type MessageSpans, spansOf } from '../primitives/json/json-spans.ts'
import { isPlainObject } from '../primitives/json/objects.ts'
import { keepReceived, ReceivedBytes, ReceivedJSON } from '../primitives/json/received-json.ts'
import { resultTextOf } from '../primitives/json/result-text.ts'
import type { JSONObject } from '../types/protocol/json.ts'
import { decodeMessage, type MessageLimits } from './decode.ts'

const encoder = new TextEncoder()
const NEWLINE = 0x0a
const CARRIAGE_RETURN = 0x0d
const SPACE = 0x20

/** As `decodeMessage`: takes and refuses the same, within the same limits. */
export function decodeKeepingText(
  source: Uint8Array | string,
  limits: MessageLimits,
  tools: ByteTools = WEB_BYTES,
): unknown {
  if (source.length <= SHORT_LENGTH) return decodeShort(source, limits, tools)
  if (source.length > limits.maxBytes || (typeof source !== 'string' && !tools.isUTF8(source)))
    return decodeMessage(source, limits, tools)
  const bytes = typeof source === 'string' ? encoder.encode(source) : source
  const spans = bytes.length > limits.maxBytes ? undefined : spansOf(bytes, limits)
  if (spans === undefined) return decodeMessage(source, limits, tools)
  const span = spans.members.findLast(({ nameStart, nameEnd }) => isNamed(bytes, nameStart, nameEnd, RESULT))
  const message = parseLazily(bytes, spans, tools)
  const result = message['result']
  if (span === undefined || !isPlainObject(result)) return message
  const kept = spans.hasLineBreaks ? withoutLineBreaks(bytes) : bytes
  const { start, end } = span
  const read = () => tools.readUTF8(kept.subarray(start, end))
  // What is short is read now, so that nobody holds on to the piece of memory that it came in.
  if (end - start > SHORT_LENGTH) keepReceived(result, new ReceivedBytes(kept, start, end, read))
  else keepText(result, read())
  return message
}

function decodeShort(source: Uint8Array | string, limits: MessageLimits, tools: ByteTools): unknown {
  const text = typeof source === 'string' ? source : readShort(source, tools)
  if (text === undefined) return decodeMessage(source, limits, tools)
  const message = decodeMessage(text, limits)
  if (!isPlainObject(message)) return message
  const { result } = message
  const own = isPlainObject(result) ? resultTextOf(text) : undefined
  if (own !== undefined) keepText(result as JSONObject, own)
  return message
}

function readShort(bytes: Uint8Array, tools: ByteTools): string | undefined {
  try {
    return tools.readUTF8(bytes)
  } catch {
    return undefined
  }
}

/** Line breaks end messages where each is a line. In JSON they stand between values only, where a space means the same. */
function keepText(result: JSONObject, text: string): void {
  const line = text.includes('\n') || text.includes('\r') ? text.replace(/[\r\n]/g, ' ') : text
  keepReceived(result, new ReceivedJSON(() => line))
}

const RESULT = encoder.encode('"result"')

function isNamed(bytes: Uint8Array, start: number, end: number, name: Uint8Array): boolean {
  if (end - start !== name.length) return false
  for (let at = 0; at < name.length; at++) if (bytes[start + at] !== name[at]) return false
  return true
}

function withoutLineBreaks(bytes: Uint8Array): Uint8Array {
  return bytes.map((byte) => (byte === NEWLINE || byte === CARRIAGE_RETURN ? SPACE : byte))
}

/** A text that is known to be JSON: its long members are left out, and put in again as members that are parsed when read. */
function parseLazily(bytes: Uint8Array, spans: MessageSpans, tools: ByteTools): JSONObject {
  const inResult = spans.result ?? []
  const long = inResult.filter(({ start, end }) => end - start > SHORT_LENGTH)
  const message = JSON.parse(textWithout(bytes, long, tools)) as JSONObject
  const result = message['result']
  if (isPlainObject(result)) {
    const last = new Map(inResult.map((member) => [nameOf(bytes, member, tools), member]))
    for (const member of long) {
      const name = nameOf(bytes, member, tools)
      // Of members of one name the last one counts.
      if (last.get(name) === member) defineLazily(result, name, () => parse(bytes, member, tools))
    }
  }
  return message
}

function textWithout(bytes: Uint8Array, left: readonly MemberSpan[], tools: ByteTools): string {
  let text = ''
  let from = 0
  for (const { start, end } of left) {
    text += `${tools.readUTF8(bytes.subarray(from, start))}null`
    from = end
  }
  return text + tools.readUTF8(bytes.subarray(from))
}

function nameOf(bytes: Uint8Array, { nameStart, nameEnd }: MemberSpan, tools: ByteTools): string {
  return JSON.parse(tools.readUTF8(bytes.subarray(nameStart, nameEnd))) as string
}

function parse(bytes: Uint8Array, { start, end }: MemberSpan, tools: ByteTools): unknown {
  return JSON.parse(tools.readUTF8(bytes.subarray(start, end)))
}

/** For every reader a member like any other. */
function defineLazily(object: JSONObject, name: string, read: () => unknown): void {
  const put = (value: unknown) => {
    Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true })
    return value
  }
  Object.defineProperty(object, name, { get: () => put(read()), set: put, enumerable: true, configurable: true })
}
