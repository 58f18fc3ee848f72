import { Client, MCPServer } from 'mcpwire'

const server = new MCPServer('shop')
const sale = server.tool('sale', () => '20 % off')
const names = async () => {
  const { tools } = await client.listTools()
  return tools.map(({ name, description }) => description ?? name)
}

const client = await Client.connect(server, { cache: false })
sale.update({ description: 'What is on sale today' })
console.log(await names())
sale.disable()
console.log(await names())
sale.enable()
sale.remove()
console.log(await names())
await client.close()
