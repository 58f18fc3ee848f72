import { MCPServer } from 'mcpwire'
import { connect } from 'mcpwire/testing'
import { expect, it } from 'vitest'
import { z } from 'zod'

const server = new MCPServer('calculator')
const input = z.object({ a: z.number(), b: z.number() })
server.tool('add', { input }, ({ a, b }) => a + b)

it.each(['legacy', 'modern'] as const)('adds (%s)', async (mode) => {
  const client = await connect(server, { mode })
  const result = await client.callTool('add', { a: 1, b: 2 })
  expect(result.structuredContent).toEqual({ result: 3 })
  await client.close()
})
