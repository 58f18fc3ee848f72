// What an unexpected response has to say for itself, as an error that tells its reader what to do.
import { settlesWithin } from '../primitives/async/timer.ts'
import { TransportError } from '../types/errors/failures.ts'
import { displayUrl } from './connect-failure.ts'
import type { PostResponse } from './poster.ts'

const EXCERPT_BYTES = 1_024
const EXCERPT_LENGTH = 200
/** A server that errs may well never end its body. */
const EXCERPT_WAIT_MS = 1_000
const MAX_HEADER_LENGTH = 100

/** What an `Authorization` header looks like in the page of a server that shows the request it failed on; words are none. */
const CREDENTIALS = /\b(bearer|dpop|basic)\s+(?=[a-z]*(?:[\d._~+/-]+\w|=))[\w.~+/-]{8,}=*(?![\w.~+/=-])/gi

const REQUEST_ID_HEADERS = ['x-request-id', 'request-id', 'x-correlation-id', 'cf-ray', 'x-amzn-requestid']

const ADVICE = new Map([
  [401, 'the server asks for authorization; pass a token or a provider with the option `auth`'],
  [403, 'the server forbids this; check the token, its scopes and the allowed origins'],
  [404, 'nothing is there; check the path of the URL'],
  [405, 'the server does not take this method; is this the MCP endpoint?'],
  [406, 'the server offers no answer of a type that we read'],
  [413, 'the message is too large for the server'],
  [415, 'the server does not take JSON here; is this the MCP endpoint?'],
  [429, 'the server asks to slow down'],
  [431, 'the headers are too large for the server'],
  [502, 'a proxy did not reach the server'],
  [503, 'the server is overloaded or starting'],
  [504, 'a proxy gave up waiting for the server'],
])

/**
 * Explains a response that `what` did not expect: status, type, request id and the beginning of its body. Reads no more than
 * that, for a second at most, and gives the response up. Never rejects.
 */
export async function explainResponse(response: PostResponse, what: string): Promise<TransportError> {
  const { status } = response
  const excerpt = await readExcerpt(response)
  const advice = ADVICE.get(status) ?? (status >= 500 ? 'the server failed' : undefined)
  const parts = [
    `${what}: ${displayUrl(response.url)} answered HTTP ${status}${describeHeaders(response)}`,
    ...(advice === undefined ? [] : [advice]),
    ...(excerpt === '' ? [] : [`body: ${excerpt}`]),
  ]
  return new TransportError(parts.join('; '), { status })
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
  // What could not be read is no news: the status alone is an error.
  reading.catch(() => {})
  await settlesWithin(reading, EXCERPT_WAIT_MS)
  response.cancel()
  const shown = text.trim().replace(CREDENTIALS, '$1 ***')
  return shown === '' ? '' : JSON.stringify(printable(shown, EXCERPT_LENGTH))
}

function printable(text: string, maxLength: number): string {
  // Control characters could rewrite the terminal of whoever reads the error.
  const line = text.replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
  return line.length > maxLength ? `${line.slice(0, maxLength)}…` : line
}
