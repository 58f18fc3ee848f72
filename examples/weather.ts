// A tool with structured output: the output schema is listed with the tool, and every result is validated against it.
import { MCPServer, ToolError } from 'mcpwire'
import { z } from 'zod'

const Weather = z.object({ celsius: z.number(), sky: z.enum(['sunny', 'cloudy', 'rainy']) })
const Forecast = z.object({
  city: z.string(),
  days: z.array(Weather.extend({ day: z.int().describe('Days from today.') })),
})

const climate = new Map<string, z.infer<typeof Weather>>([
  ['Lisbon', { celsius: 24, sky: 'sunny' }],
  ['Bergen', { celsius: 11, sky: 'rainy' }],
])

const server = new MCPServer('weather', { version: '1.0.0' })

server.tool(
  'forecast',
  {
    title: 'Weather forecast',
    description: 'The weather of the coming days in a city.',
    input: z.object({ city: z.string(), days: z.int().min(1).max(7).default(3) }),
    output: Forecast,
    annotations: { readOnlyHint: true },
  },
  ({ city, days }) => {
    const usual = climate.get(city)
    if (usual === undefined) throw new ToolError(`No forecast for ${city}; try ${[...climate.keys()].join(' or ')}.`)
    return { city, days: Array.from({ length: days }, (_, day) => ({ day, ...usual })) }
  },
)

await server.run()
