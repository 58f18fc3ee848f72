// Failed requests and unexpected responses, as errors that say what happened and what to do.

import { settlesWithin } from '../primitives/async/timer.ts'
import { type ErrorSlug, withHelp } from '../primitives/help.ts'
import { TransportError } from '../types/errors/failures.ts'
import { displayUrl } from './display-url.ts'
import type { PostResponse } from './poster.ts'
import { readRetryAfter } from './retry-after.ts'

const REASONS = new Map([
  ['ECONNREFUSED', 'nothing accepts connections there; check that the server is running and that the port is right'],
  ['ENOTFOUND', 'the host name is not known; check its spelling and your network'],
  ['EAI_AGAIN', 'the host name could not be looked up; check your network'],
  ['EHOSTUNREACH', 'the host cannot be reached; check your network'],
  ['ENETUNREACH', 'the network cannot be reached; check your connection'],
  ['ETIMEDOUT', 'the host did not respond in time'],
  ['UND_ERR_CONNECT_TIMEOUT', 'the host did not respond in time'],
  ['UND_ERR_HEADERS_TIMEOUT', "no response came before fetch's own timeout; pass a fetch with a longer one"],
  ['UND_ERR_BODY_TIMEOUT', "the stream was silent for longer than fetch's own timeout; pass a fetch with a longer one"],
  ['ECONNRESET', 'the connection was cut; the server may have acted on the request'],
  ['UND_ERR_SOCKET', 'the connection was cut; the server may have acted on the request'],
  ['EPIPE', 'the connection was cut while sending'],
  ['EPROTO', 'the TLS handshake failed; check that the server uses https on this port'],
  ['ERR_SSL_WRONG_VERSION_NUMBER', 'the TLS handshake failed; check that the server uses https on this port'],
  ['HPE_HEADER_OVERFLOW', 'the headers of the response are too large'],
  ['ERR_INVALID_CHAR', 'a header has a character that HTTP does not allow'],
])

const CERTIFICATE = /CERT|SELF_SIGNED|UNABLE_TO_|ERR_TLS/
const MAX_CAUSES = 5

/** Explains why a request failed before its response was complete; the error is the cause of the new one. */
export function explainFailure(error: unknown, url: string): TransportError {
  if (error instanceof TransportError) return error
  const code = codeOf(error)
  const reason = reasonOf(code) ?? 'the connection failed; see the cause'
  const failure = new TransportError(`No complete response from ${displayUrl(url)}: ${reason}`, { cause: error })
  return withHelp(pageOf(code), failure)
}

function pageOf(code = ''): ErrorSlug {
  if (code === 'ECONNREFUSED') return 'connection-refused'
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'host-not-found'
  if (code === 'EPROTO' || code.startsWith('ERR_SSL') || CERTIFICATE.test(code)) return 'tls'
  if (/UNREACH$|TIMEDOUT$|CONNECT_TIMEOUT$/.test(code)) return 'host-unreachable'
  return code.startsWith('HPE_') ? 'not-an-mcp-server' : 'connection-lost'
}

function reasonOf(code: string | undefined): string | undefined {
  if (code === undefined) return undefined
  const known = REASONS.get(code)
  if (known !== undefined) return known
  if (CERTIFICATE.test(code)) return `the certificate of the server is not trusted (${code})`
  if (code.startsWith('HPE_')) return `the response is not HTTP (${code}); check the scheme and the port`
  if (code.startsWith('Z_') || code.startsWith('ERR__ERROR_')) {
    return `the body does not match its Content-Encoding (${code})`
  }
  return code
}

/** The code of the innermost error that has one, since `fetch` wraps it. */
function codeOf(error: unknown): string | undefined {
  let code: string | undefined
  let current = error
  for (let depth = 0; depth < MAX_CAUSES && typeof current === 'object' && current !== null; depth++) {
    const here: unknown = 'code' in current ? current.code : undefined
    if (typeof here === 'string') code = here
    current = 'cause' in current ? current.cause : undefined
  }
  return code
}

const EXCERPT_BYTES = 1_024
const EXCERPT_LENGTH = 200
/** A server that fails may never end its body. */
const EXCERPT_WAIT_MS = 1_000
const MAX_HEADER_LENGTH = 100

/** An `Authorization` header in the error page of a server that shows the request. Plain words do not match. */
const CREDENTIALS = /\b(bearer|dpop|basic)\s+(?=[a-z]*(?:[\d._~+/-]+\w|=))[\w.~+/-]{8,}=*(?![\w.~+/=-])/gi

const REQUEST_ID_HEADERS = ['x-request-id', 'request-id', 'x-correlation-id', 'cf-ray', 'x-amzn-requestid']

const ADVICE = new Map([
  [401, 'the server requires authorization; pass a token or a provider with the option `auth`'],
  [403, 'the server forbids this; check the token, its scopes and the allowed origins'],
  [404, 'nothing is there; check the path of the URL'],
  [405, 'the server does not accept this method; check that the URL is the MCP endpoint'],
  [406, 'the server has no response of a supported type'],
  [413, 'the message is too large for the server'],
  [415, 'the server does not accept JSON here; check that the URL is the MCP endpoint'],
  [429, 'the server limits the rate of requests'],
  [431, 'the headers are too large for the server'],
  [502, 'a proxy did not reach the server'],
  [503, 'the server is overloaded or starting'],
  [504, 'a proxy gave up waiting for the server'],
])

const STATUS_PAGES = new Map<number, ErrorSlug>([
  [401, 'unauthorized'],
  [403, 'forbidden'],
  [404, 'not-an-mcp-server'],
  [405, 'not-an-mcp-server'],
  [406, 'not-an-mcp-server'],
  [415, 'not-an-mcp-server'],
])

/**
 * Explains a response that `what` did not expect: status, type, request id and the beginning of its body. Reads no more than
 * that, for a second at most, and cancels the response. Never rejects. With `isMCP` the body was a message of MCP: it is an MCP server,
 * and the message says what is wrong with the request.
 */
export async function explainResponse(response: PostResponse, what: string, isMCP = false): Promise<TransportError> {
  const { status } = response
  const excerpt = await readExcerpt(response)
  const advice = ADVICE.get(status) ?? (status >= 500 ? 'the server failed' : undefined)
  const parts = [
    `${what}: ${displayUrl(response.url)} answered HTTP ${status}${describeHeaders(response)}`,
    ...(advice === undefined ? [] : [advice]),
    ...(excerpt === '' ? [] : [`body: ${excerpt}`]),
  ]
  const retryAfterMs = readRetryAfter(response.header('retry-after'))
  const options = retryAfterMs === undefined ? { status } : { status, retryAfterMs }
  const error = new TransportError(parts.join('; '), options)
  const page = status < 300 ? 'not-an-mcp-server' : (STATUS_PAGES.get(status) ?? 'http-error')
  if (isMCP && (status === 400 || page === 'not-an-mcp-server')) {
    return Object.defineProperty(error, 'help', { value: undefined })
  }
  return withHelp(page, error)
}

function describeHeaders(response: PostResponse): string {
  const type = response.header('content-type')
  const idHeader = REQUEST_ID_HEADERS.find((name) => response.header(name) !== undefined)
  const id = idHeader && response.header(idHeader)
  const facts = [
    type === undefined ? 'no content type' : printable(type, MAX_HEADER_LENGTH),
    ...(id === undefined ? [] : [`request id ${printable(id, MAX_HEADER_LENGTH)}`]),
  ]
  return ` (${facts.join(', ')})`
}

async function readExcerpt(response: PostResponse): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  const reading = (async () => {
    let bytes = 0
    for await (const chunk of response.chunks()) {
      text += decoder.decode(chunk.subarray(0, EXCERPT_BYTES - bytes), { stream: true })
      bytes += chunk.length
      if (bytes >= EXCERPT_BYTES) return
    }
  })()
  // A body that cannot be read is ignored: the status alone is an error.
  reading.catch(() => {})
  await settlesWithin(reading, EXCERPT_WAIT_MS)
  response.cancel()
  const shown = text.trim().replace(CREDENTIALS, '$1 ***')
  return shown === '' ? '' : JSON.stringify(printable(shown, EXCERPT_LENGTH))
}

function printable(text: string, maxLength: number): string {
  // Control characters could manipulate the terminal that shows the error.
  const line = text.replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
  return line.length > maxLength ? `${line.slice(0, maxLength)}…` : line
}
