// Runs one handler of the author's: with its context around it, its questions answered, and its time limited.

import { checkQuestions } from '../../server/asking/input-questions.ts'
import type { ServerRequestContext } from '../../server/context.ts'
import type { MaybePromise } from '../../server/handlers.ts'
import { UrlElicitationRequiredError } from '../../types/errors/errors.ts'
import { ToolError } from '../../types/errors/failures.ts'
import { isForCaller } from '../../types/errors/received-error.ts'
import type { ElicitRequestURLParams } from '../../types/features/elicitation.ts'
import type { InputRequest, InputRequests, InputRequiredResult } from '../../types/features/input-required.ts'
import { grammarOf } from '../../wire/shapes/grammar.ts'
import { type Interaction, runInteractively } from '../asking/interaction.ts'
import { isThenable } from '../values/maybe-promise.ts'
import { type Caller, Context } from './context.ts'
import { type Deadline, runWithin, type TimeLimit } from './deadline.ts'
import type { Host } from './host.ts'

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

/**
 * Where results can ask: the result that sends the user there, or `MissingClientCapabilityError`. Where URL elicitation
 * has an error code (2025-11-25): throws the error as it is. In older revisions: throws a `ToolError` for the model to
 * pass on. To keep what the handler asked before it threw, return the result from within `runInteractively`.
 */
export function translateUrlElicitation(
  ctx: ServerRequestContext,
  error: UrlElicitationRequiredError,
): InputRequiredResult {
  const grammar = grammarOf(ctx.protocolVersion)
  if (grammar.has('InputRequiredResult')) return toQuestions(ctx, error.elicitations)
  throw grammar.has('ElicitRequestURLParams') ? error : toToolError(error)
}

function toQuestions(
  { clientCapabilities, protocolVersion }: ServerRequestContext,
  elicitations: readonly ElicitRequestURLParams[],
): InputRequiredResult {
  const questions = elicitations.map((elicitation, index) => [`url${index + 1}`, toQuestion(elicitation)] as const)
  const inputRequests: InputRequests = Object.fromEntries(questions)
  const result: InputRequiredResult = { resultType: 'input_required', inputRequests }
  checkQuestions(result, clientCapabilities, protocolVersion)
  return result
}

/** Without the id, which only an error code and its notification need. */
function toQuestion({ message, url }: ElicitRequestURLParams): InputRequest {
  return { method: 'elicitation/create', params: { mode: 'url', message, url } }
}

function toToolError(error: UrlElicitationRequiredError): ToolError {
  const visits = error.elicitations.map(({ message, url }) => `${message}: ${url}`)
  return new ToolError([`${error.message}. The user has to visit:`, ...visits].join('\n'), { cause: error })
}
