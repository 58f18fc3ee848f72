import { Client, MCPError } from 'mcpwire'
import { Server } from 'mcpwire/server'

const server = new Server('demo', { handlers: { 'tools/list': () => ({ tools: [] }) } })
server.setRequestHandler('subscriptions/listen', async (ctx) => {
  const _meta = { 'io.modelcontextprotocol/subscriptionId': ctx.requestId as string }
  const notifications = { toolsListChanged: true }
  await ctx.dispatch.notify('notifications/subscriptions/acknowledged', { notifications, _meta })
  throw new MCPError(-32603, 'Out of memory')
})
await using client = await Client.connect(server)
for await (const change of await client.listen({ toolsListChanged: true })) console.log(change)
