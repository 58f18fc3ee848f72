import { MCPServer, ToolError } from 'mcpwire'
import { z } from 'zod'

export const server = new MCPServer('my-server', { version: '0.1.0' })

const temperatures = new Map([
  ['Oslo', -4],
  ['Rome', 17],
])

const input = z.object({ city: z.string() })
const output = z.object({ city: z.string(), celsius: z.number() })
server.tool('temperature', { description: 'Temperature in a city', input, output }, ({ city }) => {
  const celsius = temperatures.get(city)
  if (celsius === undefined) throw new ToolError(`No such city: ${city}. Known: ${[...temperatures.keys()].join(', ')}`)
  return { city, celsius }
})
