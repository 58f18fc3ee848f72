// One request to an endpoint, as a client sends it first: what answers, in which form. Changes nothing on the server.
import { type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  LATEST_PROTOCOL_VERSION,
  PROTOCOL_VERSION_META_KEY,
} from 'mcpwire/types'
import { readVersion } from '../terminal/version.ts'
import { within } from './findings/within.ts'

export interface ProbeAnswer {
  readonly url: string
  readonly status: number
  /** In lower case, without parameters; empty where there is none. */
  readonly type: string
  readonly location: string | undefined
  readonly challenge: string | undefined
  /** The beginning of the body; of an event stream nothing. */
  readonly body: string
  readonly ms: number
}

const MAX_BODY_BYTES = 64 * 1024

export interface ProbeOptions {
  readonly headers: Readonly<Record<string, string>>
  readonly ms: number
  readonly signal: AbortSignal
}

/** `server/discover`, which a legacy server answers with an error, and which starts no session. */
export function probeEndpoint(url: string, options: ProbeOptions): Promise<ProbeAnswer> {
  const meta = {
    [PROTOCOL_VERSION_META_KEY]: LATEST_PROTOCOL_VERSION,
    [CLIENT_INFO_META_KEY]: { name: 'mcpwire-doctor', version: readVersion() },
    [CLIENT_CAPABILITIES_META_KEY]: {},
  }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'server/discover', params: { _meta: meta } })
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': LATEST_PROTOCOL_VERSION,
    'mcp-method': 'server/discover',
  }
  return send(url, { method: 'POST', headers: { ...headers, ...options.headers }, body }, options)
}

/** The stream of a server that speaks HTTP+SSE, the transport of 2024-11-05. */
export function probeStream(url: string, options: ProbeOptions): Promise<ProbeAnswer> {
  return send(url, { method: 'GET', headers: { accept: 'text/event-stream', ...options.headers } }, options)
}

interface Sent {
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

/** By `node:http`: on Node 20 `fetch` waits for ever where the connection is cut before the request is written. */
function send(url: string, sent: Sent, { ms, signal }: ProbeOptions): Promise<ProbeAnswer> {
  const startedAt = performance.now()
  return within(ms, signal, async (bounded) => {
    const response = await requestOnce(url, sent, bounded)
    const { statusCode = 0, headers } = response
    const type = (headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? ''
    const took = Math.round(performance.now() - startedAt)
    const body = type === 'text/event-stream' ? '' : await readStart(response)
    response.destroy()
    return {
      url,
      status: statusCode,
      type,
      location: headers.location,
      challenge: headers['www-authenticate'],
      body,
      ms: took,
    }
  })
}

/** Follows no redirect. */
function requestOnce(url: string, { method, headers, body }: Sent, signal: AbortSignal): Promise<IncomingMessage> {
  const request = url.startsWith('https:') ? requestHttps : requestHttp
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { method, headers, signal, agent: false }, resolve)
    outgoing.once('error', reject)
    outgoing.end(body)
  })
}

async function readStart(response: IncomingMessage): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  for await (const chunk of response as AsyncIterable<Uint8Array>) {
    text += decoder.decode(chunk, { stream: true })
    bytes += chunk.length
    if (bytes >= MAX_BODY_BYTES) break
  }
  return text
}
