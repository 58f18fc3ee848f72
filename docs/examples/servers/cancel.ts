import { setTimeout as sleep } from 'node:timers/promises'
import { Client, MCPServer } from 'mcpwire'

const server = new MCPServer('slow')
server.tool('wait', async (_args, { signal }) => {
  try {
    await sleep(60_000, undefined, { signal })
  } catch {
    console.log('server: the work has stopped')
  }
})

const client = await Client.connect(server)
const signal = AbortSignal.timeout(50)
await client.callTool('wait', {}, { signal }).catch((error: Error) => {
  console.log('client:', error.name)
})
await client.close()
