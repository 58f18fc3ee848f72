import { Client, MCPServer } from 'mcpwire'
import { serveHttp } from 'mcpwire/node'
import { z } from 'zod'

const server = new MCPServer('notes')
const input = z.object({ text: z.string() })
server.tool(
  'write',
  { input },
  ({ text }) => `${text.length} characters`,
)
const options = { port: 0, maxBodyBytes: 100_000 }
const { url, close } = await serveHttp(server, options)

const client = await Client.connect(url)
for (const length of [50_000, 150_000, 150_000]) {
  const text = 'x'.repeat(length)
  await client.callTool('write', { text }).then(
    ({ content }) => console.log(content[0]),
    (error) => console.log(error.name, error.limit ?? error.data),
  )
}
await client.close()
await close()
