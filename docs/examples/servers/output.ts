import { Client, MCPServer, tool } from 'mcpwire'
import { z } from 'zod'

const input = z.object({ city: z.string() })
const output = z.object({ city: z.string(), degrees: z.number() })
const weather = tool('weather', { input, output }, ({ city }) => ({
  city,
  degrees: 21,
}))

const server = new MCPServer('weather', { tools: [weather] })

const client = await Client.connect(server)
const result = await client.callTool('weather', { city: 'Rome' })
// The compiler knows the type: { city: string, degrees: number }
console.log(result.structuredContent?.degrees)
await client.close()
