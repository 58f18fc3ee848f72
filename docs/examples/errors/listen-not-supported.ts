import { Client } from 'mcpwire'
import { Server } from 'mcpwire/server'

const server = new Server('demo', { handlers: { 'tools/list': () => ({ tools: [] }) } })
await using client = await Client.connect(server, { mode: 'legacy' })
await client.listen({ toolsListChanged: true })
