// The part of `@opentelemetry/api` that is used here, by its form: the user brings the package, nothing here imports it.
import type { KnownKeys } from '../primitives/options.ts'

export interface TracingOptions {
  /** The module `@opentelemetry/api`: `import * as api from '@opentelemetry/api'`. */
  api: TelemetryApi
  /** Further attributes of every span and measurement, as `server.address` and `server.port`. */
  attributes?: Attributes
  /** Puts the arguments of tools on spans, and uris with their query. They may hold secrets, so not unless given. */
  recordArguments?: boolean
  /** Puts the results of tools on spans; not unless given. */
  recordResults?: boolean
  /** Puts unexpected exceptions on spans, with message and stack. True unless given. */
  recordExceptions?: boolean
}

export const TRACING_KEYS: KnownKeys<TracingOptions> = {
  api: true,
  attributes: true,
  recordArguments: true,
  recordResults: true,
  recordExceptions: true,
}

export type AttributeValue = string | number | boolean
export type Attributes = Record<string, AttributeValue>

/** What follows the flow of a program: the active span, baggage. Opaque here. */
export interface TraceContext {
  getValue(key: symbol): unknown
}

export interface SpanContext {
  traceId: string
  spanId: string
  traceFlags: number
}

export interface SpanStatus {
  /** 2 is an error. */
  code: number
  message?: string
}

export interface Span {
  setAttributes(attributes: Attributes): unknown
  setStatus(status: SpanStatus): unknown
  recordException(error: Error): void
  isRecording(): boolean
  end(): void
}

export interface SpanOptions {
  /** 0 is internal, 1 a server, 2 a client. */
  kind: number
  attributes: Attributes
  links?: { context: SpanContext }[]
}

export interface Tracer {
  startSpan(name: string, options?: SpanOptions, context?: TraceContext): Span
}

export interface HistogramOptions {
  unit: string
  description: string
  advice: { explicitBucketBoundaries: number[] }
}

export interface Histogram {
  record(value: number, attributes?: Attributes, context?: TraceContext): void
}

export interface Meter {
  createHistogram(name: string, options?: HistogramOptions): Histogram
}

/** The module `@opentelemetry/api`, or anything of that form. What is optional there is so here, or it would not fit. */
export interface TelemetryApi {
  readonly trace: {
    getTracer(name: string, version?: string): Tracer
    setSpan(context: TraceContext, span: Span): TraceContext
    getSpanContext(context: TraceContext): SpanContext | undefined
  }
  readonly context: {
    active(): TraceContext
    with<R>(context: TraceContext, work: () => R): R
  }
  readonly propagation: {
    inject(context: TraceContext, carrier: Record<string, unknown>): void
    extract(context: TraceContext, carrier: Record<string, unknown>): TraceContext
  }
  readonly metrics: {
    getMeter(name: string, version?: string): Meter
  }
}

export const SPAN_KIND_INTERNAL = 0
export const SPAN_KIND_SERVER = 1
export const SPAN_KIND_CLIENT = 2
export const STATUS_ERROR = 2

export const Attribute = {
  MethodName: 'mcp.method.name',
  ProtocolVersion: 'mcp.protocol.version',
  SessionId: 'mcp.session.id',
  ResourceUri: 'mcp.resource.uri',
  RequestId: 'jsonrpc.request.id',
  ResponseStatusCode: 'rpc.response.status_code',
  ErrorType: 'error.type',
  OperationName: 'gen_ai.operation.name',
  ToolName: 'gen_ai.tool.name',
  ToolArguments: 'gen_ai.tool.call.arguments',
  ToolResult: 'gen_ai.tool.call.result',
  PromptName: 'gen_ai.prompt.name',
  NetworkTransport: 'network.transport',
  NetworkProtocolName: 'network.protocol.name',
} as const

/** Instead of a name that anybody could have made up: measurements are kept for each name there ever was. */
export const OTHER = '_OTHER'

/** What `error.type` says where there is no code. */
export const ErrorType = {
  ToolError: 'tool_error',
  Timeout: 'timeout',
  ConnectionClosed: 'connection_closed',
  Cancelled: 'cancelled',
} as const

/** In seconds. */
export const DURATION_BUCKETS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300]
