import { Client, MCPServer } from 'mcpwire'
import { searchTools } from 'mcpwire/transforms'

const server = new MCPServer('shop')
for (const noun of ['order', 'invoice', 'customer']) {
  server.tool(`find_${noun}`, { description: `Finds one ${noun}` }, () => `an ${noun}`)
  server.tool(`delete_${noun}`, { description: `Deletes one ${noun}` }, () => 'gone')
}
server.transform(searchTools({ above: 5, limit: 2 }))

await using client = await Client.connect(server)
console.log((await client.listTools()).tools.map((tool) => tool.name))
const found = await client.callTool('search_tools', { query: 'find an invoice' })
console.log((found.structuredContent as { tools: { name: string }[] }).tools[0]?.name)
console.log((await client.callTool('call_tool', { name: 'find_invoice' })).content)
