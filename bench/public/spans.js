// Spans and measurements for two servers: those that the package makes, and the same ones by hand. The program that would send them
// away is the same for both, and keeps the last ones.
import { AsyncLocalStorage } from 'node:async_hooks'
import * as api from '@opentelemetry/api'

const kept = []

function keep(entry) {
  kept.push(entry)
  if (kept.length >= 512) kept.length = 0
}

/** As the tracers of OpenTelemetry make ids: they must differ, and need not be secret. */
const shared = Buffer.alloc(16)
function randomId(length) {
  for (let at = 0; at < length; at += 4) shared.writeUInt32BE((Math.random() * 2 ** 32) >>> 0, at)
  return shared.toString('hex', 0, length)
}

class Span {
  #context
  constructor(name, options, parent) {
    this.name = name
    this.attributes = { ...options.attributes }
    this.startTime = performance.now()
    this.#context = {
      traceId: api.trace.getSpanContext(parent)?.traceId ?? randomId(16),
      spanId: randomId(8),
      traceFlags: 1,
    }
  }
  spanContext() {
    return this.#context
  }
  setAttribute(key, value) {
    this.attributes[key] = value
    return this
  }
  setAttributes(attributes) {
    Object.assign(this.attributes, attributes)
    return this
  }
  setStatus(status) {
    this.status = status
    return this
  }
  addEvent() {
    return this
  }
  addLink() {
    return this
  }
  addLinks() {
    return this
  }
  updateName(name) {
    this.name = name
    return this
  }
  recordException() {}
  isRecording() {
    return true
  }
  end() {
    this.endTime = performance.now()
    keep(this)
  }
}

const tracer = { startSpan: (name, options = {}, parent = api.context.active()) => new Span(name, options, parent) }

const storage = new AsyncLocalStorage()
const contexts = {
  active: () => storage.getStore() ?? api.ROOT_CONTEXT,
  with: (context, run, self, ...args) => storage.run(context, () => run.call(self, ...args)),
  bind: (context, target) => (typeof target === 'function' ? () => storage.run(context, target) : target),
  enable: () => contexts,
  disable: () => contexts,
}

/** As the propagator of W3C does it. */
const propagator = {
  extract(context, carrier, getter) {
    const [, traceId, spanId, flags] = String(getter.get(carrier, 'traceparent') ?? '').split('-')
    if (spanId === undefined) return context
    return api.trace.setSpanContext(context, { traceId, spanId, traceFlags: Number(flags), isRemote: true })
  },
  inject() {},
  fields: () => ['traceparent'],
}

export function startTelemetry() {
  api.trace.setGlobalTracerProvider({ getTracer: () => tracer })
  api.context.setGlobalContextManager(contexts)
  api.propagation.setGlobalPropagator(propagator)
  const histogram = { record: (value, attributes) => keep({ value, attributes }) }
  const meter = api.createNoopMeter()
  const own = Object.assign(Object.create(meter), { createHistogram: () => histogram })
  api.metrics.setGlobalMeterProvider({ getMeter: () => own })
  return api
}

/** A middleware that makes the span and the measurement of a call by hand, with the names and attributes that the package uses. */
export function spansByHand() {
  const histogram = api.metrics.getMeter('bench').createHistogram('mcp.server.operation.duration', { unit: 's' })
  const own = api.trace.getTracer('bench')
  return async (ctx, next) => {
    const name = ctx.params?.name
    const parent = api.propagation.extract(api.ROOT_CONTEXT, ctx.params?._meta ?? {}, {
      get: (carrier, key) => carrier[key],
      keys: Object.keys,
    })
    const attributes = {
      'mcp.method.name': ctx.method,
      'gen_ai.tool.name': name,
      'gen_ai.operation.name': 'execute_tool',
      'jsonrpc.request.id': String(ctx.requestId),
      'mcp.protocol.version': ctx.protocolVersion,
    }
    const span = own.startSpan(`${ctx.method} ${name}`, { kind: api.SpanKind.SERVER, attributes }, parent)
    const startedAt = performance.now()
    const measured = {
      'mcp.method.name': ctx.method,
      'gen_ai.tool.name': name,
      'mcp.protocol.version': ctx.protocolVersion,
    }
    try {
      const result = await api.context.with(api.trace.setSpan(parent, span), () => next())
      if (result?.isError === true) span.setStatus({ code: api.SpanStatusCode.ERROR })
      return result
    } catch (error) {
      span.recordException(error)
      span.setStatus({ code: api.SpanStatusCode.ERROR })
      measured['error.type'] = String(error.code)
      throw error
    } finally {
      span.end()
      histogram.record((performance.now() - startedAt) / 1_000, measured)
    }
  }
}
