import { Client, MCPServer } from 'mcpwire'

const server = new MCPServer('board')
server.resource('board://state', () => 'Day 1')
server.tool('move', () => 'Moved')

const client = await Client.connect(server)
const changes = await client.listen({
  toolsListChanged: true,
  resourceSubscriptions: ['board://state'],
})
console.log('granted:', changes.honored)

server.tool('undo', () => 'Undone')
let events = 0
for await (const event of changes) {
  console.log(event)
  if (event.type === 'toolsListChanged') {
    const { tools } = await client.listTools()
    console.log(tools.map(({ name }) => name))
    await server.notifyResourceUpdated('board://state')
  }
  if (++events === 2) break
}
await client.close()
