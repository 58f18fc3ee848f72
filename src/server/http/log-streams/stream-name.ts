// The names of streams whose events are in logs, and the ids of their events, from which any node can tell log and writer.
import { decodeBase64UrlText, encodeBase64Url, encodeBase64UrlText } from '../../../primitives/base64.ts'
import { sha256 } from '../../../primitives/sha256.ts'
import type { RequestId } from '../../../types/protocol/jsonrpc.ts'

/** The node that writes the stream, and 132 random bits. */
const NODE_LENGTH = 12
const RANDOM_BYTES = 17
const RANDOM_LENGTH = 22

/** `<stream>.<number>`; behind it the beginning may have the ids of the requests, and an event of a session's own stream has its mark. */
const EVENT_ID = /^([\w-]{34})\.(0|[1-9][0-9]{0,14})(?:\.([\w-]{1,128}))?$/
const POSITION = /^(0|[1-9][0-9]{0,14})(?:\.([\w-]{1,128}))?$/
/** In place of a number: an event that is in no log. Whoever resumes after it is refused, also where the log could not be dropped. */
export const NO_EVENT = 'x'
const MAX_IDS_LENGTH = 128
const MAX_IDS = 256

const encoder = new TextEncoder()

export function createStreamName(node: string): string {
  const random = encodeBase64Url(crypto.getRandomValues(new Uint8Array(RANDOM_BYTES)))
  return node + random.slice(0, RANDOM_LENGTH)
}

export function writerOf(stream: string): string {
  return stream.slice(0, NODE_LENGTH)
}

/** A digest: who has only one of the two can neither name nor find the log. */
export function logOf(streamKey: string, stream: string): string {
  return `l:${encodeBase64Url(sha256(encoder.encode(`${streamKey}:${stream}`)))}`
}

/**
 * An entry of a log with many writers. The engine numbers them, so that one that has lost entries gives their numbers to others:
 * the mark, chosen by the writer, tells them apart. Entries of other kinds, and those of older releases, have none.
 */
export interface Position {
  readonly seq: number
  readonly mark?: string | undefined
}

export interface EventName extends Position {
  readonly stream: string
  /** Of the requests that the stream answers, where the client has seen nothing but the beginning. */
  readonly ids: readonly RequestId[]
}

/** `undefined` for what no stream on a log has sent. */
export function parseEventId(text: string): EventName | undefined {
  const [, stream, seq, rest] = EVENT_ID.exec(text) ?? []
  if (stream === undefined) return undefined
  if (seq !== '0') return { stream, seq: Number(seq), mark: rest, ids: [] }
  return { stream, seq: 0, ids: rest === undefined ? [] : (parseIds(decodeBase64UrlText(rest)) ?? []) }
}

/** The second part of the id of an event in a session's own stream. */
export function positionText({ seq, mark }: Position): string {
  return mark === undefined ? `${seq}` : `${seq}.${mark}`
}

/** `undefined` for a text that is none. */
export function parsePosition(text: string): Position | undefined {
  const [, seq, mark] = POSITION.exec(text) ?? []
  return seq === undefined ? undefined : { seq: Number(seq), mark }
}

/**
 * The id of the beginning of a stream. Nothing is stored before the first message, so that the client keeps the ids for us: they
 * are needed to answer its requests where the node is lost before that.
 */
export function beginningOf(ids: readonly RequestId[]): string {
  if (ids.length === 0) return '0'
  const text = encodeBase64UrlText(JSON.stringify(ids))
  return text.length > MAX_IDS_LENGTH ? '0' : `0.${text}`
}

/** The ids of requests as JSON; `undefined` for anything else. */
export function parseIds(text: string | undefined): readonly RequestId[] | undefined {
  if (text === undefined) return undefined
  try {
    const ids: unknown = JSON.parse(text)
    return Array.isArray(ids) && ids.length <= MAX_IDS && ids.every(isRequestId) ? ids : undefined
  } catch {
    return undefined
  }
}

function isRequestId(value: unknown): value is RequestId {
  return typeof value === 'string' || Number.isSafeInteger(value)
}
