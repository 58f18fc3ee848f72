import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'

const transport = new StdioClientTransport({
  command: process.execPath,
  args: [String(process.argv[2])],
})
const client = new Client(
  { name: 'my-client', version: '1.0.0' },
  { capabilities: { elicitation: {} } },
)
client.setRequestHandler(ElicitRequestSchema, async () => ({
  action: 'decline',
}))
await client.connect(transport)

const result = await client.callTool(
  { name: 'echo', arguments: { message: 'hi' } },
  undefined,
  { timeout: 5_000 },
)
console.log(JSON.stringify(result.content))
await client.close()
