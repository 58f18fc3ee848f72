// The client of `@openai/agents`.
import { MCPServerSSE, MCPServerStdio, MCPServerStreamableHttp } from '@openai/agents'
import { drive } from './drive.js'
import { followPages } from './pages.js'

await drive(async ({ target }) => {
  const { command, args, env, url, kind } = target
  const common = { name: 'server', cacheToolsList: false }
  const Remote = kind === 'sse' ? MCPServerSSE : MCPServerStreamableHttp
  const server = command
    ? new MCPServerStdio({ ...common, command, args, env })
    : new Remote({ ...common, url, clientSessionTimeoutSeconds: 120 })
  await server.connect()
  return {
    listTools: () => server.listTools(),
    listResources: () => followPages((params) => server.listResources(params), 'resources'),
    listTemplates: () => followPages((params) => server.listResourceTemplates(params), 'resourceTemplates'),
    readResource: (uri) => server.readResource(uri),
    callTool: (name, toolArgs, { signal }) => server.callToolResult(name, toolArgs, null, { signal }),
    close: () => server.close(),
  }
})
