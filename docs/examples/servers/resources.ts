import { Client, MCPServer } from 'mcpwire'

const notes = new Map([['todo', 'Buy milk']])

const server = new MCPServer('notes')
server.resource('notes://all', () => [...notes.keys()])
server.resource('notes://{name}', ({ name }) => notes.get(name))
server.resource(
  'notes://logo',
  { mimeType: 'image/png' },
  () => new Uint8Array([137, 80]),
)

const client = await Client.connect(server)
for (const uri of ['notes://all', 'notes://todo', 'notes://logo']) {
  const { contents } = await client.readResource(uri)
  console.log(contents[0])
}
await client.readResource('notes://none').catch(({ code, message }) => {
  console.log(code, message)
})
await client.close()
