// The part of `@opentelemetry/api` that is used here, as types, and the names of its semantic conventions. The user passes the
// package in; nothing here imports it.
import type { KnownKeys } from '../primitives/options.ts'

/** What tracing of clients and of servers have in common. */
export interface TracingOptions {
  /** The module `@opentelemetry/api`: `import * as api from '@opentelemetry/api'`. */
  api: TelemetryApi
  /** Further attributes of every span and measurement, such as `server.address` and `server.port`. */
  attributes?: Attributes | undefined
  /** Adds tool arguments and URIs with their query to spans. They may contain secrets (default: `false`). */
  recordArguments?: boolean | undefined
  /** Adds tool results to spans (default: `false`). */
  recordResults?: boolean | undefined
  /** Adds unexpected exceptions to spans, with message and stack (default: `true`). */
  recordExceptions?: boolean | undefined
}

export const TRACING_KEYS: KnownKeys<TracingOptions> = {
  api: true,
  attributes: true,
  recordArguments: true,
  recordResults: true,
  recordExceptions: true,
}

export type AttributeValue = string | number | boolean
/** Attributes of a span or a metric, by name. */
export type Attributes = Record<string, AttributeValue>

/** The context of OpenTelemetry, with the active span and baggage. Opaque here. */
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

/** Counts up, or up and down. */
export interface Counter {
  add(value: number, attributes?: Attributes): void
}

export interface ObservableResult {
  observe(value: number, attributes?: Attributes): void
}

/** An instrument that is read when its meter collects. */
export interface Observable {
  addCallback(callback: (result: ObservableResult) => void | Promise<void>): void
  removeCallback?(callback: (result: ObservableResult) => void | Promise<void>): void
}

export interface Meter {
  createHistogram(name: string, options?: HistogramOptions): Histogram
  createObservableUpDownCounter?(name: string, options?: { description: string }): Observable
  createObservableCounter?(name: string, options?: { description: string }): Observable
  createObservableGauge?(name: string, options?: { description: string }): Observable
  createCounter?(name: string, options?: { description: string }): Counter
  createUpDownCounter?(name: string, options?: { description: string }): Counter
}

/** The module `@opentelemetry/api`, or an object with the same functions. Optional here is what is optional there. */
export interface TelemetryApi {
  /** Creates spans. */
  readonly trace: {
    /** Returns the tracer of a library. */
    getTracer(name: string, version?: string): Tracer
    /** Returns a context that has the span. */
    setSpan(context: TraceContext, span: Span): TraceContext
    /** Returns the ids of the span in a context. */
    getSpanContext(context: TraceContext): SpanContext | undefined
  }
  /** The context of the running code. */
  readonly context: {
    /** Returns the context of the running code. */
    active(): TraceContext
    /** Runs a function within a context. */
    with<R>(context: TraceContext, work: () => R): R
  }
  /** Carries the context between processes. */
  readonly propagation: {
    /** Writes the context into `_meta` of a message. */
    inject(context: TraceContext, carrier: Record<string, unknown>): void
    /** Reads the context from `_meta` of a message. */
    extract(context: TraceContext, carrier: Record<string, unknown>): TraceContext
  }
  /** Creates metrics. */
  readonly metrics: {
    /** Returns the meter of a library. */
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
  TaskId: 'mcp.task.id',
  TaskAttempt: 'mcp.task.attempt',
  TaskStatus: 'mcp.task.status',
  BackendOperation: 'mcp.backend.operation',
  ProxySource: 'mcp.proxy.source',
  NetworkTransport: 'network.transport',
  NetworkProtocolName: 'network.protocol.name',
} as const

/** Replaces names that a peer can invent: each name in a measurement is a time series of its own. */
export const OTHER = '_OTHER'

/** Values of `error.type` for errors without a code. */
export const ErrorType = {
  ToolError: 'tool_error',
  Timeout: 'timeout',
  ConnectionClosed: 'connection_closed',
  Cancelled: 'cancelled',
} as const

/** In seconds. */
export const DURATION_BUCKETS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300]
