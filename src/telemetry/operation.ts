// Observes one request or notification: a span around it and a measurement after it.
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
import { describeToolResult, joinAttributes, type Message, nameSpan } from './message-attributes.ts'
import { describeOutcome, type Outcome, outcomeOfResult } from './outcome.ts'

/** Keeps failures of the telemetry away from calls, and reports the first one. */
export class TelemetryGuard {
  #faults: FaultReporter | undefined
  #hasReported = false

  /** Where a failure is reported: to the session or server whose message is observed. */
  reportTo(faults: FaultReporter | undefined): void {
    this.#faults = faults
  }

  /** The result of the work; `undefined` if it throws. */
  attempt<R>(work: () => R): R | undefined {
    try {
      return work()
    } catch (error) {
      this.#report(error)
      return undefined
    }
  }

  #report(error: unknown): void {
    if (this.#hasReported) return
    this.#hasReported = true
    const message = 'Telemetry failed. Calls go on without it, and further failures are not reported'
    this.#faults?.report({ kind: 'callback-failed', message, error })
  }
}

/** What is known about an operation at its start, and functions for what is known at its end. */
export interface Operation {
  readonly message: Message
  /** Of the span. */
  readonly kind: number
  readonly parent: TraceContext
  readonly links?: { context: SpanContext }[]
  /** Of the span. */
  readonly attributes: Attributes
  outcomeOfError(error: unknown): Outcome
  /** Attributes of the measurement, which may depend on the outcome. Absent if the operation is not measured. */
  measure?(outcome: Outcome): Attributes
  /** Attributes of the span that are known only at the end. */
  attributesAtEnd?(result: JSONObject | undefined): Attributes
}

interface StartedOperation {
  readonly operation: Operation
  readonly span: Span
  readonly context: TraceContext
  readonly instruments: Instruments
  readonly startedAt: number
}

/** Observes what is sent (`client`) or received (`server`). The work runs exactly once, even if the telemetry fails. */
export class Observer {
  readonly guard: TelemetryGuard
  readonly #options: TracingOptions
  readonly #instrumentsOf: () => Instruments

  constructor(options: TracingOptions, side: Side, guard: TelemetryGuard) {
    this.guard = guard
    this.#options = options
    this.#instrumentsOf = prepareInstruments(options.api, side)
  }

  /** Runs the work with its span active. The work gets the context of the span; `undefined` if there is no span. */
  observe<R extends JSONObject | undefined>(
    plan: () => Operation,
    work: (context: TraceContext | undefined) => Promise<R>,
  ): Promise<R> {
    const started = this.guard.attempt(() => this.#start(plan()))
    if (started === undefined) return work(undefined)
    let running: Promise<R> | undefined
    const run = () => {
      running ??= this.#run(started, () => work(started.context))
      return running
    }
    this.guard.attempt(() => this.#options.api.context.with(started.context, () => void run()))
    return run()
  }

  /** Measures a session. `startedAt` is a time of `monotonicNow`. */
  recordSession(startedAt: number, attributes: Attributes): void {
    this.guard.attempt(() => this.#instrumentsOf().sessions.record(secondsSince(startedAt), attributes))
  }

  #start(operation: Operation): StartedOperation {
    const { api } = this.#options
    const { message, kind, parent, links, attributes } = operation
    const instruments = this.#instrumentsOf()
    const spanOptions = links === undefined ? { kind, attributes } : { kind, attributes, links }
    const span = instruments.tracer.startSpan(nameSpan(message), spanOptions, parent)
    const context = this.guard.attempt(() => api.trace.setSpan(parent, span)) ?? parent
    return { operation, span, context, instruments, startedAt: monotonicNow() }
  }

  async #run<R extends JSONObject | undefined>(started: StartedOperation, work: () => Promise<R>): Promise<R> {
    try {
      const result = await work()
      this.#finish(started, outcomeOfResult(result), result)
      return result
    } catch (error) {
      const outcome = this.guard.attempt(() => started.operation.outcomeOfError(error))
      this.#finish(started, outcome ?? { errorType: OTHER }, undefined)
      throw error
    }
  }

  /** Each step by itself: a span without attributes can still be ended. */
  #finish(started: StartedOperation, outcome: Outcome, result: JSONObject | undefined): void {
    const { operation, span, instruments, startedAt } = started
    this.guard.attempt(() => {
      if (span.isRecording()) this.#describe(started, outcome, result)
    })
    this.guard.attempt(() => span.end())
    this.guard.attempt(() => {
      const attributes = operation.measure?.(outcome)
      if (attributes !== undefined) instruments.operations.record(secondsSince(startedAt), attributes)
    })
  }

  #describe({ operation, span }: StartedOperation, outcome: Outcome, result: JSONObject | undefined): void {
    const { recordResults = false, recordExceptions = true } = this.#options
    const { errorType, message, exception } = outcome
    span.setAttributes(
      joinAttributes(
        describeOutcome(outcome),
        operation.attributesAtEnd?.(result),
        recordResults ? describeToolResult(operation.message, result) : undefined,
      ),
    )
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

/** Creates the instruments at the first call: a meter from before the program registers its provider never measures anything. */
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
