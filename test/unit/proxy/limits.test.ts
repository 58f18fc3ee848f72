// Limits for each caller at the front of a gateway.
import { expect, it } from 'vitest'
import { requireBearer, verifyStaticTokens } from '../../../src/exports/auth.ts'
import { Client } from '../../../src/exports/client.ts'
import { serveHttp } from '../../../src/exports/node.ts'
import { createGateway } from '../../../src/exports/proxy.ts'
import { limitConcurrency, limitRate, MCPServer, principalKey, principalOf } from '../../../src/exports/server.ts'
import { createDeferred } from '../../../src/primitives/async/promises.ts'
import { closedAfterEach } from './pair.ts'

const open = closedAfterEach()

const ADA = 'token-of-ada-0123456789'
const BOB = 'token-of-bob-0123456789'
const tokens = {
  [ADA]: { clientId: 'c', subject: 'ada', scopes: [] },
  [BOB]: { clientId: 'c', subject: 'bob', scopes: [] },
}

async function serve(middleware: Parameters<ReturnType<typeof createGateway>['use']>[0]) {
  const server = new MCPServer('source')
  const [started, released] = [createDeferred(), createDeferred()]
  server.tool('quick', () => 'done')
  server.tool('slow', async () => {
    started.resolve()
    await released.promise
    return 'done'
  })
  const gateway = createGateway({ one: server }).use(middleware)
  const serving = await serveHttp(gateway.server, {
    port: 0,
    auth: (handler) =>
      requireBearer(handler, {
        resource: 'http://127.0.0.1/mcp',
        issuer: 'http://127.0.0.1:4000',
        verifier: verifyStaticTokens(tokens),
      }),
  })
  open.push(server, gateway, serving)
  const connect = async (auth: string, mode: 'modern' | 'legacy') => {
    const client = await Client.connect(serving.url, { auth, mode })
    open.push(client)
    await client.listTools()
    return client
  }
  return { connect, started, released }
}

it.each(['modern', 'legacy'] as const)('limitRate() counts %s callers of a gateway apart', async (mode) => {
  const { connect } = await serve(limitRate({ perSecond: 0.001, burst: 2 }))
  const [ada, bob] = [await connect(ADA, mode), await connect(BOB, mode)]
  for (let i = 0; i < 2; i += 1) expect(await ada.callTool('one_quick')).toMatchObject({ content: [{ text: 'done' }] })
  await expect(ada.callTool('one_quick')).rejects.toThrow(/^Too (?:many|busy)/)
  expect(await bob.callTool('one_quick')).toMatchObject({ content: [{ text: 'done' }] })
})

it.each(['modern', 'legacy'] as const)('limitConcurrency() by caller leaves others alone: %s', async (mode) => {
  const { connect, started, released } = await serve(
    limitConcurrency({ max: 1, key: ({ auth }) => principalKey(principalOf(auth)) }),
  )
  const [ada, bob] = [await connect(ADA, mode), await connect(BOB, mode)]
  const running = ada.callTool('one_slow')
  await started.promise
  await expect(ada.callTool('one_quick')).rejects.toThrow(/^Too (?:many|busy)/)
  expect(await bob.callTool('one_quick')).toMatchObject({ content: [{ text: 'done' }] })
  released.resolve()
  expect(await running).toMatchObject({ content: [{ text: 'done' }] })
})
