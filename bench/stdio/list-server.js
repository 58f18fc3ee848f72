// A server with many tools and realistic descriptions.
import { MCPServer } from 'mcpwire'
import { describedTools } from './described-tools.js'

const server = new MCPServer('bench')
for (const { name, ...options } of describedTools) server.tool(name, options, () => name)
server.tool('usage', {}, () => {
  const { user, system } = process.cpuUsage()
  return String(user + system)
})

await server.run()
