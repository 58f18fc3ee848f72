import { MCPServer } from 'mcpwire'
import { z } from 'zod'

const server = new MCPServer('demo')
const input = z.object({ city: z.string() })
const complete = { town: () => ['Bern'] }
server.prompt('weather', { input, complete }, ({ city }) => `Weather in ${city}?`)
