// Answers the questions of one task, beside its polls: each key is answered once, however often it is shown.
import { backoffDelay } from '../../../client/transports/retry.ts'
import { unlessAborted } from '../../../primitives/async/abort.ts'
import type { Clock } from '../../../primitives/async/clock.ts'
import { LimitError } from '../../../types/errors/failures.ts'
import type { InputRequest, InputRequests, InputResponse } from '../../../types/features/input-required.ts'
import { isRetryable, isUnknownTask } from './pace.ts'
import { pauseFor } from './pause.ts'

export interface QuestionsOptions {
  readonly clock: Clock
  /** Asks the user, the model or the application. */
  answer(key: string, request: InputRequest, signal: AbortSignal): Promise<InputResponse>
  /** Delivers the answer to the server. */
  send(key: string, response: InputResponse, signal: AbortSignal): Promise<void>
  /** A question could not be answered. */
  failed(error: unknown): void
}

interface Question {
  /** Once there is an answer, no other one is ever sent. */
  response?: InputResponse
  isAnswered: boolean
  isUnderWay: boolean
}

/** Each question costs somebody's attention, and a server can ask without end. */
const MAX_QUESTIONS = 100
const RESEND = { initialDelayMs: 500, maxDelayMs: 30_000 }

export class TaskQuestions {
  readonly #options: QuestionsOptions
  readonly #questions = new Map<string, Question>()

  constructor(options: QuestionsOptions) {
    this.#options = options
  }

  /** Begins to answer the questions that are new. The signal ends all of it; what had no answer then can be asked again. */
  ask(requests: InputRequests, signal: AbortSignal): void {
    for (const [key, request] of Object.entries(requests)) {
      const question = this.#questionOf(key)
      if (question === undefined) {
        this.#options.failed(new LimitError('questions in one task', MAX_QUESTIONS))
        return
      }
      if (question.isAnswered || question.isUnderWay) continue
      question.isUnderWay = true
      void this.#answer(key, request, question, signal).finally(() => {
        question.isUnderWay = false
      })
    }
  }

  /** Whether all of these are answered. */
  hasAnswered(requests: InputRequests): boolean {
    return Object.keys(requests).every((key) => this.#questions.get(key)?.isAnswered === true)
  }

  #questionOf(key: string): Question | undefined {
    const known = this.#questions.get(key)
    if (known !== undefined || this.#questions.size >= MAX_QUESTIONS) return known
    const question: Question = { isAnswered: false, isUnderWay: false }
    this.#questions.set(key, question)
    return question
  }

  async #answer(key: string, request: InputRequest, question: Question, signal: AbortSignal): Promise<void> {
    try {
      question.response ??= await unlessAborted(this.#options.answer(key, request, signal), signal)
      // An abort wins over an answer that came at the same time.
      if (signal.aborted) return
      await this.#send(key, question.response, signal)
      question.isAnswered = true
    } catch (error) {
      if (!signal.aborted) this.#options.failed(error)
    }
  }

  /** The same answer again where the connection failed: the server ignores a second one. */
  async #send(key: string, response: InputResponse, signal: AbortSignal): Promise<void> {
    for (let failures = 1; ; failures += 1) {
      try {
        await this.#options.send(key, response, signal)
        return
      } catch (error) {
        // The next poll says what has become of the task.
        if (isUnknownTask(error)) return
        if (signal.aborted || !isRetryable(error)) throw error
        await pauseFor(this.#options.clock, backoffDelay(failures, RESEND), signal)
      }
    }
  }
}
