// Step 6 for a URL: something answers there, and it is an MCP endpoint.
import { ErrorCode } from 'mcpwire/types'
import type { RemoteEntry } from '../install/server-entry.ts'
import { isPlainObject } from '../terminal/primitives.ts'
import { type Finding, fault, ok } from './findings/step.ts'
import { isTimeout } from './findings/within.ts'
import { type ProbeAnswer, probeEndpoint, probeStream } from './probe.ts'

export interface EndpointOptions {
  readonly entry: RemoteEntry
  /** The URLs to try, one after another. */
  readonly urls: readonly string[]
  readonly token: string | undefined
  readonly ms: number
  readonly signal: AbortSignal
}

export interface EndpointReport {
  readonly finding: Finding
  /** What answered at the URL to use. */
  readonly answer?: ProbeAnswer
  readonly url: string
}

export async function checkEndpoint(options: EndpointOptions): Promise<EndpointReport> {
  const { entry, urls, token, ms, signal } = options
  const headers = { ...entry.headers, ...(token !== undefined && { authorization: `Bearer ${token}` }) }
  const probe = entry.type === 'sse' ? probeStream : probeEndpoint
  const answers: ProbeAnswer[] = []
  try {
    for (const url of urls) {
      const answer = await probe(url, { headers, ms, signal })
      answers.push(answer)
      if (!isWrongPlace(answer)) return { finding: judge(answer), answer, url }
      const stream = await probeStream(url, { headers, ms, signal })
      if (stream.type === 'text/event-stream' && stream.status === 200) {
        return { finding: ok(`HTTP 200 (text/event-stream) for GET: an HTTP+SSE server`), answer: stream, url }
      }
    }
  } catch (error) {
    signal.throwIfAborted()
    const url = urls[answers.length] ?? urls[0] ?? entry.url
    return { finding: isTimeout(error) ? silent(url, ms) : lost(url, error), url }
  }
  const [first] = answers as [ProbeAnswer]
  const elsewhere = await findElsewhere(first.url, urls, { headers, ms, signal })
  return { finding: wrongPlace(answers, elsewhere), url: first.url }
}

/** Something answers, and it is no MCP endpoint. */
function isWrongPlace(answer: ProbeAnswer): boolean {
  const { status, type } = answer
  if (isProtocol(answer)) return false
  if (type === 'text/html') return status !== 401 && status !== 403
  if (status === 404 || status === 405 || status === 410 || status === 501) return true
  return status === 200 && type !== 'application/json' && type !== 'text/event-stream'
}

/** A JSON-RPC message, or the demand for a token. */
function isProtocol({ status, type, body, challenge }: ProbeAnswer): boolean {
  if (status === 200 && type === 'text/event-stream') return true
  if (status === 401 && challenge !== undefined) return true
  try {
    const value: unknown = JSON.parse(body)
    return isPlainObject(value) && value['jsonrpc'] === '2.0' && !(status === 404 && isInvalidRequest(value))
  } catch {
    return false
  }
}

/** A server of this package says at any other path where its endpoint is. A method that is not there has another code. */
function isInvalidRequest({ error }: Record<string, unknown>): boolean {
  return isPlainObject(error) && error['code'] === ErrorCode.InvalidRequest
}

function judge(answer: ProbeAnswer): Finding {
  const { status, ms, location } = answer
  const text = `${describe(answer)} in ${ms} ms`
  if (status >= 300 && status < 400) {
    const target =
      location !== undefined && URL.canParse(location, answer.url) ? new URL(location, answer.url).href : ''
    return fault(`${describe(answer)}: it redirects to ${target || 'another URL'}`, 'redirect-refused', {
      fix: target === '' ? 'Use the final URL.' : `Use the final URL: ${target}`,
    })
  }
  if (status === 401) return ok(`${text}: it requires authorization`)
  if (status === 403 && !isProtocol(answer)) return ok(`${text}: it refuses this caller`)
  if (status >= 500) {
    return fault(`${describe(answer)}: the server, or a proxy in front of it, failed`, 'http-error', {
      fix: 'Read the logs of the server, then try again.',
    })
  }
  return ok(text)
}

function wrongPlace(answers: readonly ProbeAnswer[], elsewhere: string | undefined): Finding {
  const isPage = answers.some(({ type }) => type === 'text/html')
  const details = answers.map((answer) => `POST ${answer.url}: ${describe(answer)}`)
  const [first] = answers as [ProbeAnswer]
  const what =
    first.type === 'text/html' ? `a web page answers, not an MCP endpoint` : 'nothing there is an MCP endpoint'
  return fault(`${describe(first)}: ${what}`, 'not-an-mcp-server', {
    cause: isPage
      ? 'The URL is the one of a web page. An MCP endpoint answers a POST with JSON or an event stream.'
      : undefined,
    fix: elsewhere === undefined ? 'Check the path of the URL. It is often /mcp.' : `Use this URL: ${elsewhere}`,
    details,
  })
}

/** The path that most servers have, on the same host. */
async function findElsewhere(
  url: string,
  tried: readonly string[],
  options: { headers: Record<string, string>; ms: number; signal: AbortSignal },
): Promise<string | undefined> {
  const usual = new URL('/mcp', url).href
  if (tried.includes(usual)) return undefined
  try {
    const answer = await probeEndpoint(usual, options)
    return isProtocol(answer) ? usual : undefined
  } catch {
    options.signal.throwIfAborted()
    return undefined
  }
}

function describe({ status, type }: ProbeAnswer): string {
  return `HTTP ${status} (${type === '' ? 'no content type' : type})`
}

function silent(url: string, ms: number): Finding {
  return fault(`${url} did not answer within ${ms / 1000} s`, 'server-silent', {
    cause: 'The server accepts connections, but does not answer a request in time.',
    fix: ['Read the logs of the server to see what it waits for.', 'Use --connect-timeout to wait longer.'],
  })
}

function lost(url: string, error: unknown): Finding {
  const { code, message } = error as { code?: unknown; message?: unknown }
  const reason = String(code ?? message)
  if (reason.startsWith('HPE_')) {
    return fault(`${url} answers with something that is not HTTP (${reason})`, 'not-an-mcp-server', {
      fix: 'Check the scheme and the port of the URL.',
    })
  }
  return fault(`The connection to ${url} was lost before it answered (${reason})`, 'connection-lost')
}
