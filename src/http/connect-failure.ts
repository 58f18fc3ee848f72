// Why no response came, in words: the codes of sockets, names and certificates mean little to whoever reads them.
import { TransportError } from '../types/errors/failures.ts'

/** Nothing of the request has left, so that repeating it is safe whatever it asks for. */
const UNSENT = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
])

const REASONS = new Map([
  ['ECONNREFUSED', 'nothing accepts connections there; is the server running, and is the port right?'],
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
  ['EPROTO', 'no secure connection came about; does the server speak https on this port?'],
  ['ERR_SSL_WRONG_VERSION_NUMBER', 'no secure connection came about; does the server speak https on this port?'],
  ['HPE_HEADER_OVERFLOW', 'the headers of the response are too large'],
  ['ERR_INVALID_CHAR', 'a header holds a character that HTTP does not allow'],
])

const CERTIFICATE = /CERT|SELF_SIGNED|UNABLE_TO_|ERR_TLS/
const MAX_CAUSES = 5

/** What made a request fail before its response was complete, as one explained error that keeps it as its cause. */
export function explainFailure(error: unknown, url: string): TransportError {
  if (error instanceof TransportError) return error
  const reason = reasonOf(codeOf(error)) ?? 'the connection failed; see the cause'
  return new TransportError(`No complete response from ${displayUrl(url)}: ${reason}`, { cause: error })
}

/** Whether a failed request is known not to have reached the server. */
export function isKnownUnsent(error: unknown): boolean {
  const code = codeOf(error)
  return code !== undefined && UNSENT.has(code)
}

/** A URL fit for messages: its query and user may be secrets. */
export function displayUrl(url: string): string {
  if (!URL.canParse(url)) return 'an invalid URL'
  const { origin, pathname } = new URL(url)
  return `${origin}${pathname}`
}

function reasonOf(code: string | undefined): string | undefined {
  if (code === undefined) return undefined
  const known = REASONS.get(code)
  if (known !== undefined) return known
  if (CERTIFICATE.test(code)) return `the certificate of the server is not trusted (${code})`
  if (code.startsWith('HPE_')) return `the answer is no HTTP (${code}); check the scheme and the port`
  if (code.startsWith('Z_') || code.startsWith('ERR__ERROR_')) {
    return `the body is not what its Content-Encoding says (${code})`
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
