import { Client, MCPServer } from 'mcpwire'

const server = new MCPServer('board')
server.resource('board://state', () => 'Day 1')
server.tool('move', () => 'Moved')

const client = await Client.connect(server)
const changes = await client.listen({
  toolsListChanged: true,
  resourceSubscriptions: ['board://state'],
})

server.tool('undo', () => 'Undone')
await server.notifyResourceUpdated('board://state')

let count = 0
for await (const event of changes) {
  console.log(event)
  if (++count === 2) break
}
await client.close()
