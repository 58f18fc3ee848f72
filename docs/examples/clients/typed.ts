import { Client, MCPServer, tool } from 'mcpwire'
import { serveHttp } from 'mcpwire/node'
import { z } from 'zod'

const weather = tool(
  'weather',
  {
    input: z.object({ city: z.string() }),
    output: z.object({ degrees: z.number() }),
  },
  ({ city }) => ({ degrees: city.length }),
)
const server = new MCPServer('weather', { tools: [weather] })
const { url, close } = await serveHttp(server, { port: 0 })

// For a server in another process, its type is enough.
const client = await Client.connect<typeof server>(url)
const result = await client.callTool('weather', { city: 'Rome' })
const degrees: number | undefined = result.structuredContent?.degrees
console.log(degrees)

// @ts-expect-error city is missing
const { content } = await client.callTool('weather', {})
console.log(content)
await client.close()
await close()
