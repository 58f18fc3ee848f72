import { Client } from 'mcpwire'
import { Server } from 'mcpwire/server'

const server = new Server('shop')
server.setRequestHandler('com.example/stock', (_ctx, { item }) => ({
  item: String(item),
  pieces: 3,
}))

const client = await Client.connect(server)
const { session } = client
console.log(
  await session.sendRequest('com.example/stock', { item: 'book' }),
)
await client.close()
