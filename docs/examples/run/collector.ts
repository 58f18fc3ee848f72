import * as api from '@opentelemetry/api'
import { NodeSDK } from '@opentelemetry/sdk-node'
import { Client, MCPServer, ToolError } from 'mcpwire'
import { traceClient, traceServer } from 'mcpwire/telemetry'
import { z } from 'zod'

// Sends to OTEL_EXPORTER_OTLP_ENDPOINT, else to localhost:4318.
const sdk = new NodeSDK({ serviceName: 'weather' })
sdk.start()

const server = new MCPServer('weather', {
  middleware: [traceServer({ api })],
})
const input = z.object({ city: z.string() })
server.tool('today', { input }, ({ city }) => {
  if (city !== 'Rome') throw new ToolError(`No such city: ${city}`)
  return 'Sunny'
})

const client = await Client.connect(server, {
  middleware: [traceClient({ api })],
})
await client.callTool('today', { city: 'Rome' })
await client.callTool('today', { city: 'Atlantis' })
await client.close()
await sdk.shutdown()
