// As little of an OpenTelemetry SDK as can be registered with the real `@opentelemetry/api`: what is recorded stays in memory.
import { AsyncLocalStorage } from 'node:async_hooks'
import {
  type Attributes,
  type Context,
  type ContextManager,
  context,
  createNoopMeter,
  INVALID_SPAN_CONTEXT,
  type MeterProvider,
  metrics,
  propagation,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  type SpanOptions,
  type SpanStatus,
  SpanStatusCode,
  type TextMapPropagator,
  TraceFlags,
  type Tracer,
  type TracerProvider,
  trace,
} from '@opentelemetry/api'

export class RecordedSpan implements Span {
  readonly name: string
  readonly kind: SpanKind
  readonly attributes: Attributes
  readonly parentId: string | undefined
  status: SpanStatus = { code: SpanStatusCode.UNSET }
  isEnded = false
  readonly #context: SpanContext

  constructor(name: string, options: SpanOptions, parent: SpanContext | undefined, spanId: string) {
    this.name = name
    this.kind = options.kind ?? SpanKind.INTERNAL
    this.attributes = { ...options.attributes }
    this.parentId = parent?.spanId
    this.#context = { traceId: parent?.traceId ?? 'a'.repeat(32), spanId, traceFlags: TraceFlags.SAMPLED }
  }

  spanContext(): SpanContext {
    return this.#context
  }

  setAttribute(key: string, value: Attributes[string]): this {
    return this.setAttributes({ [key]: value })
  }

  setAttributes(attributes: Attributes): this {
    Object.assign(this.attributes, attributes)
    return this
  }

  setStatus(status: SpanStatus): this {
    this.status = status
    return this
  }

  addEvent(): this {
    return this
  }

  addLink(): this {
    return this
  }

  addLinks(): this {
    return this
  }

  updateName(): this {
    return this
  }

  recordException(): void {}

  isRecording(): boolean {
    return !this.isEnded
  }

  end(): void {
    this.isEnded = true
  }
}

export interface Recorded {
  readonly spans: RecordedSpan[]
  readonly measured: { name: string; value: number; attributes: Attributes | undefined }[]
}

/** Registers everything; what is recorded from then on is in what it returns. */
export function register(): Recorded {
  const recorded: Recorded = { spans: [], measured: [] }
  trace.setGlobalTracerProvider(createTracers(recorded))
  metrics.setGlobalMeterProvider(createMeters(recorded))
  context.setGlobalContextManager(createContextManager())
  propagation.setGlobalPropagator(TRACEPARENT)
  return recorded
}

export function unregister(): void {
  for (const part of [trace, metrics, context, propagation]) part.disable()
}

function createTracers({ spans }: Recorded): TracerProvider {
  const startSpan = (name: string, options: SpanOptions = {}, parent: Context = context.active()) => {
    const spanId = String(spans.length + 1).padStart(16, '0')
    const span = new RecordedSpan(name, options, trace.getSpanContext(parent), spanId)
    spans.push(span)
    return span
  }
  const startActiveSpan = (): never => {
    throw new Error('not needed here')
  }
  const tracer: Tracer = { startSpan, startActiveSpan }
  return { getTracer: () => tracer }
}

function createMeters({ measured }: Recorded): MeterProvider {
  const createHistogram = (name: string) => ({
    record: (value: number, attributes?: Attributes) => void measured.push({ name, value, attributes }),
  })
  return { getMeter: () => Object.assign(createNoopMeter(), { createHistogram }) }
}

function createContextManager(): ContextManager {
  const storage = new AsyncLocalStorage<Context>()
  const manager: ContextManager = {
    active: () => storage.getStore() ?? ROOT_CONTEXT,
    with: (active, work, self, ...args) => storage.run(active, () => work.apply(self as never, args)),
    bind: (_active, target) => target,
    enable: () => manager,
    disable: () => manager,
  }
  return manager
}

const TRACEPARENT: TextMapPropagator = {
  fields: () => ['traceparent'],
  inject: (from, carrier, setter) => {
    const { traceId, spanId } = trace.getSpanContext(from) ?? INVALID_SPAN_CONTEXT
    setter.set(carrier, 'traceparent', `00-${traceId}-${spanId}-01`)
  },
  extract: (into, carrier, getter) => {
    const [, traceId, spanId] = String(getter.get(carrier, 'traceparent')).split('-')
    if (traceId === undefined || spanId === undefined) return into
    return trace.setSpanContext(into, { traceId, spanId, traceFlags: TraceFlags.SAMPLED, isRemote: true })
  },
}
