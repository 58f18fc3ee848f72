import * as api from '@opentelemetry/api'
import { Client, MCPServer } from 'mcpwire'
import { traceServer } from 'mcpwire/telemetry'

// In your program an SDK of OpenTelemetry does this.
const tracer = {
  startSpan(name: string, { attributes }: api.SpanOptions = {}) {
    console.log(name, attributes?.['mcp.protocol.version'])
    return api.trace.wrapSpanContext(api.INVALID_SPAN_CONTEXT)
  },
}
api.trace.setGlobalTracerProvider({ getTracer: () => tracer as never })

const server = new MCPServer('clock', {
  middleware: [traceServer({ api })],
})
server.tool('now', () => '12:00')

const client = await Client.connect(server)
await client.callTool('now')
await client.close()
