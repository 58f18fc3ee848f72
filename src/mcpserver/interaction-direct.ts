// Asks while the call is open: each question is a request to the client, and the handler waits for the answer.
import type { ServerRequestContext } from '../server/context.ts'
import type { MaybePromise } from '../server/handlers.ts'
import { checkQuestion } from '../server/input-questions.ts'
import { LimitError } from '../types/failures.ts'
import { DEFAULT_ANSWER_TIMEOUT_MS, DEFAULT_MAX_QUESTIONS, type InteractionOptions } from './interaction-options.ts'
import type { Conversation, Question } from './interaction-questions.ts'
import { Steps } from './interaction-steps.ts'

/** For connections that carry requests of the server. On one that carries none, asking is a `NoBackChannelError`. */
export class DirectConversation implements Conversation {
  readonly #ctx: ServerRequestContext
  readonly #options: InteractionOptions
  #steps: Steps | undefined
  #asked = 0

  constructor(ctx: ServerRequestContext, options: InteractionOptions) {
    this.#ctx = ctx
    this.#options = options
  }

  get signal(): AbortSignal {
    return this.#ctx.signal
  }

  async ask<Answer>(question: Question<Answer>): Promise<Answer> {
    const { maxQuestions = DEFAULT_MAX_QUESTIONS, answerTimeoutMs = DEFAULT_ANSWER_TIMEOUT_MS } = this.#options
    this.#steps?.checkOutside()
    if (this.#asked >= maxQuestions) throw new LimitError('maxQuestions', maxQuestions)
    this.#asked += 1
    const { session, signal, clientCapabilities, protocolVersion } = this.#ctx
    if (session.canSendRequest) checkQuestion(question.request, clientCapabilities, protocolVersion)
    return question.read(await question.send(session, { timeoutMs: answerTimeoutMs, signal }))
  }

  async step<Value>(name: string, run: () => MaybePromise<Value>): Promise<Value> {
    this.#steps ??= new Steps()
    return this.#steps.run(name, run)
  }
}
