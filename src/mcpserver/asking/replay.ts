// Asking on a connection that carries no requests of the server: the call returns its questions and the handler stops. The client
// calls again with the answers, and the handler runs again from the start.

import { AbortableSignal } from '../../dispatcher/abortable-signal.ts'
import { isThenable, type MaybePromise } from '../../primitives/async/promises.ts'
import { typeError, withHelp } from '../../primitives/help.ts'
import { checkQuestion } from '../../server/asking/question-rules.ts'
import { findExtras, type ServerRequestContext, serverOfRequest } from '../../server/context.ts'
import type { DetachableConversation, RunHistory } from '../../server/detachable-call.ts'
import type { CallJournal, HoldQuestions, JournalEntry, TaskRun } from '../../server/task-run.ts'
import { ErrorCode } from '../../types/errors/error-codes.ts'
import { MCPError } from '../../types/errors/errors.ts'
import type { InputRequest, InputRequests, InputRequiredResult } from '../../types/features/input-required.ts'
import { isInputRequired } from '../values/input-required.ts'
import { DEFAULT_REPLAY_PATIENCE_MS, type InteractionOptions, InteractionSuspended } from './options.ts'
import { type Conversation, type Question, readAnswer } from './questions.ts'
import { type CallState, openState, stateOfRun } from './state.ts'
import { Steps } from './steps.ts'
import { Turns } from './turns.ts'

const NONE: ReadonlySet<string> = new Set()
const NO_HISTORY: Omit<RunHistory, 'isOwnRound'> = { answers: [], steps: new Map() }

/** Settles the call although its handler has not returned. */
interface Settle {
  resolve(result: Promise<InputRequiredResult>): void
  reject(error: unknown): void
}

/** One run of a handler, from its start to its end or to the first questions that have no answer yet. */
export class ReplayedConversation implements Conversation, DetachableConversation {
  readonly #ctx: ServerRequestContext
  readonly #options: InteractionOptions
  #runSignal: AbortableSignal | undefined
  /** Why the run was abandoned, made for whoever looks at its signal: most handlers do not. */
  #abandonedFor: (() => unknown) | undefined
  #steps: Steps | undefined
  #opening: Promise<CallJournal> | undefined
  #state: CallState | undefined
  /** Asked in this run and not answered yet. */
  #open: InputRequests | undefined
  /** In a run that waits for answers: what happens with each, by key. */
  #held: Map<string, (answer: unknown) => void> | undefined
  #settle: Settle | undefined
  #turns: Turns | undefined
  /** An abandoned run never continues: its questions and steps stay pending. In a run that has ended, asking is an error. */
  #phase: 'running' | 'abandoned' | 'ended' = 'running'
  /** Whether the client can correct what was rejected, and call again with the same state. */
  #canCallAgain = false

  constructor(ctx: ServerRequestContext, options: InteractionOptions) {
    this.#ctx = ctx
    this.#options = options
  }

  /** Aborted with the request, or when the run is abandoned. */
  get signal(): AbortSignal {
    if (this.#runSignal === undefined) {
      this.#runSignal = new AbortableSignal(this.#ctx)
      if (this.#abandonedFor !== undefined) this.#runSignal.abort(this.#abandonedFor())
    }
    return this.#runSignal.signal
  }

  async ask<Answer>(question: Question<Answer>): Promise<Answer> {
    this.#checkNotEnded()
    this.#steps?.checkOutsideStep()
    // From before anything is awaited: later changes of the handler's objects don't affect it.
    const kept = question.keep()
    const { digest } = kept
    const journal = this.#state?.journal ?? (await this.#openJournal())
    if (this.#phase !== 'running') return waitForever()
    const entry = journal.take(digest)
    if (entry?.answer !== undefined) {
      // Open questions may have waited for this one to be asked again.
      this.#scheduleTurnEnd()
      return this.#read(question, entry)
    }
    const request = kept.request()
    this.#checkCapability(request)
    const { key } = entry ?? journal.add(digest)
    this.#open ??= {}
    this.#open[key] = request
    this.#scheduleTurnEnd()
    if (this.#run?.hold === undefined) return waitForever()
    return this.#read(question, { key, digest, answer: await this.#answerTo(key) })
  }

  /** The task that this run belongs to, which a call may become while it runs. */
  get #run(): TaskRun | undefined {
    return findExtras(this.#ctx)?.run
  }

  #read<Answer>(question: Question<Answer>, entry: JournalEntry): MaybePromise<Answer> {
    try {
      const answer = readAnswer(question, entry, this.#ctx.protocolVersion)
      return isThenable(answer) ? answer.catch((error) => this.#throwCorrectable(error)) : answer
    } catch (error) {
      return this.#throwCorrectable(error)
    }
  }

  /** Pending where the run is given up before the answer comes. */
  #answerTo(key: string): Promise<unknown> {
    return new Promise((resolve) => {
      this.#held ??= new Map()
      this.#held.set(key, resolve)
    })
  }

  async step<Value>(name: string, run: () => MaybePromise<Value>): Promise<Value> {
    this.#checkNotEnded()
    const journal = await this.#openJournal()
    // The result of a step in an abandoned run would be lost, and the next run would do it again.
    if (this.#phase !== 'running') return waitForever()
    this.#steps ??= new Steps()
    if (journal.hasStep(name)) {
      this.#steps.claimName(name)
      return journal.stepValue(name) as Value
    }
    try {
      // The call may have become a task since the step began.
      return await this.#steps.run(name, run, (value) => (this.#state?.journal ?? journal).saveStep(name, value))
    } finally {
      this.#scheduleTurnEnd()
    }
  }

  settle<T>(outcome: MaybePromise<T>): MaybePromise<T | InputRequiredResult> {
    return outcome instanceof Promise ? this.#follow(outcome) : this.#onReturn(outcome)
  }

  end(): void {
    if (this.#phase !== 'running') return
    this.#phase = 'ended'
    this.#turns?.stop()
  }

  async history(): Promise<RunHistory> {
    const hasState = this.#opening !== undefined || this.#ctx.requestState !== undefined
    if (!hasState) return { ...NO_HISTORY, isOwnRound: this.#ctx.inputResponses !== undefined }
    // A state that can't be read is the author's: a handler that asks would have read it.
    const state = await (this.#opening === undefined
      ? openState(this.#ctx, this.#options).catch(() => undefined)
      : this.#opening.then(() => this.#state))
    const journal = state?.own
    if (journal === undefined) return { ...NO_HISTORY, isOwnRound: true }
    return { answers: journal.answers, steps: new Map(journal.steps), isOwnRound: false }
  }

  adopt({ journal }: TaskRun): void {
    if (this.#opening === undefined) return
    const before = this.#state
    const asked = before?.own?.asked ?? new Map<string, string>()
    const keys = new Map(Array.from(asked, ([key, digest]) => [key, (journal.take(digest) ?? journal.add(digest)).key]))
    if (this.#open !== undefined) {
      const open = Object.entries(this.#open).map(([key, request]) => [keys.get(key) ?? key, request] as const)
      this.#open = Object.fromEntries(open)
    }
    for (const [name, text] of before?.own?.steps ?? []) {
      if (!journal.hasStep(name)) void this.#keepLate(journal, name, text)
    }
    this.#opening = Promise.resolve(journal)
    this.#state = stateOfRun(journal)
    before?.discard()
  }

  /** A step that ended while the call became a task. */
  async #keepLate(journal: CallJournal, name: string, text: string | undefined): Promise<void> {
    try {
      await journal.saveStep(name, text === undefined ? undefined : JSON.parse(text))
    } catch (error) {
      void this.#failCall(error)
    }
  }

  #follow<T>(running: Promise<T>): Promise<T | InputRequiredResult> {
    return new Promise((resolve, reject) => {
      this.#settle = { resolve, reject }
      // The promise of an abandoned run is settled already, so that these have no effect.
      running.then(
        (value) => resolve(this.#onReturn(value)),
        (error: unknown) => {
          this.#onThrow()
          reject(error)
        },
      )
    })
  }

  /** If the handler returns questions of its own, they go out with the answers and steps so far. */
  #onReturn<T>(value: T): MaybePromise<T | InputRequiredResult> {
    if (this.#phase !== 'running') return value
    this.end()
    if (this.#state === undefined) return value
    if (isInputRequired(value)) return this.#withState(value, NONE)
    this.#state.discard()
    return value
  }

  /** The stored state stays where the client may call again with it. */
  #onThrow(): void {
    if (this.#phase !== 'running') return
    this.end()
    if (this.#state !== undefined && !this.#canCallAgain && !this.#ctx.signal.aborted) this.#state.discard()
  }

  #checkNotEnded(): void {
    if (this.#phase === 'ended') throw alreadyEnded(this.#ctx)
  }

  #openJournal(): Promise<CallJournal> {
    const run = this.#run
    const opening = async () => (run === undefined ? openState(this.#ctx, this.#options) : stateOfRun(run.journal))
    this.#opening ??= opening().then(
      (state) => {
        // There is one already where the call became a task meanwhile.
        this.#state ??= state
        return this.#state.journal
      },
      (error: unknown) => this.#failCall(error),
    )
    return this.#opening
  }

  /** Spec, MRTR: a server may ask only for what this request declared. */
  #checkCapability(request: InputRequest): void {
    const { clientCapabilities, protocolVersion } = this.#ctx
    try {
      checkQuestion(request, clientCapabilities, protocolVersion)
    } catch (error) {
      this.#throwCorrectable(error)
    }
  }

  #throwCorrectable(error: unknown): never {
    this.#canCallAgain = true
    throw error
  }

  /** Further questions of this turn go out in the same result. */
  #scheduleTurnEnd(): void {
    if (this.#open === undefined || this.#phase !== 'running') return
    this.#turns ??= new Turns(
      { onTurnEnd: () => this.#endTurn(), onPatienceEnd: () => this.#failReplay() },
      this.#options.replayPatienceMs ?? DEFAULT_REPLAY_PATIENCE_MS,
    )
    this.#turns.endSoon()
  }

  #endTurn(): void {
    // A step that has not finished would run again in the next round. When it finishes, the turn ends once more.
    if (this.#steps?.areRunning) return
    // A branch that has not asked again yet may be slow, or may never ask.
    if (this.#state?.journal.hasUnusedAnswers) this.#turns?.startPatience()
    else if (this.#run?.hold === undefined) this.#suspend()
    else void this.#hold(this.#run.hold)
  }

  /** Waits for the answers while the handler does. Questions that come meanwhile are asked in turn. */
  async #hold(hold: HoldQuestions): Promise<void> {
    const asked = this.#open ?? {}
    this.#open = undefined
    try {
      const isAnswered = await hold(asked, (key, answer) => this.#held?.get(key)?.(answer))
      if (isAnswered || this.#phase !== 'running') return
      this.#suspend(asked)
    } catch (error) {
      void this.#failCall(error)
    }
  }

  #failReplay(): void {
    if (this.#steps?.areRunning) return
    this.#state?.discard()
    void this.#failCall(reportNotRepeated(this.#ctx))
  }

  #suspend(held?: InputRequests): void {
    const inputRequests = { ...held, ...this.#open }
    const result: InputRequiredResult = { resultType: 'input_required', inputRequests }
    this.#settle?.resolve(this.#withState(result, new Set(Object.keys(inputRequests))))
    this.#abandon(() => new InteractionSuspended())
  }

  async #withState(result: InputRequiredResult, openKeys: ReadonlySet<string>): Promise<InputRequiredResult> {
    const state = this.#state
    // The state of a task stays on the server.
    if (state === undefined || state.journal.isEmpty || this.#run !== undefined) return result
    if (result.requestState !== undefined) throw conflictingStates()
    const requestState = await state.save(openKeys)
    state.discard()
    return { ...result, requestState }
  }

  /** Fails the call whatever its handler does. */
  #failCall(error: unknown): Promise<never> {
    if (this.#phase === 'running') this.#settle?.reject(error)
    this.#abandon(() => error)
    return waitForever()
  }

  #abandon(reason: () => unknown): void {
    if (this.#phase !== 'running') return
    this.#phase = 'abandoned'
    this.#turns?.stop()
    this.#abandonedFor = reason
    this.#runSignal?.abort(reason())
  }
}

function waitForever(): Promise<never> {
  return new Promise(() => {})
}

/** The client can't do anything about it and gets a fixed message; the author learns what to do. */
function reportNotRepeated(request: ServerRequestContext): MCPError {
  const { method } = request
  const error = withHelp(
    'question-changed',
    new TypeError(
      `The handler of '${method}' asked a new question before it repeated those that are already answered. ` +
        'The handler runs from the start in each round and must ask the same questions again. ' +
        'Read values that can change (time, random values, external data) inside step().',
    ),
  )
  serverOfRequest(request).faults.report({ kind: 'handler-failed', message: error.message, method, error })
  const message = 'The call failed because its handler did not repeat its earlier questions'
  return new MCPError(ErrorCode.InternalError, message, undefined, { cause: error })
}

function alreadyEnded({ method }: ServerRequestContext): Error {
  return new Error(
    `A handler asked or started a step after '${method}' was answered. ` +
      'Await every question and step before the handler returns.',
  )
}

function conflictingStates(): TypeError {
  return typeError(
    'wrong-result',
    'A handler that asked or ran a step returned an InputRequiredResult with its own requestState. ' +
      'Leave requestState out, or use neither questions nor steps.',
  )
}
