// How many calls may wait for their callers: of all, of one caller, and on one connection to the source.
import { describe, expect, it } from 'vitest'
import { Client } from '../../../../src/client/client.ts'
import type { Transport } from '../../../../src/dispatcher/channel.ts'
import { createMemoryChannelPair } from '../../../../src/dispatcher/memory-channel.ts'
import { createProxy, type ProxyOptions } from '../../../../src/exports/proxy.ts'
import type { JSONObject } from '../../../../src/types/protocol/json.ts'
import { rawServer, targetOf } from '../../../support/raw-peers.ts'
import { signedChannel } from '../../../support/signed-channel.ts'
import { closedAfterEach, NO_TOOLS } from '../pair.ts'

const open = closedAfterEach()

const question = { message: 'q', requestedSchema: { type: 'object', properties: {} } }

/** A source that asks in each call, and a function that calls it for somebody. */
function asking(options: ProxyOptions = {}) {
  const server = rawServer('legacy').on('tools/list', NO_TOOLS)
  server.on('tools/call', (_params, id) => {
    void server.request('elicitation/create', question).then(() => server.respond(id, { content: [] }))
    return undefined
  })
  const proxy = createProxy(targetOf(server), { mode: 'legacy', onFault: () => {}, ...options })
  open.push(proxy)
  const callerOf = async (subject: string | undefined) => {
    const auth = subject === undefined ? undefined : { clientId: 'app', subject, issuer: 'https://a.test', scopes: [] }
    const transport: Transport = {
      kind: 'memory',
      open: async () => {
        const [here, there] = createMemoryChannelPair()
        await proxy.connect(signedChannel(there, auth))
        return here
      },
    }
    const client = (await Client.connect(transport, { mode: '2026-07-28' })) as Client
    open.push(client)
    const envelope = { clientCapabilities: { elicitation: { form: {} } } }
    return async (more: JSONObject = {}) => {
      const params = { name: 'a', arguments: {}, ...more }
      const answer = await client.session
        .sendRaw('tools/call', params, { envelope, timeoutMs: Infinity })
        .catch((error: { data: JSONObject }) => error.data)
      return answer as JSONObject
    }
  }
  return { server, proxy, callerOf }
}

const PARKED = { resultType: 'input_required' }

describe('calls that wait for their callers', () => {
  it('compose G012 are a quarter of all for one verified caller, and others get in', async () => {
    const { callerOf } = asking({ maxParked: 8 })
    const [ada, bob] = [await callerOf('ada'), await callerOf('bob')]
    const first = await ada()
    expect(first).toMatchObject(PARKED)
    expect(await ada()).toMatchObject(PARKED)
    expect(await ada()).toMatchObject({ mcpwire: { id: 'G012' }, limit: 'maxParkedPerPrincipal', max: 2 })
    // An answer makes room.
    const { requestState } = first
    expect(await ada({ requestState, inputResponses: { q1: { action: 'cancel' } } })).toMatchObject({ content: [] })
    expect(await ada()).toMatchObject(PARKED)
    expect(await ada()).toMatchObject({ limit: 'maxParkedPerPrincipal' })
    expect(await bob()).toMatchObject(PARKED)
  })

  it('compose G012 are as many for one verified caller as the author says', async () => {
    const { callerOf } = asking({ maxParked: 8, maxParkedPerPrincipal: 8 })
    const [ada, bob] = [await callerOf('ada'), await callerOf('bob')]
    for (let count = 0; count < 8; count += 1) expect(await ada()).toMatchObject(PARKED)
    expect(await bob()).toMatchObject({ mcpwire: { id: 'G012' }, limit: 'maxParked', max: 8 })
    expect(() => createProxy('http://127.0.0.1:9/mcp', { maxParkedPerPrincipal: 0 })).toThrow(RangeError)
  })

  it('may be all of one client that nobody has verified', async () => {
    const { callerOf } = asking({ maxParked: 4 })
    const call = await callerOf(undefined)
    for (let count = 0; count < 4; count += 1) expect(await call()).toMatchObject(PARKED)
    expect(await call()).toMatchObject({ limit: 'maxParked' })
  })

  it('compose G012 are all answered on one connection, also where they are more than a client has questions at once', async () => {
    const { callerOf, proxy, server } = asking({ maxParked: 300 })
    const call = await callerOf(undefined)
    for (let count = 0; count < 300; count += 1) expect(await call()).toMatchObject(PARKED)
    expect(server.received('initialize')).toHaveLength(1)
    expect(await call()).toMatchObject({ limit: 'maxParked', max: 300 })
    expect((await proxy.health({ timeoutMs: 1 }))[0]).toMatchObject({ parked: 300 })
  })
})
