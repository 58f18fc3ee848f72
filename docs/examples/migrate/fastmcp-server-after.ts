import { MCPServer, ToolError } from 'mcpwire'
import { z } from 'zod'

const server = new MCPServer('weather', { version: '1.0.0' })

const input = z.object({ city: z.string() })
server.tool(
  'today',
  { description: 'The weather of a city', input },
  async ({ city }, ctx) => {
    if (city === 'Atlantis')
      throw new ToolError(`No such city: ${city}`)
    await ctx.reportProgress(1, 1)
    return `Sunny in ${city}`
  },
)

server.resource(
  'cities://{name}',
  { name: 'City', mimeType: 'text/plain' },
  ({ name }) => `${name} is a city.`,
)

await server.run()
