import { Client } from 'mcpwire'
import { streamableHttp } from 'mcpwire/client'
import { expect, test } from 'vitest'
import worker from '../src/worker.ts'

const ENDPOINT = 'https://my-server.example.com/mcp'

/** The handler as the platform calls it, without a network. */
const inProcess: typeof fetch = (input, init) => worker.fetch(new Request(input, init))

for (const mode of ['legacy', 'modern'] as const) {
  test(`answers requests of a client (${mode})`, async () => {
    const client = await Client.connect(streamableHttp(ENDPOINT, { fetch: inProcess }), { mode })
    const { structuredContent } = await client.callTool('hash', { text: 'abc' })
    expect(structuredContent).toMatchObject({ sha256: expect.stringMatching(/^ba7816bf/) })
    await client.close()
  })
}

test('answers its health check', async () => {
  const { status } = await worker.fetch(new Request(new URL('/health', ENDPOINT)))
  expect(status).toBe(200)
})
