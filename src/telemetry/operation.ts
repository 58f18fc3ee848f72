// One request or notification under observation: a span around it and a measurement after it.
import { monotonicNow } from '../primitives/timer.ts'
import type { JSONObject } from '../types/json.ts'
import { type Attributes, type Span, STATUS_ERROR } from './api.ts'
import { describeEnding, type Ending, endingOf } from './ending.ts'
import type { Instruments } from './instruments.ts'
import { describeResult, type Message } from './message-attributes.ts'

/** What is known of an operation from the start, and what has to be asked at its end. */
export interface Operation {
  readonly message: Message
  readonly span: Span
  readonly instruments: Instruments
  readonly recordsResults: boolean
  readonly recordsExceptions: boolean
  endingOfError(error: unknown): Ending
  /** Of the measurement; may depend on how it ended. */
  measure(ending: Ending): Attributes
  /** For the span, known only now. */
  describeEnd(result: JSONObject | undefined): Attributes
}

/** Does the work, and always ends the span. */
export async function observeOperation<R extends JSONObject | undefined>(
  operation: Operation,
  work: () => Promise<R> | R,
): Promise<R> {
  const startedAt = monotonicNow()
  try {
    const result = await work()
    finish(operation, startedAt, endingOf(result), result)
    return result
  } catch (error) {
    finish(operation, startedAt, operation.endingOfError(error), undefined)
    throw error
  }
}

function finish(operation: Operation, startedAt: number, ending: Ending, result: JSONObject | undefined): void {
  const { span, instruments } = operation
  if (span.isRecording()) describe(operation, ending, result)
  span.end()
  instruments.operations.record((monotonicNow() - startedAt) / 1000, operation.measure(ending))
}

function describe(operation: Operation, ending: Ending, result: JSONObject | undefined): void {
  const { span, message, recordsResults, recordsExceptions } = operation
  const { errorType, message: text, exception } = ending
  span.setAttributes({
    ...describeEnding(ending),
    ...operation.describeEnd(result),
    ...(recordsResults && describeResult(message, result)),
  })
  if (exception !== undefined && recordsExceptions) span.recordException(exception)
  if (errorType === undefined) return
  span.setStatus(text === undefined ? { code: STATUS_ERROR } : { code: STATUS_ERROR, message: text })
}
