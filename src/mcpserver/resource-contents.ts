// What a resource's reader returns, as the contents that a client gets.
import { isPlainObject } from '../primitives/objects.ts'
import type { BlobResourceContents, ReadResourceResult, TextResourceContents } from '../types/resources.ts'
import { checkBlob, isBytes, toBase64 } from './media.ts'
import { toJSONForm } from './plain-json.ts'

type Contents = TextResourceContents | BlobResourceContents

const RESULT_MEMBERS: ReadonlySet<string> = new Set(['contents', '_meta', 'resultType', 'ttlMs', 'cacheScope'])

/**
 * The result for a value; `undefined` where the reader says that there is no such resource, by no value or no contents. An
 * error counts as thrown.
 */
export function toReadResult(
  value: unknown,
  uri: string,
  mimeType: string | undefined,
): ReadResourceResult | undefined {
  if (value === undefined || value === null) return undefined
  if (value instanceof Error) throw value
  if (isWholeReadResult(value)) return value.contents.length === 0 ? undefined : withReadableBlobs(value)
  if (isContentsList(value)) return withReadableBlobs({ contents: value })
  return { contents: [toContents(value, uri, mimeType)] }
}

function toContents(value: unknown, uri: string, mimeType: string | undefined): Contents {
  if (typeof value === 'string') return { uri, mimeType: mimeType ?? 'text/plain', text: value }
  if (isBytes(value)) return { uri, mimeType: mimeType ?? 'application/octet-stream', blob: toBase64(value) }
  if (isContents(value)) return checkBlob(value)
  return { uri, mimeType: mimeType ?? 'application/json', text: toJSONForm(value).text }
}

function withReadableBlobs(result: ReadResourceResult): ReadResourceResult {
  for (const contents of result.contents) checkBlob(contents)
  return result
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
