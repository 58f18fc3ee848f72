import { Client, MCPError, MCPServer } from 'mcpwire'

const server = new MCPServer('audited')
server.tool('read', () => 'The page')
server.tool('wipe', () => 'All gone')

server.use(async (ctx, next) => {
  const { name } = (ctx.params ?? {}) as { name?: string }
  if (name === 'wipe')
    throw new MCPError(-32602, 'wipe is closed today')
  const result = await next()
  if (ctx.method === 'tools/call') console.log('audit:', name)
  return result
})

const client = await Client.connect(server)
console.log((await client.callTool('read')).content)
await client
  .callTool('wipe')
  .catch(({ message }) => console.log(message))
await client.close()
