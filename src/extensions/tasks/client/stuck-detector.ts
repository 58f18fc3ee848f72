// Notices a task that waits for input although nothing is left to answer.

import type { Clock } from '../../../primitives/async/clock.ts'
import { ErrorCode } from '../../../types/errors/error-codes.ts'
import { MCPError } from '../../../types/errors/errors.ts'
import type { TaskState } from '../../../types/extensions/tasks.ts'
import type { TaskQuestions } from './task-questions.ts'

/** Answers take effect later than they are acknowledged, so some polls like this are normal. Both must be over. */
const MAX_POLLS = 20
const MAX_MS = 60_000

export class StuckDetector {
  readonly #clock: Clock
  #polls = 0
  #since = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Must be called with the state of every poll. */
  isStuck({ status, inputRequests = {} }: TaskState, questions: TaskQuestions, canAnswer: boolean): boolean {
    if (status !== 'input_required' || !canAnswer || !questions.hasAnswered(inputRequests)) {
      this.#polls = 0
      return false
    }
    if (this.#polls === 0) this.#since = this.#clock.monotonic()
    this.#polls += 1
    return this.#polls >= MAX_POLLS && this.#clock.monotonic() - this.#since >= MAX_MS
  }

  error(): MCPError {
    const message = 'The task waits for input, although all its questions were answered.'
    return new MCPError(ErrorCode.RequestTimeout, message, undefined, { local: true })
  }
}
