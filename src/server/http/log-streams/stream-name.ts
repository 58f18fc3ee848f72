// The names of streams whose events are in logs, and the ids of their events, from which any node can tell log and writer.
import { decodeBase64UrlText, encodeBase64Url, encodeBase64UrlText } from '../../../primitives/base64.ts'
import { sha256 } from '../../../primitives/sha256.ts'
import type { RequestId } from '../../../types/protocol/jsonrpc.ts'

/** The node that writes the stream, and 132 random bits. */
const NODE_LENGTH = 12
const RANDOM_BYTES = 17
const RANDOM_LENGTH = 22

/** `<stream>.<number>`; the beginning may have the ids of the requests behind it. */
const EVENT_ID = /^([\w-]{34})\.(0|[1-9][0-9]{0,14})(?:\.([\w-]{1,128}))?$/
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

export interface EventName {
  readonly stream: string
  readonly seq: number
  /** Of the requests that the stream answers, where the client has seen nothing but the beginning. */
  readonly ids: readonly RequestId[]
}

/** `undefined` for what no stream on a log has sent. */
export function parseEventId(text: string): EventName | undefined {
  const [, stream, seq, ids] = EVENT_ID.exec(text) ?? []
  if (stream === undefined) return undefined
  return { stream, seq: Number(seq), ids: ids === undefined ? [] : (parseIds(decodeBase64UrlText(ids)) ?? []) }
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
