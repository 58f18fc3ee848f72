import { Client, MCPServer } from 'mcpwire'
import { createGateway } from 'mcpwire/proxy'

const notes = new MCPServer('notes')
notes.tool('search', () => 'note 1')
const mail = new MCPServer('mail')
mail.tool('send', () => 'sent')

// Nothing answers at this address.
const search = { target: 'http://127.0.0.1:9/mcp', optional: true }
await using gateway = createGateway({ notes, search })
await using client = await Client.connect(gateway)
const names = async () => (await client.listTools()).tools.map(({ name }) => name)
console.log(await names())

gateway.add('mail', mail)
console.log(await names())
await gateway.remove('notes')
console.log(await names())

for (const { name, state, listed } of await gateway.health()) console.log(name, state, listed)
