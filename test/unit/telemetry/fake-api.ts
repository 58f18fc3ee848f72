// An OpenTelemetry API in a few lines: spans and measurements are kept for the test, contexts follow asynchronous calls.
import { AsyncLocalStorage } from 'node:async_hooks'
import type {
  Attributes,
  Counter,
  Observable,
  Span,
  SpanContext,
  SpanOptions,
  SpanStatus,
  TelemetryApi,
  TraceContext,
} from '../../../src/telemetry/api.ts'

const SPAN = Symbol('span')
const BAGGAGE = Symbol('baggage')

class FakeContext implements TraceContext {
  readonly #values: ReadonlyMap<symbol, unknown>

  constructor(values: ReadonlyMap<symbol, unknown> = new Map()) {
    this.#values = values
  }

  getValue(key: symbol): unknown {
    return this.#values.get(key)
  }

  with(key: symbol, value: unknown): FakeContext {
    return new FakeContext(new Map([...this.#values, [key, value]]))
  }
}

export interface FakeSpan extends Span {
  name: string
  kind: number
  attributes: Attributes
  links: SpanContext[]
  status: SpanStatus | undefined
  exceptions: Error[]
  parentId: string | undefined
  spanId: string
  traceId: string
  isEnded: boolean
}

export interface Measurement {
  name: string
  value: number
  attributes: Attributes
}

const ZEROS = '0'.repeat(32)
const spanContextOf = (context: TraceContext) => context.getValue(SPAN) as SpanContext | undefined

export class FakeTelemetry {
  readonly spans: FakeSpan[] = []
  readonly measurements: Measurement[] = []
  readonly histograms = new Map<string, unknown>()
  readonly meters: string[] = []
  readonly #observables = new Map<string, Set<Parameters<Observable['addCallback']>[0]>>()
  isRecording = true
  /** With which its span ids begin, so that those of two cannot be mixed up. */
  readonly #prefix: string
  readonly #storage = new AsyncLocalStorage<TraceContext>()

  readonly api: TelemetryApi = {
    trace: {
      getTracer: () => ({ startSpan: (name, options, context) => this.#startSpan(name, options, context) }),
      setSpan: (context, span) => (context as FakeContext).with(SPAN, { ...(span as FakeSpan), traceFlags: 1 }),
      getSpanContext: spanContextOf,
    },
    context: {
      active: () => this.#storage.getStore() ?? new FakeContext(),
      with: (context, work) => this.#storage.run(context, work),
    },
    propagation: {
      inject: (context, carrier) => {
        const span = spanContextOf(context)
        if (span !== undefined) carrier['traceparent'] = `00-${span.traceId}-${span.spanId}-01`
        if (context.getValue(BAGGAGE) !== undefined) carrier['baggage'] = context.getValue(BAGGAGE)
        carrier['x-vendor'] = 'not for _meta'
      },
      extract: (context, carrier) => {
        const [, traceId, spanId] = /^00-(\w{32})-(\w{16})-01$/.exec(String(carrier['traceparent'])) ?? []
        const parent = traceId === undefined ? context : (context as FakeContext).with(SPAN, { traceId, spanId })
        const { baggage } = carrier
        return baggage === undefined ? parent : (parent as FakeContext).with(BAGGAGE, baggage)
      },
    },
    metrics: {
      getMeter: (name) => {
        this.meters.push(name)
        return {
          createHistogram: (histogram, options) => {
            this.histograms.set(histogram, options)
            return {
              record: (value, attributes = {}) => this.measurements.push({ name: histogram, value, attributes }),
            }
          },
          createCounter: (counter) => this.#counter(counter),
          createUpDownCounter: (counter) => this.#counter(counter),
          createObservableUpDownCounter: (name) => this.#observable(name),
          createObservableCounter: (name) => this.#observable(name),
          createObservableGauge: (name) => this.#observable(name),
        }
      },
    },
  }

  constructor(prefix = '0') {
    this.#prefix = prefix
  }

  #counter(name: string): Counter {
    return { add: (value, attributes = {}) => void this.measurements.push({ name, value, attributes }) }
  }

  #observable(name: string): Observable {
    const callbacks = this.#observables.get(name) ?? new Set()
    this.#observables.set(name, callbacks)
    return {
      addCallback: (callback) => void callbacks.add(callback),
      removeCallback: (callback) => void callbacks.delete(callback),
    }
  }

  /** What a meter reads when it collects, by instrument. */
  async collect(): Promise<Record<string, Omit<Measurement, 'name'>[]>> {
    const collected: Record<string, Omit<Measurement, 'name'>[]> = {}
    for (const [name, callbacks] of this.#observables) {
      const observed: Omit<Measurement, 'name'>[] = []
      for (const callback of callbacks) {
        await callback({ observe: (value, attributes = {}) => void observed.push({ value, attributes }) })
      }
      if (observed.length > 0) collected[name] = observed
    }
    return collected
  }

  get names(): string[] {
    return this.spans.map(({ name }) => name)
  }

  span(name: string, kind?: number): FakeSpan {
    const found = this.spans.find((span) => span.name === name && (kind === undefined || span.kind === kind))
    if (found === undefined) throw new Error(`no span '${name}' among: ${this.names.join(', ')}`)
    return found
  }

  measured(name: string, method?: string): Measurement[] {
    return this.measurements.filter(
      (entry) => entry.name === name && (method === undefined || entry.attributes['mcp.method.name'] === method),
    )
  }

  get activeSpanId(): string | undefined {
    return spanContextOf(this.api.context.active())?.spanId
  }

  get activeBaggage(): unknown {
    return this.api.context.active().getValue(BAGGAGE)
  }

  /** Runs something inside a span of the test's own. */
  inside<R>(spanId: string, baggage: string | undefined, work: () => R): R {
    const context = new FakeContext().with(SPAN, { traceId: ZEROS, spanId }).with(BAGGAGE, baggage)
    return this.api.context.with(context, work)
  }

  #startSpan(name: string, options?: SpanOptions, context: TraceContext = this.api.context.active()): FakeSpan {
    const parent = spanContextOf(context)
    const span: FakeSpan = {
      name,
      kind: options?.kind ?? 0,
      attributes: { ...options?.attributes },
      links: (options?.links ?? []).map((link) => link.context),
      status: undefined,
      exceptions: [],
      parentId: parent?.spanId,
      traceId: parent?.traceId ?? ZEROS,
      spanId: this.#prefix + String(this.spans.length + 1).padStart(15, '0'),
      isEnded: false,
      setAttributes: (attributes) => Object.assign(span.attributes, attributes),
      setStatus: (status) => {
        span.status = status
      },
      recordException: (error) => void span.exceptions.push(error),
      isRecording: () => this.isRecording,
      end: () => {
        span.isEnded = true
      },
    }
    this.spans.push(span)
    return span
  }
}
