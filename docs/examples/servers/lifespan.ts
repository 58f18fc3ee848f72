import { Client, MCPServer } from 'mcpwire'

class Database implements AsyncDisposable {
  rows = ['Ada', 'Grace']
  async [Symbol.asyncDispose]() {
    console.log('closed')
  }
}

const server = new MCPServer('people', {
  lifespan: async () => new Database(),
})
server.tool('list', (_args, ctx) => ctx.lifespan.rows.join(', '))

const client = await Client.connect(server)
console.log((await client.callTool('list')).content)
await client.close()
await server.close()
