// What a resource's reader returns, as the contents that a client gets.
import { encodeBase64 } from '../primitives/base64.ts'
import { isPlainObject } from '../primitives/objects.ts'
import type { BlobResourceContents, ReadResourceResult, TextResourceContents } from '../types/resources.ts'
import { toJSONForm } from './plain-json.ts'

type Contents = TextResourceContents | BlobResourceContents

const RESULT_MEMBERS: ReadonlySet<string> = new Set(['contents', '_meta', 'resultType', 'ttlMs', 'cacheScope'])

/** The result for a value; `undefined` where the reader says that there is no such resource. */
export function toReadResult(
  value: unknown,
  uri: string,
  mimeType: string | undefined,
): ReadResourceResult | undefined {
  if (value === undefined || value === null) return undefined
  if (isWholeReadResult(value)) return value
  if (isContentsList(value)) return { contents: value }
  return { contents: [toContents(value, uri, mimeType)] }
}

function toContents(value: unknown, uri: string, mimeType: string | undefined): Contents {
  if (typeof value === 'string') return { uri, mimeType: mimeType ?? 'text/plain', text: value }
  if (value instanceof Uint8Array) {
    return { uri, mimeType: mimeType ?? 'application/octet-stream', blob: encodeBase64(value) }
  }
  if (isContents(value)) return value
  return { uri, mimeType: mimeType ?? 'application/json', text: toJSONForm(value).text }
}

function isWholeReadResult(value: unknown): value is ReadResourceResult {
  if (!isPlainObject(value) || !Array.isArray(value['contents'])) return false
  return Object.keys(value).every((member) => RESULT_MEMBERS.has(member)) && value['contents'].every(isContents)
}

/** An empty list is data: contents that are none would say that the resource is there and has nothing to read. */
function isContentsList(value: unknown): value is Contents[] {
  return Array.isArray(value) && value.length > 0 && value.every(isContents)
}

function isContents(value: unknown): value is Contents {
  if (!isPlainObject(value) || typeof value['uri'] !== 'string') return false
  return typeof value['text'] === 'string' || typeof value['blob'] === 'string'
}
