import { Client, MCPServer } from 'mcpwire'
import { limitRate } from 'mcpwire/server'

const server = new MCPServer('weather')
// Each caller can call each tool 5 times a second on average, and 2
// times at once.
server.use(limitRate({ perSecond: 5, burst: 2 }))
server.tool('forecast', () => 'Sunny')

await using client = await Client.connect(server)
for (let call = 1; call <= 3; call += 1) {
  await client.callTool('forecast').then(
    () => console.log(`Call ${call}: answered`),
    (error) =>
      console.log(`Call ${call}: ${error.code} ${error.message}`),
  )
}
