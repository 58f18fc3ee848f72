import { Client, MCPServer } from 'mcpwire'
import { limitRate } from 'mcpwire/server'

const server = new MCPServer('weather')
// Each caller can call each tool 5 times a second on average, and 2
// times at once.
server.use(limitRate({ perSecond: 5, burst: 2 }))
server.tool('forecast', () => 'Sunny')

await using client = await Client.connect(server)
const calls = [1, 2, 3].map((call) =>
  client.callTool('forecast').then(
    () => `Call ${call}: answered`,
    (error) => `Call ${call}: ${error.code} ${error.message}`,
  ),
)
for (const line of await Promise.all(calls)) console.log(line)
