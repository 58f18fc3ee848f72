// One request to an endpoint, as a client sends it first: what answers, in which form. Changes nothing on the server.
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

function send(url: string, init: RequestInit, { ms, signal }: ProbeOptions): Promise<ProbeAnswer> {
  const startedAt = performance.now()
  return within(ms, signal, async (bounded) => {
    const response = await fetch(url, { ...init, redirect: 'manual', signal: bounded })
    const type = (response.headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase() ?? ''
    const took = Math.round(performance.now() - startedAt)
    const body = type === 'text/event-stream' ? await discard(response) : await readStart(response)
    return {
      url,
      status: response.status,
      type,
      location: response.headers.get('location') ?? undefined,
      challenge: response.headers.get('www-authenticate') ?? undefined,
      body,
      ms: took,
    }
  })
}

async function readStart(response: Response): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  const reader = response.body?.getReader()
  for (;;) {
    const next = await reader?.read()
    if (next === undefined || next.done) return text
    text += decoder.decode(next.value, { stream: true })
    bytes += next.value.length
    if (bytes < MAX_BODY_BYTES) continue
    await reader?.cancel()
    return text
  }
}

async function discard(response: Response): Promise<string> {
  await response.body?.cancel()
  return ''
}
