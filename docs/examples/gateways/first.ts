import { Client, MCPServer } from 'mcpwire'
import { createGateway } from 'mcpwire/proxy'

const notes = new MCPServer('notes')
notes.tool('search', () => 'note 1')
const mail = new MCPServer('mail')
mail.tool('search', () => 'mail 1')

await using gateway = createGateway({ notes, mail })
await using client = await Client.connect(gateway)

const { tools } = await client.listTools()
console.log(tools.map(({ name }) => name))
console.log((await client.callTool('mail_search')).content)
