// mcpwire/telemetry: spans and metrics for OpenTelemetry, whose API the user passes in.
export type { Attributes, TelemetryApi, TracingOptions } from '../telemetry/api.ts'
export { type MeasureBackendOptions, measureBackend } from '../telemetry/measure-backend.ts'
export { type TraceClientOptions, traceClient } from '../telemetry/trace-client.ts'
export { type TraceServerOptions, traceServer } from '../telemetry/trace-server.ts'
