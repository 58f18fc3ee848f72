// A proxy between a client and a source that are both in the hands of a test, in any pair of eras.
import { afterEach, expect, vi } from 'vitest'
import type { Fault } from '../../../src/dispatcher/fault.ts'
import type { ProxyOptions } from '../../../src/proxy/base/options.ts'
import { createProxy } from '../../../src/proxy/proxy.ts'
import { RawClient, type RawEra, type RawMessage, rawServer, targetOf } from '../../support/raw-peers.ts'
import type { ScriptedServer } from '../../support/scripted-server.ts'

/** What stands in it is closed after each test, the last first. */
export function closedAfterEach(): { close(): unknown }[] {
  const open: { close(): unknown }[] = []
  afterEach(async () => {
    vi.useRealTimers()
    for (const one of open.splice(0).reverse()) await one.close()
  })
  return open
}

export const NO_TOOLS = { tools: [], resultType: 'complete', ttlMs: 0, cacheScope: 'private' }

/** A source without tools of its own: a proxy looks a tool up before it calls it, for the headers that its arguments go into. */
export function sourceOf(back: RawEra): ScriptedServer {
  return rawServer(back).on('tools/list', NO_TOOLS)
}

/** A function that connects a client of one era to a source of the other or the same one, through a proxy. */
export function connectThrough(open: { close(): unknown }[]) {
  return async (front: RawEra, back: RawEra, options: ProxyOptions = {}, server = sourceOf(back)) => {
    const faults: Fault[] = []
    const proxy = createProxy(targetOf(server), { mode: back, onFault: (fault) => faults.push(fault), ...options })
    const client = await RawClient.open(proxy, front)
    open.push(proxy, client)
    const call = (params?: RawMessage, id: unknown = 'mine') => openCall(server, client, params, id)
    return { server, proxy, client, faults, call }
  }
}

/** A call that is open at the source, under the id and the token that it has there. */
export async function openCall(server: ScriptedServer, client: RawClient, params: RawMessage = {}, id?: unknown) {
  const count = server.received('tools/call').length
  server.on('tools/call', () => undefined)
  const answered = client.request('tools/call', { name: 'a', ...params }, id)
  await vi.waitFor(() => expect(server.received('tools/call')).toHaveLength(count + 1))
  const sent = server.received('tools/call')[count] as RawMessage
  const token = ((sent['params'] as RawMessage)['_meta'] as RawMessage)['progressToken']
  return {
    answered,
    id: sent['id'],
    token,
    end: () => server.respond(sent['id'], { resultType: 'complete', content: [] }),
  }
}
