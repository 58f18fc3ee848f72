import { Client } from 'mcpwire'
import type { HttpServing } from 'mcpwire/node'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { server } from '../src/server.ts'

let serving: HttpServing
beforeAll(async () => {
  serving = await server.run({ transport: 'http', port: 0, announce: false })
})
afterAll(() => serving.close())

for (const mode of ['legacy', 'modern'] as const) {
  test(`answers over HTTP (${mode})`, async () => {
    const client = await Client.connect(serving.url, { mode })
    const known = await client.callTool('temperature', { city: 'Rome' })
    expect(known.structuredContent).toEqual({ city: 'Rome', celsius: 17 })
    const unknown = await client.callTool('temperature', { city: 'Atlantis' })
    expect(unknown.isError).toBe(true)
    await client.close()
  })
}

test('answers its health check', async () => {
  const response = await fetch(new URL('/health', serving.url))
  expect(response.status).toBe(200)
})
