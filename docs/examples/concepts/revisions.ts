import { Client, MCPServer } from 'mcpwire'
import { PROTOCOL_VERSIONS } from 'mcpwire/types'
import { z } from 'zod'

const server = new MCPServer('clock')
const output = z.object({ time: z.string() })
server.tool('now', { title: 'What time is it?', output }, () => ({
  time: '12:00',
}))

for (const mode of PROTOCOL_VERSIONS) {
  const client = await Client.connect(server, { mode })
  const { tools } = await client.listTools()
  const { structuredContent } = await client.callTool('now')
  console.log(mode, tools[0]?.title, structuredContent)
  await client.close()
}
