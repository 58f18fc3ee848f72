// Runs the author's function for one call: with its context, its questions, its yielded items and its time limit.
import { forgetAbort, listenForAbort } from '../../primitives/async/abort.ts'
import type { Clock } from '../../primitives/async/clock.ts'
import { Countdown } from '../../primitives/async/countdown.ts'
import { createDeferred, isThenable, type MaybePromise } from '../../primitives/async/promises.ts'
import type { ServerRequestContext } from '../../server/context.ts'
import { CallInteraction } from '../asking/interaction.ts'
import { translateThrown } from '../asking/url-elicitation.ts'
import { isContentBlock, joinItems, toWholeResult } from '../values/results.ts'
import { type Caller, type Context, createHandlerContext } from './context.ts'
import type { Host } from './host.ts'
import { patienceOf } from './patience.ts'

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
  const { clock } = host.server
  const patience = patienceOf(request, clock)
  const deadline = limit === undefined ? undefined : new Deadline(limit, interaction.signal, clock)
  try {
    const outcome = runInContext(call, createHandlerContext(host, request, { interaction, deadline, patience }))
    return interaction.settle(deadline === undefined ? outcome : deadline.race(outcome))
  } catch (error) {
    deadline?.stop()
    interaction.end()
    throw error
  }
}

/** Runs a handler as part of another request, with its questions, answers and time limit. */
export function runNested<Input>(call: HandlerCall<Input>, caller: Caller): MaybePromise<unknown> {
  return runInContext(call, createHandlerContext(call.host, call.request, { ...caller, isNested: true }))
}

/** The ambient context covers the items too: a generator starts after its function has returned. */
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

/** Whether a value yields items one by one, as generators do. Arrays, maps and other collections don't count. */
export function isIterator(value: unknown): value is AnyIterator | AsyncIterable<unknown> {
  if (typeof value !== 'object' || value === null) return false
  if (Symbol.asyncIterator in value) return true
  return Symbol.iterator in value && typeof (value as { next?: unknown }).next === 'function'
}

/**
 * Reports each item as progress, with its number and its text as the message. Returns what the iterator returns at the end or, if
 * that is nothing, its items as one value. Closes the iterator if the call is aborted or an item can't be reported.
 */
export async function collectItems(source: AnyIterator | AsyncIterable<unknown>, ctx: Context): Promise<unknown> {
  const iterator = Symbol.asyncIterator in source ? source[Symbol.asyncIterator]() : source
  const { signal } = ctx
  const items: unknown[] = []
  for (;;) {
    const { done, value } = await iterator.next()
    if (done === true) return value === undefined ? joinItems(items) : value
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

/** As `for await` does when it ends early: an error while closing does not replace the first one. */
async function closeIterator(iterator: AnyIterator): Promise<void> {
  try {
    await iterator.return?.()
  } catch {
    // The first error is thrown.
  }
}

/** Images and audio have no text. */
function progressTextOf(item: unknown): string | undefined {
  if (typeof item === 'string') return item
  if (isContentBlock(item)) return item.type === 'text' ? item.text : undefined
  const content = toWholeResult(item)?.content
  if (content !== undefined) return content.map(progressTextOf).filter(Boolean).join('\n') || undefined
  return JSON.stringify(item)
}

export interface TimeLimit {
  readonly timeoutMs: number
  /** The error of a call whose time is over. */
  createError(): Error
}

/** The time limit of one run. Its signal aborts with the outer one, or when the time is over. Call `race` or `stop`. */
export class Deadline {
  readonly #controller = new AbortController()
  readonly #expired = createDeferred<never>()
  readonly #outer: AbortSignal
  readonly #countdown: Countdown

  constructor({ timeoutMs, createError }: TimeLimit, outer: AbortSignal, clock?: Clock) {
    this.#outer = outer
    const onEnd = () => {
      this.#controller.abort(new DOMException('The time limit of the tool is over', 'TimeoutError'))
      this.#expired.reject(createError())
    }
    this.#countdown = new Countdown(timeoutMs, onEnd, clock)
    if (outer.aborted) this.#follow()
    else listenForAbort(outer, this.#follow)
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** The outcome of a run, or a rejection if the time is over first. What the run does later is ignored. */
  async race<T>(outcome: T | PromiseLike<T>): Promise<T> {
    try {
      return await Promise.race([outcome, this.#expired.promise])
    } finally {
      this.stop()
    }
  }

  get leftMs(): number {
    return this.#countdown.leftMs
  }

  /** Stops the clock while the user answers a question. */
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
