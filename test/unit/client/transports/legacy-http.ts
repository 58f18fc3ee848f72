// A scripted server with a legacy session, and a client that is connected to it.
import { expect, onTestFinished } from 'vitest'
import { Client } from '../../../../src/client/client.ts'
import type { ClientOptions } from '../../../../src/client/client-options.ts'
import { type StreamableHttpOptions, streamableHttp } from '../../../../src/client/transports/streamable-http.ts'
import type { Fault } from '../../../../src/dispatcher/fault.ts'
import {
  type Answer,
  accepted,
  ENDPOINT,
  result,
  ScriptedHttp,
  type SeenRequest,
  TEXT,
  welcome,
} from './scripted-http.ts'

export type Script = (request: SeenRequest, http: ScriptedHttp) => Answer | undefined

export interface SetUp {
  client?: ClientOptions
  transport?: StreamableHttpOptions
  sessionId?: string
}

export const FAST = { initialDelayMs: 1, maxDelayMs: 2 }

/** A server with a session; the script answers first, and what it leaves alone gets the usual answer. */
export function serve(script: Script, sessionId: string | undefined = 'session-1'): ScriptedHttp {
  const http = new ScriptedHttp((request) => {
    const scripted = script(request, http)
    if (scripted !== undefined) return scripted
    if (request.method === 'GET') return new Response(null, { status: 405 })
    if (request.method === 'DELETE') return new Response(null, { status: 200 })
    if (request.message['method'] === 'initialize') return welcome(request, sessionId)
    if (request.message['id'] === undefined || request.message['method'] === undefined) return accepted()
    if (request.message['method'] === 'tools/list') return result(request, { tools: [] })
    return result(request, TEXT)
  })
  return http
}

export async function connect(script: Script, options: SetUp = {}) {
  const http = serve(script, options.sessionId)
  const faults: Fault[] = []
  const transport = streamableHttp(ENDPOINT, { fetch: http.fetch, reconnect: FAST, ...options.transport })
  const client = await Client.connect(transport, {
    mode: 'legacy',
    cache: false,
    onFault: (fault) => faults.push(fault),
    ...options.client,
  })
  onTestFinished(() => client.close())
  return { client, http, faults }
}

export const isCall = ({ message }: SeenRequest) => message['method'] === 'tools/call'
export const failureOf = (work: Promise<unknown>) =>
  work.then(
    () => expect.unreachable('this should have failed'),
    (failure: unknown) => failure,
  )
