// A call whose handler can go on without its request, as a task: the handler has a context of its own, which follows the request
// until it is detached, and a task from then on.
import { AbortableSignal } from '../dispatcher/abortable-signal.ts'
import { detachContext, extrasOf, forkContext, insideOf, type ServerRequestContext } from './context.ts'
import { RunDispatch, type RunFacts, type TaskRun } from './task-run.ts'

/** What a run has behind it when it is detached. */
export interface RunHistory {
  /** The answered questions, equal ones in the order in which they are asked; `answer` is JSON. */
  readonly answers: readonly { readonly digest: string; readonly number: number; readonly answer: string }[]
  /** What each step returned, as JSON; `undefined` for nothing. */
  readonly steps: ReadonlyMap<string, string | undefined>
  /** The request goes on from a round whose questions the handler returned itself. */
  readonly isOwnRound: boolean
}

/** The questions and steps of a call that can be detached. */
export interface DetachableConversation {
  history(): Promise<RunHistory>
  /** Goes on with the questions and steps of a task, and tells it what came since `history`. */
  adopt(run: TaskRun): void
}

/** It is the signal of its handler too, and made for every call that may become a task: one object costs less than two. */
export abstract class DetachableCall extends AbortableSignal {
  /** The context for the handler. */
  readonly context: ServerRequestContext
  /** Set when the handler starts; absent where it can't be asked again. */
  conversation: DetachableConversation | undefined
  #request: ServerRequestContext | undefined

  constructor(request: ServerRequestContext) {
    super(request)
    this.#request = request
    this.context = forkContext(request, this)
    extrasOf(this.context).detachable = this
  }

  /** What `ctx.background()` does. */
  abstract background(message: string | undefined): Promise<void>

  /** The request; nothing holds it any more once the handler is detached. */
  protected get request(): ServerRequestContext {
    return this.#request ?? this.context
  }

  /** Passes on what the handler declares about its result. */
  pass<T>(result: T): T {
    const { plain } = insideOf(this.context)
    if (plain !== undefined && this.#request !== undefined) insideOf(this.#request).plain = plain
    return result
  }

  /** From here on the handler belongs to the run. Nothing of the request is kept but its params and facts. */
  detach(run: TaskRun, facts: RunFacts): void {
    this.#request = undefined
    this.followInstead(run)
    detachContext(this.context, new RunDispatch(run, facts))
    extrasOf(this.context).run = run
    this.conversation?.adopt(run)
  }
}
