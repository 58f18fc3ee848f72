import { Client, image, MCPServer, resourceLink } from 'mcpwire'

const server = new MCPServer('results')
server.tool('text', () => 'Sunny')
server.tool('number', () => 21.5)
server.tool('object', () => ({ city: 'Rome', degrees: 21 }))
server.tool('nothing', () => undefined)
server.tool('picture', () =>
  image(new Uint8Array([137, 80]), 'image/png'),
)
server.tool('mixed', () => [
  'Two files:',
  resourceLink('file:///a.txt'),
  { size: 4 },
])

const client = await Client.connect(server)
for await (const { name } of client.tools()) {
  const { content, structuredContent } = await client.callTool(name)
  console.log(`${name}:`, JSON.stringify(content))
  if (structuredContent) console.log('  structured:', structuredContent)
}
await client.close()
