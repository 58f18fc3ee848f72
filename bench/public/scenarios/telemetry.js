// Calls in process, with the telemetry of the package, with the same spans by hand, and with none.
import { Client, MCPServer } from 'mcpwire'
import { traceServer } from 'mcpwire/telemetry'
import { addTools } from '../schemas.js'
import { spansByHand, startTelemetry } from '../spans.js'

async function serve(createMiddleware) {
  const api = startTelemetry()
  const server = addTools(new MCPServer('bench'))
  const middleware = createMiddleware?.(api)
  if (middleware !== undefined) server.use(middleware)
  const client = await Client.connect(server)
  await client.listTools()
  return () => client.callTool('add', { a: 1, b: 2 })
}

export const contenders = {
  none: () => serve(),
  'by hand': () => serve(spansByHand),
  mcpwire: () => serve((api) => traceServer({ api })),
}
