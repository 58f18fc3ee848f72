// An answer of an API as the result of a tool.
import { encodeBase64 } from '../../primitives/base64.ts'
import { isPlainObject, ownMember } from '../../primitives/json/objects.ts'
import type { ContentBlock } from '../../types/features/content.ts'
import type { CallToolResult } from '../../types/features/tools.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import { type CutValue, cutJSON, cutLines } from './cut.ts'
import type { ReadAnswer } from './read-answer.ts'

export interface ResultRules {
  readonly maxBytes: number
  /** What is kept of a JSON body. */
  readonly pick?: ((body: unknown) => unknown) | undefined
  /** Whether the value fits the schema of the document; `undefined` where it has none for this answer. */
  readonly fits: (value: unknown, status: number) => boolean | undefined
  /** Called for each answer that does not fit. */
  readonly onMisfit: () => void
  /** An answer that does not fit is a failure. */
  readonly isStrict: boolean
  /** Whether structured content may be anything: otherwise only objects are. */
  readonly takesAnything: boolean
  /** Whether the tool lists an output schema, which the value has to fit as it is. */
  readonly listsOutput: boolean
}

export const HTTP_META_KEY = 'mcpwire/http'
const MAX_HEADER = 2_000
const MAX_ERROR_BYTES = 10_000

/** A result of a status below 300. */
export function toResult(answer: ReadAnswer, rules: ResultRules): CallToolResult {
  const _meta = { [HTTP_META_KEY]: httpMeta(answer) }
  if (answer.kind === 'nothing') return { content: [textBlock(`Done (${answer.status})`)], _meta }
  if (answer.json !== undefined) return { ...jsonResult(answer.json.value, answer, rules), _meta }
  if (answer.kind === 'binary' || answer.kind === 'media') return { ...bytesResult(answer, rules), _meta }
  const cut = cutLines(answer.text, rules.maxBytes)
  const note = cut.note ?? (answer.isCut ? 'The answer was too large and was cut.' : undefined)
  return { content: withNote([textBlock(cut.text)], note), _meta }
}

function jsonResult(body: unknown, answer: ReadAnswer, rules: ResultRules): CallToolResult {
  const isFitting = rules.fits(body, answer.status) !== false
  if (!isFitting) {
    rules.onMisfit()
    if (rules.isStrict) {
      return failure('The API answered with a value that does not fit its description.')
    }
  }
  const picked = rules.pick === undefined ? body : rules.pick(body)
  const cut = cutJSON(picked ?? null, rules.maxBytes, rules.listsOutput)
  const note = cut.note ?? (answer.isCut ? 'The stream was longer; this is its beginning.' : undefined)
  const isWhole = rules.pick === undefined && note === undefined && answer.bytes.length <= rules.maxBytes
  const content = withNote([textBlock(isWhole && answer.text !== '' ? answer.text : cut.text)], note)
  return isFitting ? { content, structuredContent: structured(cut, rules) } : { content }
}

/** Revisions before 2026-07-28 have objects only. A tool with an output schema is wrapped by the server itself. */
function structured({ value }: CutValue, { takesAnything, listsOutput }: ResultRules): JSONObject {
  if (takesAnything || listsOutput || isPlainObject(value)) return value as JSONObject
  return { result: value } as JSONObject
}

function bytesResult({ bytes, type, kind, isCut }: ReadAnswer, { maxBytes }: ResultRules): CallToolResult {
  const data = encodeBase64(bytes)
  // Half an image is none.
  if (isCut || data.length > Math.max(maxBytes, 100_000) * 50) {
    return failure(`The API answered with ${type || 'bytes'} that are too large to pass on.`)
  }
  const mimeType = type || 'application/octet-stream'
  if (kind === 'media' && mimeType.startsWith('image/')) return { content: [{ type: 'image', data, mimeType }] }
  if (kind === 'media') return { content: [{ type: 'audio', data, mimeType }] }
  return { content: [{ type: 'resource', resource: { uri: 'openapi:answer', mimeType, blob: data } }] }
}

export function textBlock(text: string): ContentBlock {
  return { type: 'text', text }
}

function withNote(content: ContentBlock[], note: string | undefined): ContentBlock[] {
  return note === undefined ? content : [...content, textBlock(note)]
}

export function failure(text: string): CallToolResult {
  return { content: [textBlock(text)], isError: true }
}

function httpMeta({ status, header }: ReadAnswer): JSONObject {
  const location = header('location')?.slice(0, MAX_HEADER)
  const next = nextLink(header('link')?.slice(0, MAX_HEADER * 4))
  return { status, ...(location !== undefined && { location }), ...(next !== undefined && { next }) }
}

/** RFC 8288: the target of the link to the next page. */
function nextLink(header: string | undefined): string | undefined {
  const link = header?.split(/,(?=\s*<)/).find((part) => /;\s*rel\s*=\s*"?(?:[^";]*\s)?next(?:\s|"|;|$)/i.test(part))
  return link === undefined ? undefined : /<([^>]{1,2000})>/.exec(link)?.[1]
}

const REASONS: Readonly<Record<number, string>> = {
  ...{ 400: 'Bad Request', 401: 'Unauthorized', 402: 'Payment Required', 403: 'Forbidden', 404: 'Not Found' },
  ...{ 405: 'Method Not Allowed', 406: 'Not Acceptable', 408: 'Request Timeout', 409: 'Conflict', 410: 'Gone' },
  ...{ 412: 'Precondition Failed', 413: 'Content Too Large', 415: 'Unsupported Media Type' },
  ...{ 422: 'Unprocessable Content', 423: 'Locked', 429: 'Too Many Requests', 451: 'Unavailable For Legal Reasons' },
  ...{ 500: 'Internal Server Error', 501: 'Not Implemented', 502: 'Bad Gateway', 503: 'Service Unavailable' },
  ...{ 504: 'Gateway Timeout' },
}

/** A status of 400 and above: what the API says about it, for the model. */
export function toFailure(answer: ReadAnswer, retryAfterMs: number | undefined): CallToolResult {
  const { status } = answer
  const reason = REASONS[status]
  const lines = [
    `The API answered HTTP ${status}${reason === undefined ? '' : ` ${reason}`}.`,
    explainBody(answer),
    retryAfterMs === undefined ? '' : `Try again in ${Math.ceil(retryAfterMs / 1_000)} s.`,
  ]
  return {
    ...failure(lines.filter((line) => line !== '').join('\n')),
    _meta: { [HTTP_META_KEY]: httpMeta(answer) },
  }
}

function explainBody({ kind, type, text, json }: ReadAnswer): string {
  if (json !== undefined) {
    if (type === 'application/problem+json') return problemText(json.value)
    return cutJSON(json.value, MAX_ERROR_BYTES, false).text
  }
  if (kind === 'binary' || kind === 'media' || kind === 'nothing') return ''
  return type === 'text/html' ? htmlText(text) : cutLines(text.trim(), MAX_ERROR_BYTES).text
}

/** RFC 9457. */
function problemText(value: unknown): string {
  const texts = ['title', 'detail'].map((key) => ownMember(value, key)).filter((text) => typeof text === 'string')
  const said = texts.join(': ')
  const { title: _title, detail: _detail, status: _status, type: _type, ...others } = isPlainObject(value) ? value : {}
  const rest = Object.keys(others).length === 0 ? '' : cutJSON(others, MAX_ERROR_BYTES, false).text
  return [said, rest].filter((part) => part !== '').join('\n')
}

const MAX_HTML = 300

function htmlText(html: string): string {
  // Short enough that tags which never end cost nothing.
  const head = html.slice(0, 20_000)
  const title = plain(/<title[^>]{0,200}>([^<]{0,500})/i.exec(head)?.[1] ?? '')
  const body = plain(
    head
      .replace(/<(script|style|head|title)\b[^>]{0,1000}>[\s\S]{0,2000}?<\/\1>/gi, ' ')
      .replace(/<[^>]{0,1000}>/g, ' '),
  )
  return [title, body.slice(0, MAX_HTML)].filter((text) => text !== '').join('\n')
}

function plain(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}
