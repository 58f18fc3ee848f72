import { Client, MCPServer } from 'mcpwire'
import { codeMode } from 'mcpwire/transforms'

const server = new MCPServer('shop')
server.tool('list_orders', () => ({
  orders: [
    { id: 1, total: 5 },
    { id: 2, total: 7 },
  ],
}))
server.tool('add_note', { input: { type: 'object' } }, () => 'added')
server.transform(codeMode())

await using client = await Client.connect(server)
console.log((await client.listTools()).tools.map(({ name }) => name))

const code = `
  const { orders } = await tools.list_orders()
  for (const { id } of orders) await tools.add_note({ id })
  return orders.reduce((sum, { total }) => sum + total, 0)
`
console.log((await client.callTool('run_code', { code })).content)
