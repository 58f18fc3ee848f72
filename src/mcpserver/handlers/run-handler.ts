// Runs one handler of the author: with its context around it, its questions answered, its items collected and its time limited.
import { forgetAbort, listenForAbort } from '../../primitives/async/abort.ts'
import { Countdown } from '../../primitives/async/countdown.ts'
import { createDeferred, isThenable, type MaybePromise } from '../../primitives/async/promises.ts'
import type { ServerRequestContext } from '../../server/context.ts'
import { CallInteraction } from '../asking/interaction.ts'
import { translateThrown } from '../asking/url-elicitation.ts'
import { isContentBlock } from '../values/results.ts'
import { type Caller, Context } from './context.ts'
import type { Host } from './host.ts'

/** One call of a handler. */
export interface HandlerCall<Input = never> {
  readonly host: Host
  readonly request: ServerRequestContext
  readonly run: (input: Input, ctx: Context) => unknown
  /** The arguments of a tool or prompt, or the variables of a resource. */
  readonly input: Input
  readonly limit: TimeLimit | undefined
  /** Whether an iterator that the handler returns is read to its end and reported as progress. */
  readonly collectsItems: boolean
}

/** What the handler returned, or the questions that it waits for. */
export function runHandler<Input>(call: HandlerCall<Input>): MaybePromise<unknown> {
  const { host, request, limit } = call
  const interaction = new CallInteraction(request, host.interaction)
  const deadline = limit === undefined ? undefined : new Deadline(limit, interaction.signal)
  try {
    const outcome = runInContext(call, new Context(host, request, { interaction, deadline }))
    return interaction.settle(deadline === undefined ? outcome : deadline.race(outcome))
  } catch (error) {
    deadline?.stop()
    interaction.end()
    throw error
  }
}

/** As part of another request, whose questions, answers and time it shares. */
export function runNested<Input>(call: HandlerCall<Input>, caller: Caller): MaybePromise<unknown> {
  return runInContext(call, new Context(call.host, call.request, { ...caller, isNested: true }))
}

/** The ambient context is around the items as well: a generator has not begun when its function has returned. */
function runInContext<Input>(call: HandlerCall<Input>, ctx: Context): MaybePromise<unknown> {
  const { ambient } = call.host
  return ambient === undefined ? invoke(call, ctx) : ambient.run(ctx, () => invoke(call, ctx))
}

function invoke<Input>(call: HandlerCall<Input>, ctx: Context): MaybePromise<unknown> {
  try {
    const { run, input } = call
    const returned = run(input, ctx)
    if (isThenable(returned)) return finishLater(call, ctx, returned)
    if (!call.collectsItems || !isIterator(returned)) return returned
    return collectItems(returned, ctx).catch((error) => translateThrown(call.request, error))
  } catch (error) {
    return translateThrown(call.request, error)
  }
}

async function finishLater<Input>(call: HandlerCall<Input>, ctx: Context, returned: PromiseLike<unknown>) {
  try {
    const value = await returned
    return call.collectsItems && isIterator(value) ? await collectItems(value, ctx) : value
  } catch (error) {
    return translateThrown(call.request, error)
  }
}

type AnyIterator = AsyncIterator<unknown, unknown> | Iterator<unknown, unknown>

/** Whether this yields items one by one. Lists, maps and other collections do not: they have all of theirs already. */
export function isIterator(value: unknown): value is AnyIterator | AsyncIterable<unknown> {
  if (typeof value !== 'object' || value === null) return false
  if (Symbol.asyncIterator in value) return true
  return Symbol.iterator in value && typeof (value as { next?: unknown }).next === 'function'
}

/**
 * Reports items as they come, numbered, with their text as the message. The value is what the iterator returns in the end
 * or, if it returns nothing, the list of its items. Closes it when the call is aborted or an item cannot be reported.
 */
export async function collectItems(source: AnyIterator | AsyncIterable<unknown>, ctx: Context): Promise<unknown> {
  const iterator = Symbol.asyncIterator in source ? source[Symbol.asyncIterator]() : source
  const { signal } = ctx
  const items: unknown[] = []
  for (;;) {
    const { done, value } = await iterator.next()
    if (done === true) return value === undefined ? items : value
    try {
      items.push(value)
      await ctx.reportProgress(items.length, undefined, progressTextOf(value))
      signal.throwIfAborted()
    } catch (error) {
      await closeIterator(iterator)
      throw error
    }
  }
}

/** As a loop does that is left early: why it was left counts more than what fails on the way out. */
async function closeIterator(iterator: AnyIterator): Promise<void> {
  try {
    await iterator.return?.()
  } catch {
    // See above.
  }
}

/** Pictures and sounds have none. */
function progressTextOf(item: unknown): string | undefined {
  if (typeof item === 'string') return item
  if (isContentBlock(item)) return item.type === 'text' ? item.text : undefined
  return JSON.stringify(item)
}

export interface TimeLimit {
  readonly timeoutMs: number
  /** What the call fails with when the time is up. */
  createError(): Error
}

/** Has a signal that aborts with the one around it, or when the time is up. Must be stopped, or raced. */
export class Deadline {
  readonly #controller = new AbortController()
  readonly #expired = createDeferred<never>()
  readonly #outer: AbortSignal
  readonly #countdown: Countdown

  constructor({ timeoutMs, createError }: TimeLimit, outer: AbortSignal) {
    this.#outer = outer
    this.#countdown = new Countdown(timeoutMs, () => {
      this.#controller.abort(new DOMException('The tool ran out of time', 'TimeoutError'))
      this.#expired.reject(createError())
    })
    if (outer.aborted) this.#follow()
    else listenForAbort(outer, this.#follow)
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** The outcome of a run, or a rejection when the time is up first. What the run does after that is ignored. */
  async race<T>(outcome: T | PromiseLike<T>): Promise<T> {
    try {
      return await Promise.race([outcome, this.#expired.promise])
    } finally {
      this.stop()
    }
  }

  /** The time that a user takes to answer a question does not count. */
  pausedWhile<T>(wait: Promise<T>): Promise<T> {
    return this.#countdown.pausedWhile(wait)
  }

  stop(): void {
    this.#countdown.stop()
    forgetAbort(this.#outer, this.#follow)
  }

  readonly #follow = (): void => {
    this.#controller.abort(this.#outer.reason)
    this.stop()
  }
}
