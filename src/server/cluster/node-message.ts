// What nodes send each other, as text. Whoever can write to the engine can write this, so that it is read as text of a stranger.
import { decodeMessage, type MessageLimits } from '../../dispatcher/decode.ts'
import { isPlainObject } from '../../primitives/json/objects.ts'
import type { JSONObject, JSONValue } from '../../types/protocol/json.ts'

/** The version of the messages between nodes. Those of another version are ignored. */
const MESSAGE_VERSION = 1

const NODE_ID = /^[\w-]{12}$/
const KIND = /^[a-z][a-z0-9-]{0,31}$/
const MAX_RECEIPT = Number.MAX_SAFE_INTEGER

/** The kind of an answer to a message that asked for one. */
export const RECEIPT = 'receipt'

/** What a message may be at most once it is put together, in depth and elements too. */
const LIMITS: MessageLimits = Object.freeze({ maxBytes: 64 * 1024 * 1024, maxDepth: 72, maxElements: 200_000 })

export interface NodeMessage {
  readonly kind: string
  /** The id of the node that sent it. */
  readonly from: string
  readonly body: JSONValue
  /** The sender waits for an answer under this number; in an answer, the number that it belongs to. */
  readonly receipt?: number
}

export function isNodeId(value: unknown): value is string {
  return typeof value === 'string' && NODE_ID.test(value)
}

export function encodeNodeMessage({ kind, from, body, receipt }: NodeMessage): string {
  return JSON.stringify({ v: MESSAGE_VERSION, kind, from, receipt, body })
}

/** `undefined` for anything that is no message of this version. */
export function decodeNodeMessage(text: string): NodeMessage | undefined {
  const value = decodeObject(text)
  if (value === undefined || value['v'] !== MESSAGE_VERSION) return undefined
  const { kind, from, body = null, receipt } = value
  if (typeof kind !== 'string' || !KIND.test(kind) || !isNodeId(from)) return undefined
  if (receipt === undefined) return { kind, from, body: body as JSONValue }
  return isReceipt(receipt) ? { kind, from, body: body as JSONValue, receipt } : undefined
}

/** A JSON object within the limits; `undefined` for any other text. */
export function decodeObject(text: string): JSONObject | undefined {
  try {
    const value = decodeMessage(text, LIMITS)
    return isPlainObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

function isReceipt(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) > 0 && (value as number) <= MAX_RECEIPT
}
