import { Client, MCPServer, ToolError } from 'mcpwire'

const server = new MCPServer('library')
server.tool('search', () => ['Ulysses', 'Dubliners'])
server.tool('lend', () => {
  throw new ToolError('All copies are lent.')
})
server.resource(
  'books://ulysses',
  () => 'Stately, plump Buck Mulligan …',
)

const client = await Client.connect(server)
for await (const tool of client.tools()) console.log('tool:', tool.name)

const found = await client.callTool('search')
console.log(
  found.content.map((block) => block.type === 'text' && block.text),
)

const { contents } = await client.readResource('books://ulysses')
console.log(contents[0])

const lent = await client.callTool('lend')
if (lent.isError) console.log('failed:', lent.content)
await client.close()
