import { Client, MCPError, MCPServer } from 'mcpwire'

const inner = new MCPServer('inner')
inner.tool('find', {}, () => {
  throw new MCPError(-32602, 'Unknown index')
})
const upstream = await Client.connect(inner)

const outer = new MCPServer('outer')
outer.tool('find', {}, async () => {
  try {
    return await upstream.callTool('find')
  } catch (error) {
    throw error instanceof MCPError && !error.local
      ? MCPError.from(error.toErrorData())
      : error
  }
})

const client = await Client.connect(outer)
console.log(
  await client
    .callTool('find')
    .catch((error: MCPError) => `${error.code} ${error.message}`),
)
await client.close()
await upstream.close()
