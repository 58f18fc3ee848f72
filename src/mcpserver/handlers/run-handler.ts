// Runs one handler of the author: with its context around it, its questions answered, its items collected and its time limited.
import { isThenable } from '../../primitives/async/thenable.ts'
import { checkQuestions } from '../../server/asking/question-rules.ts'
import type { ServerRequestContext } from '../../server/context.ts'
import type { MaybePromise } from '../../server/handlers.ts'
import { UrlElicitationRequiredError } from '../../types/errors/errors.ts'
import { ToolError } from '../../types/errors/failures.ts'
import { isForCaller } from '../../types/errors/received-error.ts'
import type { ElicitRequestURLParams } from '../../types/features/elicitation.ts'
import type { InputRequest, InputRequests, InputRequiredResult } from '../../types/features/input-required.ts'
import { grammarOf } from '../../wire/shapes/grammar.ts'
import { CallInteraction } from '../asking/interaction.ts'
import { isContentBlock } from '../values/results.ts'
import { type Caller, Context } from './context.ts'
import { Deadline, type TimeLimit } from './deadline.ts'
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

/** A handler may throw that the user has to visit a page; each revision has its own way to say so. */
function translateThrown(request: ServerRequestContext, error: unknown): InputRequiredResult {
  if (error instanceof UrlElicitationRequiredError && isForCaller(error)) return translateUrlElicitation(request, error)
  throw error
}

/**
 * Where results can ask: the result that sends the user there, or `MissingClientCapabilityError`. Where URL elicitation
 * has an error code (2025-11-25): throws the error as it is. In older revisions: throws a `ToolError` for the model to
 * pass on. To keep what the handler asked before it threw, settle the interaction with the result.
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
