import { Client, MCPServer } from 'mcpwire'
import {
  allowOf,
  apps,
  mayCall,
  modelTools,
  policyOf,
  readView,
  uiOf,
} from 'mcpwire/extensions/apps'

const server = new MCPServer('weather', { extensions: [apps()] })
const html = '<!doctype html><title>Weather</title>'
const view = server.app('ui://weather/view', {
  html,
  csp: { connectDomains: ['https://api.example.com'] },
  permissions: { geolocation: {} },
})
server.tool('get_weather', { ui: view }, () => 'Sunny')
server.tool('refresh', { ui: { view, visibility: ['app'] } }, () => 'Cloudy')

await using client = await Client.connect(server, { extensions: [apps()] })
const { tools } = await client.listTools()
const names = (list: typeof tools) => list.map(({ name }) => name).join(', ')
console.log(
  `For the model: ${names(modelTools(tools))}. For the view: ${names(tools.filter(mayCall))}.`,
)

for (const tool of tools.filter((one) => uiOf(one)?.resourceUri !== undefined)) {
  const { csp, permissions } = await readView(client, tool)
  const mayConnect = policyOf(csp).includes('connect-src https://api.example.com;')
  console.log(`${tool.name}: ${mayConnect}, ${allowOf(permissions)}`)
}
