import { Client, MCPServer } from 'mcpwire'

const server = new MCPServer('slow')
const never = () => new Promise<string>(() => {})
server.tool('limited', { timeoutMs: 50 }, never)
server.tool('unlimited', never)

const client = await Client.connect(server)
const limited = await client.callTool('limited')
console.log(limited.isError, limited.content)

const options = { timeoutMs: 50 }
await client.callTool('unlimited', {}, options).catch((error) => {
  console.log(error.code, error.message)
})
await client.close()
