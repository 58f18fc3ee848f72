import { MCPServer } from 'mcpwire'
import { ClientSessionGroup } from 'mcpwire/client'

const notes = new MCPServer('notes')
notes.tool('search', () => 'note 1')
const mail = new MCPServer('mail')
mail.tool('search', () => 'mail 1')

const group = new ClientSessionGroup({
  componentName: (name, { label }) => `${label}_${name}`,
})
await group.connectToServer(notes, { name: 'notes' })
await group.connectToServer(mail, { name: 'mail' })

console.log([...group.tools.keys()])
console.log((await group.callTool('mail_search')).content)
await group.close()
