// Runs one handler of the author's: with its context around it, its questions answered, and its time limited.
import type { ServerRequestContext } from '../server/context.ts'
import type { MaybePromise } from '../server/handlers.ts'
import { UrlElicitationRequiredError } from '../types/errors.ts'
import type { InputRequiredResult } from '../types/input-required.ts'
import { isForCaller } from '../types/received-error.ts'
import { type Caller, Context } from './context.ts'
import { type Deadline, runWithin, type TimeLimit } from './deadline.ts'
import type { Host } from './host.ts'
import { type Interaction, runInteractively } from './interaction.ts'
import { translateUrlElicitation } from './interaction-url.ts'
import { isThenable } from './maybe-promise.ts'

/** What to run. Calls of one kind have the same steps, so that a call makes nothing but its context. */
export interface HandlerCall {
  readonly host: Host
  readonly request: ServerRequestContext
  readonly handle: (ctx: Context) => unknown
  /** Goes on with what the handler returned, while questions can still be asked. */
  readonly finish?: ((returned: unknown, ctx: Context) => MaybePromise<unknown>) | undefined
  readonly limit?: TimeLimit | undefined
}

/** What the handler returned, or the questions that it waits for. */
export function runHandler(call: HandlerCall): MaybePromise<unknown> {
  return runInteractively(call.request, (interaction) => invoke(call, interaction), call.host.interaction)
}

/** As part of another request, whose questions, answers and time it shares. */
export function runNested(call: HandlerCall, caller: Caller): MaybePromise<unknown> {
  return follow(call, new Context(call.host, call.request, { ...caller, isNested: true }))
}

function invoke(call: HandlerCall, interaction: Interaction): MaybePromise<unknown> {
  const { host, request, limit } = call
  if (limit === undefined) return follow(call, new Context(host, request, { interaction }))
  const run = (deadline: Deadline) => follow(call, new Context(host, request, { interaction, deadline }))
  return runWithin(limit, interaction.signal, run)
}

/** With the context around all of it: a handler that yields has not begun when it has returned. */
function follow(call: HandlerCall, ctx: Context): MaybePromise<unknown> {
  const { ambient } = call.host
  return ambient === undefined ? handle(call, ctx) : ambient.run(ctx, () => handle(call, ctx))
}

function handle(call: HandlerCall, ctx: Context): MaybePromise<unknown> {
  const refused = (error: unknown) => translate(call, error)
  try {
    const returned = call.handle(ctx)
    if (!isThenable(returned)) return finish(call, returned, ctx)
    return Promise.resolve(returned).then((value) => finish(call, value, ctx), refused)
  } catch (error) {
    return refused(error)
  }
}

function finish(call: HandlerCall, returned: unknown, ctx: Context): MaybePromise<unknown> {
  const finished = call.finish === undefined ? returned : call.finish(returned, ctx)
  return finished instanceof Promise ? finished.catch((error) => translate(call, error)) : finished
}

/** A handler may throw that the user has to visit a page; each revision has its own way to say so. */
function translate({ request }: HandlerCall, error: unknown): InputRequiredResult {
  if (error instanceof UrlElicitationRequiredError && isForCaller(error)) return translateUrlElicitation(request, error)
  throw error
}
