import { Client, MCPServer } from 'mcpwire'
import { apps } from 'mcpwire/extensions/apps'
import { z } from 'zod'

const server = new MCPServer('weather', { extensions: [apps()] })

const view = server.app('ui://weather/view', {
  html: '<!doctype html><title>Weather</title><script>/* your view */</script>',
  csp: { connectDomains: ['https://api.example.com'] },
  prefersBorder: true,
})

const input = z.object({ city: z.string() })
const output = z.object({ city: z.string(), sky: z.string() })
server.tool('get_weather', { input, output, ui: view }, ({ city }) => ({
  city,
  sky: 'sunny',
}))
server.tool(
  'refresh',
  { input, output, ui: { view, visibility: ['app'] } },
  ({ city }) => ({ city, sky: 'cloudy' }),
)
server.tool('map', { input, ui: view }, ({ city }, ctx) =>
  ctx.ui ? `A map of ${city}.` : `https://maps.example/${city}`,
)

for (const extensions of [[apps()], []]) {
  await using client = await Client.connect(server, { extensions })
  const { content } = await client.callTool('map', { city: 'Rome' })
  console.log(content)
}
