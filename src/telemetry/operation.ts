// One request or notification under observation: a span around it and a measurement after it.
import { monotonicNow } from '../primitives/timer.ts'
import type { JSONObject } from '../types/json.ts'
import { type Attributes, type Span, type SpanContext, STATUS_ERROR, type TraceContext } from './api.ts'
import { OTHER } from './conventions.ts'
import { describeEnding, type Ending, endingOf } from './ending.ts'
import type { Guard } from './guard.ts'
import { type Instruments, prepareInstruments, type Side } from './instruments.ts'
import { describeResult, type Message, nameSpan } from './message-attributes.ts'
import type { TracingOptions } from './options.ts'

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
