// Reads the answer of an API within limits: bytes, time, depth. Everything in it is data from outside.
import type { PostResponse } from '../../http/poster.ts'
import { PAUSED, SseParser } from '../../http/sse-parser.ts'
import { findBreach } from '../../primitives/json/json-scan.ts'
import { essenceOf, kindOf, type MediaKind } from '../request/media-types.ts'
import type { Hider } from './secrets.ts'

export interface ReadAnswer {
  readonly status: number
  /** The media type without parameters; empty where there is none. */
  readonly type: string
  readonly kind: MediaKind | 'nothing'
  readonly bytes: Uint8Array
  /** Decoded, for everything but bytes. Of JSON only where it has numbers that JavaScript would change. */
  readonly text: string
  /** The JSON value, or the items of a stream. */
  readonly json?: { readonly value: unknown } | undefined
  /** Whether there was more than was read. */
  readonly isCut: boolean
  header(name: string): string | undefined
}

export interface ReadLimits {
  readonly maxDownloadBytes: number
  /** Called with each item of a stream. */
  readonly onItem: (count: number, text: string) => void
  /** An API that repeats the request in its answer must not tell the model who called. */
  readonly hider: Hider
  readonly isAborted: () => boolean
}

const STRUCTURE = { maxDepth: 60, maxElements: 2_000_000 }
const MAX_ITEMS = 10_000
const NO_BODY: ReadonlySet<number> = new Set([204, 205, 304])

/** Nothing of the answer leaves here before `hider` has seen it whole: cut at a limit, half of a credential would remain. */
export async function readAnswer(response: PostResponse, method: string, limits: ReadLimits): Promise<ReadAnswer> {
  const { status } = response
  const { hider } = limits
  const header = (name: string) => {
    const value = response.header(name)
    return value === undefined ? undefined : hider.text(value)
  }
  const contentType = (header('content-type') ?? '').slice(0, 200)
  const type = essenceOf(contentType)
  const nothing = { status, type, kind: 'nothing' as const, bytes: EMPTY, text: '', isCut: false, header }
  if (NO_BODY.has(status) || method === 'HEAD') {
    response.cancel()
    return nothing
  }
  const kind = type === '' ? 'text' : kindOf(type)
  if (kind === 'events' || kind === 'lines') return readItems(response, { ...nothing, kind }, limits)
  const { bytes, isCut } = await readBytes(response, limits.maxDownloadBytes)
  if (bytes.length === 0) return nothing
  const answer = { status, type, bytes, isCut, header }
  if (kind === 'binary' || kind === 'media') return { ...answer, bytes: hider.bytes(bytes), kind, text: '' }
  const text = decode(bytes, kind === 'json' ? undefined : charsetOf(contentType))
  // Without a type it is JSON if it can be read as JSON. It is read first: what is hidden in it may be a number.
  const json = (kind === 'json' || type === '') && !isCut ? parseJSON(text) : undefined
  if (json !== undefined) {
    const exact = LONG_NUMBER.test(text) ? hider.text(text) : ''
    return { ...answer, kind: 'json', text: exact, json: { value: hider.json(json.value) } }
  }
  return { ...answer, kind: kind === 'json' ? 'text' : kind, text: hider.text(text, isCut) }
}

/** An id beyond 2^53 would become another one. */
const LONG_NUMBER = /[\d.]{16}/
const EMPTY = new Uint8Array(0)

function charsetOf(contentType: string): string | undefined {
  return /;\s*charset\s*=\s*["']?([\w.:-]{1,40})/i.exec(contentType)?.[1]
}

/** JSON is UTF-8 whatever is said of it, and so is what nobody knows. */
function decode(bytes: Uint8Array, charset: string | undefined): string {
  try {
    return new TextDecoder(charset).decode(bytes)
  } catch {
    return new TextDecoder().decode(bytes)
  }
}

async function readBytes(response: PostResponse, max: number): Promise<{ bytes: Uint8Array; isCut: boolean }> {
  const chunks: Uint8Array[] = []
  let total = 0
  for await (const chunk of response.chunks()) {
    const room = max - total
    chunks.push(chunk.length > room ? chunk.subarray(0, room) : chunk)
    total += Math.min(chunk.length, room)
    if (chunk.length > room) {
      response.cancel()
      return { bytes: join(chunks, total), isCut: true }
    }
  }
  return { bytes: join(chunks, total), isCut: false }
}

function join(chunks: readonly Uint8Array[], total: number): Uint8Array {
  const [first] = chunks
  if (chunks.length === 1 && first !== undefined) return first
  const whole = new Uint8Array(total)
  let at = 0
  for (const chunk of chunks) {
    whole.set(chunk, at)
    at += chunk.length
  }
  return whole
}

/** `undefined` for what is no JSON, or nests deeper than anyone reads. */
export function parseJSON(text: string): { readonly value: unknown } | undefined {
  if (findBreach(new TextEncoder().encode(text), STRUCTURE) !== undefined) return undefined
  try {
    return { value: JSON.parse(text) }
  } catch {
    return undefined
  }
}

/** Events and lines of JSON, told as they come. What was read when the time is over is the answer. */
async function readItems(
  response: PostResponse,
  answer: Omit<ReadAnswer, 'json'>,
  limits: ReadLimits,
): Promise<ReadAnswer> {
  const items: unknown[] = []
  const split = answer.kind === 'events' ? createEventSplitter(limits.maxDownloadBytes) : createLineSplitter()
  const decoder = new TextDecoder()
  let bytes = 0
  let isCut = false
  const take = (texts: readonly string[]) => {
    for (const text of texts) {
      if (items.length >= MAX_ITEMS) {
        isCut = true
        return
      }
      const shown = limits.hider.text(text, isCut)
      const json = parseJSON(text)
      items.push(json === undefined ? shown : limits.hider.json(json.value))
      limits.onItem(items.length, shown)
    }
  }
  try {
    for await (const chunk of response.chunks()) {
      bytes += chunk.length
      take(split(decoder.decode(chunk, { stream: true }), false))
      isCut ||= bytes >= limits.maxDownloadBytes
      if (isCut) break
    }
    take(split(decoder.decode(), true))
  } catch (error) {
    if (items.length === 0 || !limits.isAborted()) throw error
    isCut = true
  } finally {
    response.cancel()
  }
  return { ...answer, isCut, json: { value: items } }
}

type Splitter = (text: string, isEnd: boolean) => string[]

function createEventSplitter(maxLength: number): Splitter {
  const parser = new SseParser(maxLength, {})
  return (text, isEnd) => {
    const found: string[] = []
    parser.push(isEnd ? `${text}\n\n` : text)
    for (;;) {
      const step = parser.read(1_000)
      if (step === undefined) return found
      if (step !== PAUSED && step.data !== '[DONE]') found.push(step.data)
    }
  }
}

/** RFC 7464 puts a record separator before each text; the others end each with a line break. */
export function createLineSplitter(): Splitter {
  // In pieces, so that a line that does not end is not read again with each of them.
  let held: string[] = []
  return (text, isEnd) => {
    const parts = text.replaceAll('\u001e', '\n').split('\n')
    held.push(parts[0] as string)
    if (parts.length === 1 && !isEnd) return []
    parts[0] = held.join('')
    held = isEnd ? [] : [parts.pop() as string]
    return parts.map((part) => part.trim()).filter((part) => part !== '')
  }
}
