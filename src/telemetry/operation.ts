// One request or notification under observation: a span around it and a measurement after it.

import type { FaultReporter } from '../dispatcher/fault.ts'
import { monotonicNow } from '../primitives/async/timer.ts'
import type { JSONObject } from '../types/protocol/json.ts'
import { PACKAGE_VERSION } from '../types/protocol/package-version.ts'
import {
  type Attributes,
  DURATION_BUCKETS,
  type Histogram,
  type Meter,
  OTHER,
  type Span,
  type SpanContext,
  STATUS_ERROR,
  type TelemetryApi,
  type TraceContext,
  type Tracer,
  type TracingOptions,
} from './api.ts'
import { describeEnding, type Ending, endingOf } from './ending.ts'
import { describeResult, type Message, nameSpan } from './message-attributes.ts'

export class Guard {
  #faults: FaultReporter | undefined
  #hasTold = false

  /** Where a failure is reported: to the session or server whose message is observed. */
  reportTo(faults: FaultReporter | undefined): void {
    this.#faults = faults
  }

  /** What the work returns; `undefined` where it throws. */
  attempt<R>(work: () => R): R | undefined {
    try {
      return work()
    } catch (error) {
      this.#tell(error)
      return undefined
    }
  }

  #tell(error: unknown): void {
    if (this.#hasTold) return
    this.#hasTold = true
    const message = 'Telemetry failed: calls go on without it, and further failures are not told'
    this.#faults?.report({ kind: 'callback-failed', message, error })
  }
}

/** What is known of an operation from the start, and what has to be asked at its end. */
export interface Operation {
  readonly message: Message
  /** Of the span. */
  readonly kind: number
  readonly parent: TraceContext
  readonly links?: { context: SpanContext }[]
  /** Of the span. */
  readonly attributes: Attributes
  endingOfError(error: unknown): Ending
  /** Attributes of the measurement, which may depend on how it ended. What crosses no wire is not measured. */
  measure?(ending: Ending): Attributes
  /** For the span, known only now. */
  describeEnd?(result: JSONObject | undefined): Attributes
}

interface Begun {
  readonly operation: Operation
  readonly span: Span
  readonly context: TraceContext
  readonly instruments: Instruments
  readonly startedAt: number
}

/** Observes what is sent (`client`) or received (`server`). Whatever the telemetry does, the work is done, and done once. */
export class Observer {
  readonly guard: Guard
  readonly #options: TracingOptions
  readonly #instrumentsOf: () => Instruments

  constructor(options: TracingOptions, side: Side, guard: Guard) {
    this.guard = guard
    this.#options = options
    this.#instrumentsOf = prepareInstruments(options.api, side)
  }

  /** Does the work with its span active. The work gets the context of that span, and none where there is no span. */
  observe<R extends JSONObject | undefined>(
    plan: () => Operation,
    work: (context: TraceContext | undefined) => Promise<R>,
  ): Promise<R> {
    const begun = this.guard.attempt(() => this.#begin(plan()))
    if (begun === undefined) return work(undefined)
    let running: Promise<R> | undefined
    const run = () => {
      running ??= this.#run(begun, () => work(begun.context))
      return running
    }
    this.guard.attempt(() => this.#options.api.context.with(begun.context, () => void run()))
    return run()
  }

  /** Measures a session. `startedAt` is by the clock that nobody can set. */
  recordSession(startedAt: number, attributes: Attributes): void {
    this.guard.attempt(() => this.#instrumentsOf().sessions.record(secondsSince(startedAt), attributes))
  }

  #begin(operation: Operation): Begun {
    const { api } = this.#options
    const { message, kind, parent, links, attributes } = operation
    const instruments = this.#instrumentsOf()
    const spanOptions = links === undefined ? { kind, attributes } : { kind, attributes, links }
    const span = instruments.tracer.startSpan(nameSpan(message), spanOptions, parent)
    const context = this.guard.attempt(() => api.trace.setSpan(parent, span)) ?? parent
    return { operation, span, context, instruments, startedAt: monotonicNow() }
  }

  async #run<R extends JSONObject | undefined>(begun: Begun, work: () => Promise<R>): Promise<R> {
    try {
      const result = await work()
      this.#finish(begun, endingOf(result), result)
      return result
    } catch (error) {
      const ending = this.guard.attempt(() => begun.operation.endingOfError(error))
      this.#finish(begun, ending ?? { errorType: OTHER }, undefined)
      throw error
    }
  }

  /** One by one: a span that cannot be described can still be ended. */
  #finish(begun: Begun, ending: Ending, result: JSONObject | undefined): void {
    const { operation, span, instruments, startedAt } = begun
    this.guard.attempt(() => {
      if (span.isRecording()) this.#describe(begun, ending, result)
    })
    this.guard.attempt(() => span.end())
    this.guard.attempt(() => {
      const attributes = operation.measure?.(ending)
      if (attributes !== undefined) instruments.operations.record(secondsSince(startedAt), attributes)
    })
  }

  #describe({ operation, span }: Begun, ending: Ending, result: JSONObject | undefined): void {
    const { recordResults = false, recordExceptions = true } = this.#options
    const { errorType, message, exception } = ending
    span.setAttributes({
      ...describeEnding(ending),
      ...operation.describeEnd?.(result),
      ...(recordResults && describeResult(operation.message, result)),
    })
    if (exception !== undefined && recordExceptions) span.recordException(exception)
    if (errorType === undefined) return
    span.setStatus(message === undefined ? { code: STATUS_ERROR } : { code: STATUS_ERROR, message })
  }
}

function secondsSince(startedAt: number): number {
  return (monotonicNow() - startedAt) / 1000
}

type Side = 'client' | 'server'

interface Instruments {
  readonly tracer: Tracer
  /** Requests and notifications. */
  readonly operations: Histogram
  readonly sessions: Histogram
}

/**
 * Hands out the instruments. Not before the first call: a meter that is asked for before the program has registered its
 * provider measures nothing, ever.
 */
function prepareInstruments(api: TelemetryApi, side: Side): () => Instruments {
  let instruments: Instruments | undefined
  return () => {
    instruments ??= createInstruments(api, side)
    return instruments
  }
}

function createInstruments(api: TelemetryApi, side: Side): Instruments {
  const meter = api.metrics.getMeter('mcpwire', PACKAGE_VERSION)
  return {
    tracer: api.trace.getTracer('mcpwire', PACKAGE_VERSION),
    operations: createHistogram(
      meter,
      `mcp.${side}.operation.duration`,
      `MCP requests and notifications, on the ${side}`,
    ),
    sessions: createHistogram(meter, `mcp.${side}.session.duration`, `MCP sessions, on the ${side}`),
  }
}

function createHistogram(meter: Meter, name: string, description: string): Histogram {
  return meter.createHistogram(name, {
    unit: 's',
    description,
    advice: { explicitBucketBoundaries: [...DURATION_BUCKETS] },
  })
}
