// What the tests of HTTP share: a client whose requests are seen, a client of a scripted server, and requests by hand.
import { onTestFinished } from 'vitest'
import { Client } from '../../../src/client/client.ts'
import type { ClientOptions } from '../../../src/client/client-options.ts'
import { streamableHttp } from '../../../src/client/transports/streamable-http.ts'
import { toFetch } from '../../../src/http/to-fetch.ts'
import { createHandler, type ServerHandler, type ServerTarget } from '../../../src/server/http/handler.ts'
import type { HandlerOptions } from '../../../src/server/http/handler-options.ts'
import type { Server } from '../../../src/server/server.ts'
import { FakeExchange, type FakeRequest } from '../../support/fake-exchange.ts'
import { type ModernRequest, modernBody, modernHeaders } from '../../support/modern-messages.ts'
import {
  type Answer,
  accepted,
  ENDPOINT,
  ScriptedHttp,
  type SeenRequest,
  welcome,
} from '../../unit/client/transports/scripted-http.ts'
import type { Setting } from './requirement.ts'

type Era = Pick<Setting, 'isModern'>

/** Also those that a client makes beside the calls. */
export interface SeenClient {
  readonly client: Client
  readonly requests: readonly SeenRequest[]
  readonly responses: readonly Response[]
}

/** A client of a real server, over web requests that the test can look at. */
export async function connectSeen({ isModern }: Era, server: Server, options: ClientOptions = {}): Promise<SeenClient> {
  const answer = toFetch(handlerOf(server))
  const responses: Response[] = []
  const url = 'http://localhost/mcp'
  const seen = new ScriptedHttp(async () => accepted())
  const fetch: typeof globalThis.fetch = async (input, init) => {
    void seen.fetch(input, init)
    const response = await answer(new Request(input, init))
    responses.push(response)
    return response
  }
  const client = await Client.connect(streamableHttp(url, { fetch }), {
    mode: isModern ? 'auto' : 'legacy',
    ...options,
  })
  onTestFinished(() => client.close())
  return { client, requests: seen.requests, responses }
}

/** Answers a request of the client, or leaves it to a server that does what is usual. */
export type Script = (request: SeenRequest) => Answer | undefined

/** A client of a server that is a script; a modern one takes the revision on trust, so that nothing comes before a call. */
export async function connectScriptedHttp(
  { isModern }: Era,
  script: Script,
): Promise<{ client: Client; http: ScriptedHttp }> {
  const http = scriptedHttp(script)
  const client = await Client.connect(streamableHttp(ENDPOINT, { fetch: http.fetch }), {
    mode: isModern ? '2026-07-28' : 'legacy',
    cache: false,
  })
  onTestFinished(() => client.close())
  return { client, http }
}

/** Shakes hands in sessions by the names `session-1`, `session-2` and so on, unless the script says otherwise. */
export function scriptedHttp(script: Script): ScriptedHttp {
  let sessions = 0
  return new ScriptedHttp((request) => {
    const answer = script(request)
    if (answer !== undefined) return answer
    if (request.method !== 'POST') return new Response(null, { status: 405 })
    if (request.message['method'] !== 'initialize') return accepted()
    sessions += 1
    return welcome(request, `session-${sessions}`)
  })
}

export function handlerOf(server: ServerTarget, options?: HandlerOptions): ServerHandler {
  const handler = createHandler(server, options)
  onTestFinished(() => handler.close({ drainMs: 0 }))
  return handler
}

/** Sends one modern request by hand; what `more` says goes before what belongs to the request. */
export function sendModern(handler: ServerHandler, request: ModernRequest, more: FakeRequest = {}): FakeExchange {
  const headers = { ...modernHeaders(request), ...more.headers }
  const exchange = new FakeExchange({ body: modernBody(request), ...more, headers })
  void handler(exchange)
  return exchange
}

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
}

/** Sends one message of the legacy era by hand. */
export function post(handler: ServerHandler, body: unknown, more: FakeRequest = {}): FakeExchange {
  const exchange = new FakeExchange({ body, ...more })
  void handler(exchange)
  return exchange
}

/** A session, and the headers that belong to it. */
export async function openSession(handler: ServerHandler, more: FakeRequest = {}): Promise<FakeRequest> {
  const opening = post(handler, INITIALIZE, more)
  await opening.answered
  const session = { ...more, headers: { ...more.headers, 'mcp-session-id': opening.replyHeaders['mcp-session-id'] } }
  await post(handler, { jsonrpc: '2.0', method: 'notifications/initialized' }, session).answered
  return session
}

/** The status of an answer, and the code of the error in it. */
export async function refusalBy(
  exchange: FakeExchange,
): Promise<[status: number | undefined, code: number | undefined]> {
  await exchange.answered
  const { error } = exchange.json as { error?: { code: number } }
  return [exchange.status, error?.code]
}
