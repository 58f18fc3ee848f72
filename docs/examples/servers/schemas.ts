import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { type } from 'arktype'
import { Client, MCPServer } from 'mcpwire'
import { Type } from 'typebox'
import * as v from 'valibot'
import { z } from 'zod'

const server = new MCPServer('schemas')
const square = ({ side }: { side: number }) => side * side

server.tool('zod', { input: z.object({ side: z.number() }) }, square)
const valibot = toStandardJsonSchema(v.object({ side: v.number() }))
server.tool('valibot', { input: valibot }, square)
server.tool('arktype', { input: type({ side: 'number' }) }, square)
const typebox = Type.Object({ side: Type.Number() })
server.tool('typebox', { input: typebox }, square)
server.tool(
  'json_schema',
  {
    input: {
      type: 'object',
      properties: { side: { type: 'number' } },
      required: ['side'],
    },
  },
  square,
)

const client = await Client.connect(server)
for await (const { name } of client.tools()) {
  const { structuredContent } = await client.callTool(name, { side: 3 })
  const wrong = await client.callTool(name, { side: 'three' })
  console.log(name, structuredContent, wrong.isError)
}
await client.close()
