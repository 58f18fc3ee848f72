import { Client, MCPServer } from 'mcpwire'
import { createProxy } from 'mcpwire/proxy'
import { hide, rename } from 'mcpwire/transforms'

// In place of a server at a URL, for this page.
const maps = new MCPServer('maps')
maps.tool('find_place', () => 'Oslo, Norway')
maps.tool('delete_place', { meta: { tags: ['admin'] } }, () => 'gone')
const serving = await maps.run({ transport: 'http', port: 0 })

const main = new MCPServer('main')
main.tool('hello', () => 'Hello')
main.mount(createProxy(serving.url), {
  as: 'maps',
  transforms: [hide({ tags: ['admin'] }), rename({ find_place: 'find' })],
})

const client = await Client.connect(main)
console.log((await client.listTools()).tools.map(({ name }) => name))
console.log((await client.callTool('maps_find')).content)
await client.callTool('maps_delete_place').catch((error) => console.log(error.message))
await client.close()
await serving.close()
