import { connect } from 'mcpwire/testing'
import { expect, test } from 'vitest'
import { server } from '../src/server.ts'

for (const mode of ['legacy', 'modern'] as const) {
  test(`adds two numbers (${mode})`, async () => {
    const client = await connect(server, { mode })
    const { structuredContent } = await client.callTool('add', { a: 1, b: 2 })
    expect(structuredContent).toEqual({ result: 3 })
    await client.close()
  })

  test(`greets by name (${mode})`, async () => {
    const client = await connect(server, { mode })
    const { contents } = await client.readResource('greeting://Ada')
    expect(contents).toMatchObject([{ text: 'Hello, Ada!' }])
    await client.close()
  })
}
