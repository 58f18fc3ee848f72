// Lets a handler ask in the middle of its work. The handler's code is the same whether or not the connection carries requests
// of the server.
import type { MaybePromise } from '../../primitives/async/promises.ts'
import { checkQuestion } from '../../server/asking/question-rules.ts'
import { findExtras, type ServerRequestContext } from '../../server/context.ts'
import { LimitError } from '../../types/errors/failures.ts'
import type { ElicitAction } from '../../types/features/elicitation.ts'
import type { InputRequiredResult } from '../../types/features/input-required.ts'
import type { ListRootsResult } from '../../types/features/roots.ts'
import type { CreateMessageRequestParams, CreateMessageResult } from '../../types/features/sampling.ts'
import { grammarOf } from '../../wire/shapes/grammar.ts'
import type { ElicitOutcome, FormContent } from './form.ts'
import { DEFAULT_ANSWER_TIMEOUT_MS, DEFAULT_MAX_QUESTIONS, type InteractionOptions } from './options.ts'
import {
  type Conversation,
  formQuestion,
  type Question,
  rootsQuestion,
  samplingQuestion,
  urlQuestion,
} from './questions.ts'
import { ReplayedConversation } from './replay.ts'
import { Steps } from './steps.ts'

/** For connections that carry requests of the server. On other connections asking fails with `NoBackChannelError`. */
class DirectConversation implements Conversation {
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
    this.#steps?.checkOutsideStep()
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

  settle<T>(outcome: MaybePromise<T>): MaybePromise<T> {
    return outcome
  }

  end(): void {}
}

/**
 * What a handler can ask the client and its user. On a modern connection the server can't wait for an answer: the handler stops
 * and runs again from the start with each round of answers. What it asks must depend only on its arguments, answers and steps.
 */
export interface Interaction {
  /** Aborts with the request, and when this run of the handler stops to wait for answers (`InteractionSuspended`). */
  readonly signal: AbortSignal
  /** Asks the user to fill in a form. The schema is flat, and of any kind that a tool takes; it types and validates the content. */
  elicit<Schema extends object>(message: string, schema: Schema): Promise<ElicitOutcome<FormContent<Schema>>>
  /** Asks the user to visit a page. `accept` means that the user agreed to, not that they have finished. */
  elicitUrl(message: string, url: string): Promise<{ readonly action: ElicitAction }>
  /**
   * Asks the client's model.
   * @deprecated Use the model provider's API. Sampling is deprecated since 2026-07-28.
   */
  sample(params: CreateMessageRequestParams): Promise<CreateMessageResult>
  /**
   * Asks the client for the folders that the server may work in.
   * @deprecated Use tool arguments or resource URIs. Roots are deprecated since 2026-07-28.
   */
  listRoots(): Promise<ListRootsResult>
  /** Runs a side effect once per call, however many rounds it takes. The value must be JSON. A step that throws can run again. */
  step<Value>(name: string, run: () => MaybePromise<Value>): Promise<Value>
}

/** The questions of one run of a handler, in whichever way the connection allows. */
export class CallInteraction implements Interaction {
  readonly #ctx: ServerRequestContext
  readonly #options: InteractionOptions
  /** Begun by the first question, or where the handler has not returned at once: most do, and ask nothing. */
  #begun: Conversation | undefined
  #hasEnded = false

  constructor(ctx: ServerRequestContext, options: InteractionOptions) {
    this.#ctx = ctx
    this.#options = options
    if (findExtras(ctx)?.detachable !== undefined) this.#begun = this.#begin()
  }

  get #conversation(): Conversation {
    if (this.#begun === undefined) {
      this.#begun = this.#begin()
      if (this.#hasEnded) this.#begun.end()
    }
    return this.#begun
  }

  #begin(): Conversation {
    if (!mustReplay(this.#ctx)) return new DirectConversation(this.#ctx, this.#options)
    const replayed = new ReplayedConversation(this.#ctx, this.#options)
    const detachable = findExtras(this.#ctx)?.detachable
    if (detachable !== undefined) detachable.conversation = replayed
    return replayed
  }

  /**
   * The outcome of the run: what the handler returned or, when it waits for answers, the `InputRequiredResult` to return
   * instead. A handler that returns one itself must leave `requestState` out if it asks as well.
   */
  settle<T>(outcome: MaybePromise<T>): MaybePromise<T | InputRequiredResult> {
    if (this.#begun !== undefined || outcome instanceof Promise) return this.#conversation.settle(outcome)
    this.#hasEnded = true
    return outcome
  }

  /** For a handler that threw at once. */
  end(): void {
    this.#hasEnded = true
    this.#begun?.end()
  }

  get signal(): AbortSignal {
    return this.#conversation.signal
  }

  /** An invalid question rejects like every other failure of a question. */
  elicit<Schema extends object>(message: string, schema: Schema): Promise<ElicitOutcome<FormContent<Schema>>> {
    try {
      const question = formQuestion(message, schema)
      const { settling } = question
      const conversation = this.#conversation
      return settling === undefined ? conversation.ask(question) : settling.then(() => conversation.ask(question))
    } catch (error) {
      return Promise.reject(error)
    }
  }

  async elicitUrl(message: string, url: string): Promise<{ readonly action: ElicitAction }> {
    return this.#conversation.ask(urlQuestion(message, url))
  }

  async sample(params: CreateMessageRequestParams): Promise<CreateMessageResult> {
    return this.#conversation.ask(samplingQuestion(params))
  }

  async listRoots(): Promise<ListRootsResult> {
    return this.#conversation.ask(rootsQuestion())
  }

  step<Value>(name: string, run: () => MaybePromise<Value>): Promise<Value> {
    return this.#conversation.step(name, run)
  }
}

/**
 * A legacy connection that carries no requests of the server can't ask at all: there, each question fails when it is sent. A task
 * replays at every revision.
 */
function mustReplay({ dispatch, protocolVersion, task }: ServerRequestContext): boolean {
  if (task !== undefined) return true
  return !dispatch.canSendRequest && grammarOf(protocolVersion).has('InputRequiredResult')
}
