// Who hears of changes to a resource: those who may read it, and nobody else learns even that it is there.
import { describe, expect, it } from 'vitest'
import { MCPServer } from '../../../../src/mcpserver/mcpserver.ts'
import { createHandler } from '../../../../src/server/http/handler.ts'
import { createLegacyEndpoint } from '../../../../src/server/http/legacy/legacy.ts'
import { coreOf } from '../../../../src/server/internals.ts'
import type { AuthInfo } from '../../../../src/types/protocol/auth.ts'
import { FakeExchange, type FakeSink } from '../../../support/fake-exchange.ts'
import { LegacyClient } from '../../../support/legacy-client.ts'
import { modernBody, modernHeaders } from '../../../support/modern-messages.ts'

const ada: AuthInfo = { clientId: 'console', subject: 'ada', scopes: ['notes:read'] }
const bob: AuthInfo = { clientId: 'console', subject: 'bob', scopes: [] }

const OPEN = 'notes://open'
const UNKNOWN = 'notes://unknown'
const HIDDEN = ['notes://hidden', 'notes://hidden/1']
const SCOPED = 'notes://scoped'
const LAST = 'notes://last'

function createServer(): MCPServer {
  const server = new MCPServer('notes')
  const onlyAda = { visible: (ctx: { auth: AuthInfo | undefined }) => ctx.auth?.subject === 'ada' }
  server.resource(OPEN, {}, () => 'open')
  server.resource(LAST, {}, () => 'last')
  server.resource('notes://hidden', onlyAda, () => 'hidden')
  server.resource('notes://hidden/{page}', onlyAda, () => 'hidden')
  server.resource(SCOPED, { scopes: ['notes:read'] }, () => 'scoped')
  return server
}

/** Changes everything, and returns of what the sink has heard when the last change has come. */
async function changeAll(server: MCPServer, sink: FakeSink | undefined): Promise<unknown[]> {
  for (const uri of [OPEN, ...HIDDEN, SCOPED, LAST]) await server.notifyResourceUpdated(uri)
  const heard = () =>
    ((sink?.messages ?? []) as { params?: { uri?: string } }[]).flatMap(({ params }) => params?.uri ?? [])
  while (!heard().includes(LAST)) await sink?.received((sink?.events.length ?? 0) + 1)
  return heard()
}

describe('watching a resource', () => {
  const all = [OPEN, UNKNOWN, ...HIDDEN, SCOPED, LAST]

  it.each([
    ['who may read everything', ada, all, [OPEN, ...HIDDEN, SCOPED, LAST]],
    ['who may not', bob, [OPEN, UNKNOWN, ...HIDDEN, LAST], [OPEN, LAST]],
  ])('R31 I10 modern, by one %s', async (_who, auth, granted, heard) => {
    const server = createServer()
    const handler = createHandler(server)
    const listen = { id: 1, method: 'subscriptions/listen', params: { notifications: { resourceSubscriptions: all } } }
    const exchange = new FakeExchange({ auth, body: modernBody(listen), headers: modernHeaders(listen) })
    void handler(exchange)
    await exchange.answered
    await exchange.sink?.received(1)
    // What is hidden is granted like what does not exist; what needs scopes is no secret, and plainly not granted.
    expect(exchange.sink?.messages[0]).toMatchObject({ params: { notifications: { resourceSubscriptions: granted } } })
    expect(await changeAll(server, exchange.sink)).toEqual(heard)
    await handler.close({ drainMs: 0 })
  })

  it.each([
    ['who may read everything', ada, [OPEN, ...HIDDEN, SCOPED, LAST]],
    ['who may not', bob, [OPEN, LAST]],
  ])('R31 I10 in the legacy era, by one %s', async (_who, auth, heard) => {
    const server = createServer()
    const endpoint = createLegacyEndpoint(coreOf(server.server))
    const client = await LegacyClient.open(endpoint, { auth })
    const stream = client.get()
    await stream.answered
    const answers: unknown[] = []
    for (const uri of all) {
      const exchange = client.call('resources/subscribe', { uri })
      await exchange.answered
      answers.push(JSON.parse(String(exchange.body)))
    }
    const outcomes = answers.map((answer) => ('result' in (answer as object) ? 'granted' : 'refused'))
    expect(outcomes).toEqual(all.map((uri) => (uri === SCOPED && auth === bob ? 'refused' : 'granted')))
    if (auth === bob) expect(answers[4]).toMatchObject({ error: { data: { reason: 'insufficient_scope' } } })
    expect(await changeAll(server, stream.sink)).toEqual(heard)
    await endpoint.close()
  })
})
