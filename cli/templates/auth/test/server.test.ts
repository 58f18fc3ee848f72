import { createServer } from 'node:http'
import { Client } from 'mcpwire'
import { oauth } from 'mcpwire/auth'
import { type DevAuthorizationServer, devAuthorizationServer } from 'mcpwire/auth/dev'
import type { HttpServing } from 'mcpwire/node'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { protect } from '../src/auth.ts'
import { server } from '../src/server.ts'

let authorization: DevAuthorizationServer
let serving: HttpServing
beforeAll(async () => {
  authorization = await devAuthorizationServer({ port: 0, scopes: ['notes:read', 'notes:write'], user: 'ada' })
  const port = await findFreePort()
  const resource = `http://127.0.0.1:${port}/mcp`
  const auth = protect({ resource, issuer: authorization.issuer })
  serving = await server.run({ transport: 'http', port, announce: false, auth })
})
afterAll(async () => {
  await serving.close()
  await authorization.close()
})

for (const mode of ['legacy', 'modern'] as const) {
  test(`a client logs in, and once more for another scope (${mode})`, async () => {
    const requested: (string | null)[] = []
    const auth = oauth({
      clientName: 'test',
      redirect: async (page) => {
        requested.push(page.searchParams.get('scope'))
        await fetch(await authorization.login(page))
      },
    })
    const client = await Client.connect(serving.url, { mode, auth })
    await client.callTool('read')
    const { content } = await client.callTool('write', { text: mode })
    expect(content).toMatchObject([{ text: 'Added.' }])
    expect((await client.callTool('read')).content).toMatchObject([{ text: expect.stringContaining(`ada: ${mode}`) }])
    expect(requested.length).toBe(2)
    expect(requested[1]).toContain('notes:write')
    await client.close()
  })

  test(`a client without a token is refused (${mode})`, async () => {
    await expect(Client.connect(serving.url, { mode })).rejects.toThrow('401')
  })
}

/** The URL of the server must be known before it listens: tokens are issued for it. */
async function findFreePort(): Promise<number> {
  const probe = createServer()
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve))
  const address = probe.address()
  await new Promise((resolve) => probe.close(resolve))
  return typeof address === 'object' && address !== null ? address.port : 0
}
