import { Client, MCPServer } from 'mcpwire'

const server = new MCPServer('reader')
server.tool('chapters', async function* () {
  yield 'Chapter 1: The harbour'
  yield 'Chapter 2: The storm'
})

const client = await Client.connect(server)
const { content } = await client.callTool('chapters')
console.log(content)
await client.close()
