import { Client, MCPServer } from 'mcpwire'
import { changeArguments, hide, rename } from 'mcpwire/transforms'

const input = {
  type: 'object',
  properties: { city: { type: 'string' }, key: { type: 'string' } },
  required: ['city', 'key'],
} as const

const server = new MCPServer('weather')
server.tool('get_wx', { input }, ({ city, key }) => `${city}: sunny (${key})`)
server.tool('reset', { meta: { tags: ['admin'] } }, () => 'gone')

server.transform(
  changeArguments('get_wx', { city: { name: 'place' }, key: { hide: true, value: 'k1' } }),
  rename({ get_wx: 'weather' }),
  hide({ tags: ['admin'] }),
)

await using client = await Client.connect(server)
const { tools } = await client.listTools()
console.log(tools.map((tool) => `${tool.name} ${Object.keys(tool.inputSchema.properties ?? {})}`))
console.log((await client.callTool('weather', { place: 'Oslo' })).content)
