import { Client, MCPServer, ToolError } from 'mcpwire'
import { z } from 'zod'

const weather = new Map([['Rome', 'sunny']])

const server = new MCPServer('weather')
server.tool(
  'today',
  { input: z.object({ city: z.string() }) },
  ({ city }) => {
    const today = weather.get(city)
    if (today === undefined)
      throw new ToolError(
        `No such city: ${city}. Known: ${[...weather.keys()].join(', ')}`,
      )
    return today
  },
)

await using client = await Client.connect(server)
const result = await client.callTool('today', { city: 'Atlantis' })
console.log(result.isError, result.content)
