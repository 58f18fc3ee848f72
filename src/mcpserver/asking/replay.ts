// Asks by answering: the call returns its questions, and runs again from the start when the client calls with the answers.
import type { MaybePromise } from '../../primitives/async/promises.ts'
import { MAX_TIMER_MS, type Timer } from '../../primitives/async/timer.ts'
import { AbortableSignal } from '../../server/abortable-signal.ts'
import { checkQuestion } from '../../server/asking/question-rules.ts'
import { type ServerRequestContext, serverOfRequest } from '../../server/context.ts'
import { ErrorCode } from '../../types/errors/error-codes.ts'
import { MCPError } from '../../types/errors/errors.ts'
import type { InputRequest, InputRequests, InputRequiredResult } from '../../types/features/input-required.ts'
import { isInputRequired } from '../values/results.ts'
import { copyRequest, digestOf } from './digest.ts'
import type { Journal } from './journal.ts'
import { DEFAULT_REPLAY_PATIENCE_MS, type InteractionOptions, InteractionSuspended } from './options.ts'
import { type Conversation, type Question, readAnswer } from './questions.ts'
import { type CallState, openState } from './state.ts'
import { Steps } from './steps.ts'

interface TurnListener {
  onTurnEnd(): void
  onImpatience(): void
}

class Turns {
  readonly #listener: TurnListener
  readonly #patienceMs: number
  #turn: Timer | undefined
  #patience: Timer | undefined

  constructor(listener: TurnListener, patienceMs: number) {
    this.#listener = listener
    this.#patienceMs = patienceMs
  }

  /** Everything that is on its way by now still belongs to this turn. */
  endSoon(): void {
    this.#turn ??= setTimeout(() => {
      this.#turn = undefined
      this.#listener.onTurnEnd()
    }, 0)
  }

  /** Waits for a sign of life, which is whatever ends a turn. */
  waitPatiently(): void {
    clearTimeout(this.#patience)
    this.#patience = setTimeout(() => this.#listener.onImpatience(), Math.min(this.#patienceMs, MAX_TIMER_MS))
  }

  stop(): void {
    clearTimeout(this.#turn)
    clearTimeout(this.#patience)
  }
}

const NONE: ReadonlySet<string> = new Set()

/** Settles the call although its handler has not. */
interface Settle {
  resolve(result: Promise<InputRequiredResult>): void
  reject(error: unknown): void
}

/** One run of a handler, from its start to its end or to the first questions that have no answer yet. */
export class ReplayedConversation implements Conversation {
  readonly #ctx: ServerRequestContext
  readonly #options: InteractionOptions
  #runSignal: AbortableSignal | undefined
  #steps: Steps | undefined
  #recalling: Promise<Journal> | undefined
  #state: CallState | undefined
  /** Asked in this run and not answered. */
  #open: InputRequests | undefined
  #settle: Settle | undefined
  #turns: Turns | undefined
  /** A run that was given up waits for ever; one that has ended by itself has nothing to wait for. */
  #phase: 'running' | 'given up' | 'ended' = 'running'
  /** Whether the client can put right what it was refused for, and call again with the same state. */
  #isMendable = false

  constructor(ctx: ServerRequestContext, options: InteractionOptions) {
    this.#ctx = ctx
    this.#options = options
  }

  /** Aborted with the request, or when the run is given up. */
  get signal(): AbortSignal {
    this.#runSignal ??= new AbortableSignal(this.#ctx)
    return this.#runSignal.signal
  }

  settle<T>(outcome: MaybePromise<T>): MaybePromise<T | InputRequiredResult> {
    return outcome instanceof Promise ? this.#follow(outcome) : this.#finish(outcome)
  }

  #follow<T>(running: Promise<T>): Promise<T | InputRequiredResult> {
    return new Promise((resolve, reject) => {
      this.#settle = { resolve, reject }
      // A run that was given up has an outcome already: whatever else it comes to is lost here.
      running.then(
        (value) => resolve(this.#finish(value)),
        (error: unknown) => {
          this.#breakOff()
          reject(error)
        },
      )
    })
  }

  /** The handler has returned. Questions of its own keep what it has asked and done before. */
  #finish<T>(value: T): MaybePromise<T | InputRequiredResult> {
    if (this.#phase !== 'running') return value
    this.end()
    if (this.#state === undefined) return value
    if (isInputRequired(value)) return this.#withState(value, NONE)
    this.#state.discard()
    return value
  }

  /** The handler has thrown. Whoever may call again with the same state will still find it. */
  #breakOff(): void {
    if (this.#phase !== 'running') return
    this.end()
    if (this.#state !== undefined && !this.#isMendable && !this.#ctx.signal.aborted) this.#state.discard()
  }

  /** Nothing is asked or done any more. With a reason the run is given up, and its signal says so. */
  end(reason?: unknown): void {
    if (this.#phase !== 'running') return
    this.#phase = reason === undefined ? 'ended' : 'given up'
    this.#turns?.stop()
    if (reason === undefined) return
    this.#runSignal ??= new AbortableSignal(this.#ctx)
    this.#runSignal.abort(reason)
  }

  async ask<Answer>(question: Question<Answer>): Promise<Answer> {
    this.#checkNotEnded()
    this.#steps?.checkOutside()
    const request = copyRequest(question.request)
    const journal = await this.#recall()
    if (this.#phase !== 'running') return never()
    const digest = digestOf(request)
    const entry = journal.take(digest)
    if (entry?.answer !== undefined) {
      // What is open may have waited for this one to be asked again.
      this.#endTurnSoon()
      return readAnswer(question, entry, this.#ctx.protocolVersion).catch((error) => this.#refuse(error))
    }
    this.#checkCapability(request)
    const { key } = entry ?? journal.add(digest)
    this.#open ??= {}
    this.#open[key] = request
    this.#endTurnSoon()
    return never()
  }

  async step<Value>(name: string, run: () => MaybePromise<Value>): Promise<Value> {
    this.#checkNotEnded()
    const journal = await this.#recall()
    // In a run that was given up nobody would remember that the step was done.
    if (this.#phase !== 'running') return never()
    this.#steps ??= new Steps()
    if (journal.hasStep(name)) {
      this.#steps.claim(name)
      return journal.stepValue(name) as Value
    }
    try {
      const value = await this.#steps.run(name, run)
      journal.keepStep(name, value)
      return value
    } finally {
      this.#endTurnSoon()
    }
  }

  #checkNotEnded(): void {
    if (this.#phase === 'ended') throw alreadyEnded(this.#ctx)
  }

  #recall(): Promise<Journal> {
    this.#recalling ??= openState(this.#ctx, this.#options).then(
      (state) => {
        this.#state = state
        return state.journal
      },
      (error: unknown) => this.#fail(error),
    )
    return this.#recalling
  }

  /** Spec, MRTR: only what this very request declared may be asked. */
  #checkCapability(request: InputRequest): void {
    const { clientCapabilities, protocolVersion } = this.#ctx
    try {
      checkQuestion(request, clientCapabilities, protocolVersion)
    } catch (error) {
      this.#refuse(error)
    }
  }

  #refuse(error: unknown): never {
    this.#isMendable = true
    throw error
  }

  /** Whatever else is asked in this turn goes out together with what is open. */
  #endTurnSoon(): void {
    if (this.#open === undefined || this.#phase !== 'running') return
    this.#turns ??= new Turns(
      { onTurnEnd: () => this.#endTurn(), onImpatience: () => this.#losePatience() },
      this.#options.replayPatienceMs ?? DEFAULT_REPLAY_PATIENCE_MS,
    )
    this.#turns.endSoon()
  }

  #endTurn(): void {
    // A step that is not waited for would run again in the next round. Its end brings us back here.
    if (this.#steps?.areUnderWay) return
    // Nobody can tell a branch that is slow from one that will never ask again.
    if (this.#state?.journal.hasUnusedAnswers) this.#turns?.waitPatiently()
    else this.#suspend()
  }

  #losePatience(): void {
    if (this.#steps?.areUnderWay) return
    this.#state?.discard()
    void this.#fail(reportNotRepeated(this.#ctx))
  }

  #suspend(): void {
    const inputRequests = this.#open ?? {}
    const result: InputRequiredResult = { resultType: 'input_required', inputRequests }
    this.#settle?.resolve(this.#withState(result, new Set(Object.keys(inputRequests))))
    this.end(new InteractionSuspended())
  }

  async #withState(result: InputRequiredResult, openKeys: ReadonlySet<string>): Promise<InputRequiredResult> {
    const state = this.#state
    if (state === undefined || state.journal.isEmpty) return result
    if (result.requestState !== undefined) throw twoStates()
    const requestState = await state.save(openKeys)
    state.discard()
    return { ...result, requestState }
  }

  /** Ends the call from outside the handler, which has no say in it. */
  #fail(error: unknown): Promise<never> {
    if (this.#phase === 'running') this.#settle?.reject(error)
    this.end(error)
    return never()
  }
}

function never(): Promise<never> {
  return new Promise(() => {})
}

/** The client can do nothing about it and gets constant words; the author learns what to do. */
function reportNotRepeated(request: ServerRequestContext): MCPError {
  const { method } = request
  const error = new TypeError(
    `The handler of '${method}' asked something new before it asked again what was answered in an earlier round. ` +
      'In each round a handler runs from the start and must ask the same questions in the same words: ' +
      'take what may change (time, random values, the outside world) from step()',
  )
  serverOfRequest(request).faults.report({ kind: 'handler-failed', message: error.message, method, error })
  const message = 'The call cannot go on: its handler did not repeat its earlier questions'
  return new MCPError(ErrorCode.InternalError, message, undefined, { cause: error })
}

/** A question or step that nobody can answer or remember any more. */
function alreadyEnded({ method }: ServerRequestContext): Error {
  return new Error(
    `Nothing can be asked or done any more: '${method}' has its answer already. ` +
      'Wait for every question and step before the handler returns',
  )
}

function twoStates(): TypeError {
  return new TypeError(
    'A handler that has asked or done a step returned an InputRequiredResult with a requestState of its own; ' +
      'leave requestState out, or do without asking and steps',
  )
}
