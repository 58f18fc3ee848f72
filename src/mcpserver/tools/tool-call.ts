// One call of a tool: who may call it, what it gets, and what its outcome means.
import { isPlainObject } from '../../primitives/json/objects.ts'
import type { Issue } from '../../schema/engine/issue.ts'
import { requireCapabilities } from '../../server/asking/client-capabilities.ts'
import type { ServerRequestContext } from '../../server/context.ts'
import type { MaybePromise } from '../../server/handlers.ts'
import type { PlainResult } from '../../server/results/finished-result.ts'
import { ErrorCode } from '../../types/errors/error-codes.ts'
import { MCPError } from '../../types/errors/errors.ts'
import type { InputRequiredResult } from '../../types/features/input-required.ts'
import type { CallToolRequestParams, CallToolResult } from '../../types/features/tools.ts'
import { returnsArgumentErrors } from '../../wire/revision-facts.ts'
import type { Context } from '../handlers/context.ts'
import type { Host } from '../handlers/host.ts'
import { runHandler } from '../handlers/run-handler.ts'
import { admit } from '../lists/access.ts'
import type { Registry } from '../lists/registry.ts'
import { explainIssues, nameOwner, validateArguments } from '../values/arguments.ts'
import { whenDone } from '../values/maybe-promise.ts'
import { isContentBlock, isInputRequired, toFailure, toResult, toWholeResult } from '../values/results.ts'
import { structureOf } from '../values/structure.ts'
import { toStructuredResult } from './output.ts'
import type { CompiledTool } from './tool.ts'
import { failTool } from './tool-failure.ts'

type Answer = CallToolResult | InputRequiredResult

interface Call {
  readonly host: Host
  readonly tool: CompiledTool
  readonly request: ServerRequestContext
}

const NO_ARGUMENTS = Object.freeze({})

export function callTool(
  host: Host,
  tools: Registry<CompiledTool>,
  request: ServerRequestContext,
  params: CallToolRequestParams,
): MaybePromise<Answer> {
  const tool = admit(tools.find(params.name), request, host)
  if (tool === undefined) throw new MCPError(ErrorCode.InvalidParams, `Unknown ${nameOwner('tool', params.name)}`)
  if (tool.requires !== undefined) requireCapabilities(request, tool.requires)
  const call: Call = { host, tool, request }
  const onRepair = host.strict ? undefined : (names: readonly string[]) => reportRepair(call, names)
  return guard(call, () =>
    whenDone(validateArguments(tool.input, params.arguments ?? NO_ARGUMENTS, onRepair), (validation) =>
      validation.ok ? run(call, validation.value) : refuse(call, validation.issues),
    ),
  )
}

/** Whatever goes wrong from here on is a failure of the tool. */
function guard(call: Call, work: () => MaybePromise<Answer>): MaybePromise<Answer> {
  try {
    const answer = work()
    return answer instanceof Promise ? answer.catch((error) => fail(call, error)) : answer
  } catch (error) {
    return fail(call, error)
  }
}

function refuse({ tool, request }: Call, issues: readonly Issue[]): CallToolResult {
  const text = explainIssues(tool.owner, issues)
  if (returnsArgumentErrors(request.protocolVersion)) return toFailure(text)
  throw new MCPError(ErrorCode.InvalidParams, text)
}

/** The caller may have named them. */
const MAX_NAMES = 10

function reportRepair({ host, tool, request }: Call, names: readonly string[]): void {
  const [shown, others] = [names.slice(0, MAX_NAMES).join(', '), names.length - MAX_NAMES]
  const list = others > 0 ? `${shown} and ${others} more` : shown
  host.server.faults.report({
    kind: 'invalid-message',
    message: `Arguments of ${tool.owner} came as JSON in a string and were taken out of it: ${list}`,
    method: request.method,
    requestId: request.requestId ?? null,
  })
}

function run(call: Call, args: unknown): MaybePromise<Answer> {
  const { host, tool, request } = call
  const handle = (ctx: Context) => tool.run(args, ctx)
  const outcome = runHandler({ host, request, handle, finish: takeItems, limit: tool.limit })
  return whenDone(outcome, (value) => conclude(call, value))
}

function takeItems(returned: unknown, ctx: Context): MaybePromise<unknown> {
  return isIterator(returned) ? collectItems(returned, ctx) : returned
}

function conclude({ tool, request }: Call, value: unknown): MaybePromise<Answer> {
  if (isInputRequired(value) || isClaimed(value, request)) return value
  // Whoever returns an error means that the call failed, as if it were thrown.
  if (value instanceof Error) throw value
  if (tool.output !== undefined) {
    const structured = toStructuredResult(tool.output, value, structureOf(request.protocolVersion))
    return whenDone(structured, (made) => vouch(request, made))
  }
  return toWholeResult(value) ?? vouch(request, toResult(value))
}

/** What was made here of text and JSON alone needs no further look. */
function vouch(request: ServerRequestContext, made: PlainResult | CallToolResult): CallToolResult {
  if (!('result' in made)) return made
  const plain = made as PlainResult
  request.plain = plain
  return plain.result
}

/** Results of an extension that the server knows are the extension's to shape. */
function isClaimed(value: unknown, { server }: ServerRequestContext): value is CallToolResult {
  if (server.resultTypes.size === 0 || !isPlainObject(value)) return false
  return server.resultTypes.has(value['resultType'] as string)
}

function fail({ host, tool, request }: Call, error: unknown): CallToolResult {
  return failTool(host, tool, request, error)
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
 * or, if it returns nothing, the list of its items. Closes it when the call is aborted or an item cannot be told of.
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
      await ctx.reportProgress(items.length, undefined, textOf(value))
      signal.throwIfAborted()
    } catch (error) {
      await close(iterator)
      throw error
    }
  }
}

/** As a loop does that is left early: why it was left counts more than what fails on the way out. */
async function close(iterator: AnyIterator): Promise<void> {
  try {
    await iterator.return?.()
  } catch {
    // See above.
  }
}

/** Pictures and sounds have none. */
function textOf(item: unknown): string | undefined {
  if (typeof item === 'string') return item
  if (isContentBlock(item)) return item.type === 'text' ? item.text : undefined
  return JSON.stringify(item)
}
