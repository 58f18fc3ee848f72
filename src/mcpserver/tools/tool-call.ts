// One call of a tool: finds it, checks the arguments, runs its function, and turns the outcome into a result.
import type { MaybePromise } from '../../primitives/async/promises.ts'
import { isPlainObject } from '../../primitives/json/objects.ts'
import { messageOfThrown, readableThrown } from '../../primitives/thrown.ts'
import { requireCapabilities } from '../../server/asking/client-capabilities.ts'
import { insideOf, type ServerRequestContext, serverOfRequest, withParams } from '../../server/context.ts'
import type { RequestHandler } from '../../server/handlers.ts'
import type { PlainResult } from '../../server/results/respond.ts'
import { offersTaskCalls } from '../../server/task-calls.ts'
import { ErrorCode } from '../../types/errors/error-codes.ts'
import { isAnswer, isForCaller, isUnaskable, MCPError } from '../../types/errors/errors.ts'
import { ToolError } from '../../types/errors/failures.ts'
import type { InputRequiredResult } from '../../types/features/input-required.ts'
import type { CallToolRequestParams, CallToolResult } from '../../types/features/tools.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import { returnsArgumentErrors } from '../../wire/revision-facts.ts'
import type { Host } from '../handlers/host.ts'
import { runHandler } from '../handlers/run-handler.ts'
import { checkAccess } from '../lists/access.ts'
import { type CheckedArguments, explainIssues, nameOwner, validateArguments } from '../values/arguments.ts'
import { isInputRequired } from '../values/input-required.ts'
import { structureOf } from '../values/listed.ts'
import { toResult, toToolFailure, toWholeResult } from '../values/results.ts'
import { toStructuredResult } from './structured-result.ts'
import type { CompiledTool } from './tool.ts'

type Answer = CallToolResult | InputRequiredResult

interface ToolCall {
  readonly host: Host
  readonly tool: CompiledTool
  readonly request: ServerRequestContext
  readonly params: CallToolRequestParams
}

/** Finds the tool that a call means. */
interface Callable {
  toCall(name: string, request: ServerRequestContext, params: CallToolRequestParams): CompiledTool | undefined
}

const NO_ARGUMENTS = Object.freeze({})

/**
 * Calls a tool. What the caller did wrong is thrown; whatever goes wrong from the arguments on is a failure of the tool, which
 * `failTool` turns into a result. Interceptors of extensions see only calls that have passed all checks.
 */
export function callTool(
  host: Host,
  tools: Callable,
  request: ServerRequestContext,
  params: CallToolRequestParams,
): MaybePromise<Answer> {
  const { extensions } = host.server
  if (extensions?.interceptsToolCalls !== true) return checkCall(host, tools, request, params, runTool)
  return checkCall(host, tools, request, params, (call, value) => {
    const run: RequestHandler = (ctx, given) => {
      const answer =
        ctx === request ? runTool(call, value) : checkCall(host, tools, ctx, given as typeof params, runTool)
      return answer as MaybePromise<JSONObject>
    }
    const answer = extensions.interceptToolCall(request, params as unknown as JSONObject, run, withParams)
    return answer as MaybePromise<CallToolResult>
  })
}

/** Finds the tool, checks that the caller may use it and that the arguments fit, and goes on with them. */
function checkCall(
  host: Host,
  tools: Callable,
  request: ServerRequestContext,
  params: CallToolRequestParams,
  goOn: (call: ToolCall, args: unknown) => MaybePromise<Answer>,
): MaybePromise<Answer> {
  const found = tools.toCall(params.name, request, params)
  // The request that began a task has passed this check; its run has neither headers nor a token to decide by.
  const tool = request.task === undefined ? checkAccess(found, request, host) : found
  if (tool === undefined) throw new MCPError(ErrorCode.InvalidParams, `Unknown ${nameOwner('tool', params.name)}`)
  if (tool.requires !== undefined) requireCapabilities(request, tool.requires)
  if (params.task !== undefined) checkTaskSupport(tool, request)
  const call: ToolCall = { host, tool, request, params }
  let checked: MaybePromise<CheckedArguments>
  try {
    checked = validateArguments(tool.input, params.arguments ?? NO_ARGUMENTS, !host.strict)
  } catch (error) {
    return failTool(host, tool, request, error)
  }
  if (checked instanceof Promise) return goOnLater(call, checked, goOn)
  return checked.ok ? goOn(call, accept(call, checked)) : reject(call, checked)
}

function goOnLater(
  call: ToolCall,
  checked: Promise<CheckedArguments>,
  goOn: (call: ToolCall, args: unknown) => MaybePromise<Answer>,
): Promise<Answer> {
  return checked.then(
    (args) => (args.ok ? goOn(call, accept(call, args)) : reject(call, args)),
    (error) => failTool(call.host, call.tool, call.request, error),
  )
}

/** Spec 2025-11-25, Tasks: a tool whose listing does not allow it can't be called as a task. */
function checkTaskSupport({ owner, listed }: CompiledTool, request: ServerRequestContext): void {
  const support = listed.objects.execution?.taskSupport ?? 'forbidden'
  if (support !== 'forbidden' || request.task !== undefined || !offersTaskCalls(request)) return
  throw new MCPError(ErrorCode.MethodNotFound, `The ${owner} can't be called as a task. Leave task out of the params.`)
}

type Accepted = Extract<CheckedArguments, { ok: true }>
type Rejected = Extract<CheckedArguments, { ok: false }>

function accept(call: ToolCall, { value, repaired }: Accepted): unknown {
  if (repaired !== undefined) reportRepair(call, repaired)
  return value
}

/** With `isInside`, what extensions run around the tool is at work already. One function, to keep the stacks of users short. */
function runTool(call: ToolCall, input: unknown, isInside = false): MaybePromise<Answer> {
  const { host, tool, request } = call
  if (tool.around !== undefined && !isInside) return runAround(tool.around, call, input)
  try {
    const { run, limit } = tool
    const outcome = runHandler({ host, request, run, input, limit, collectsItems: true })
    const answer = outcome instanceof Promise ? outcome.then((value) => toAnswer(call, value)) : toAnswer(call, outcome)
    return answer instanceof Promise ? orFail(call, answer) : answer
  } catch (error) {
    return failTool(host, tool, request, error)
  }
}

function runAround(around: NonNullable<CompiledTool['around']>, call: ToolCall, input: unknown): MaybePromise<Answer> {
  const next = (given = call.request) => runTool({ ...call, request: given }, input, true) as MaybePromise<JSONObject>
  return around(call.request, call.params, next) as MaybePromise<CallToolResult>
}

function orFail({ host, tool, request }: ToolCall, answer: Promise<Answer>): Promise<Answer> {
  return answer.catch((error) => failTool(host, tool, request, error))
}

/** In revisions where the model can correct its arguments, it reads what is wrong with them; in older ones the caller does. */
function reject({ tool, request, params }: ToolCall, { issues }: Rejected): CallToolResult {
  const text = explainIssues(tool.owner, issues)
  // A call that asks for a task gets a task or an error, never a result.
  const isTask = params.task !== undefined && offersTaskCalls(request)
  if (returnsArgumentErrors(request.protocolVersion) && !isTask) return toToolFailure(text)
  throw new MCPError(ErrorCode.InvalidParams, text)
}

/** The caller chose the names, so only so many are shown. */
const MAX_NAMES = 10

function reportRepair({ host, tool, request }: ToolCall, names: readonly string[]): void {
  const [shown, others] = [names.slice(0, MAX_NAMES).join(', '), names.length - MAX_NAMES]
  const list = others > 0 ? `${shown} and ${others} more` : shown
  host.server.faults.report({
    kind: 'invalid-message',
    message: `Arguments of ${tool.owner} came as JSON in a string and were parsed: ${list}`,
    method: request.method,
    requestId: request.requestId ?? null,
  })
}

function toAnswer({ tool, request }: ToolCall, value: unknown): MaybePromise<Answer> {
  if (isInputRequired(value) || isResultOfExtension(value, request)) return value
  // A returned error means that the call failed, as if it were thrown.
  if (value instanceof Error) throw value
  if (tool.output === undefined) return toWholeResult(value) ?? markPrevalidated(request, toResult(value))
  const structured = toStructuredResult(tool.output, value, structureOf(request.protocolVersion))
  return structured instanceof Promise
    ? structured.then((made) => markPrevalidated(request, made))
    : markPrevalidated(request, structured)
}

/** A result that was made here of text and JSON alone needs no further check before it is sent. */
function markPrevalidated(request: ServerRequestContext, made: PlainResult | CallToolResult): CallToolResult {
  if (!('result' in made)) return made
  const plain = made as PlainResult
  insideOf(request).plain = plain
  return plain.result
}

/** An extension of the server shapes its own results. */
function isResultOfExtension(value: unknown, request: ServerRequestContext): value is CallToolResult {
  const { resultTypes } = serverOfRequest(request)
  if (resultTypes.size === 0 || !isPlainObject(value)) return false
  return resultTypes.has(value['resultType'] as string)
}

/** Tools for which the log already says how to show a message to the model. */
const explained = new WeakSet<CompiledTool>()

/** Errors in code: their messages are for the author only. */
const BUGS: ReadonlySet<string> = new Set(['TypeError', 'ReferenceError', 'SyntaxError'])

const SHOW_MESSAGE = 'The model reads only that the tool failed. To show it a message, throw new ToolError(message).'
const DO_WITHOUT = 'Catch this error to continue without an answer, or set requires on the tool.'
const ANSWERED = 'The client answered a question of this tool with this error. Catch it to continue without an answer.'
const PASS_ON =
  'The error came from another server and counts as a failure of this tool. To pass it on, throw MCPError.from(error.toErrorData()).'

/** The result that the model reads; throws errors that are meant for the caller. */
export function failTool(
  host: Host,
  tool: CompiledTool,
  request: ServerRequestContext,
  thrown: unknown,
): CallToolResult {
  const error = readableThrown(thrown)
  if (isForCaller(error)) throw error
  if (error instanceof ToolError) return toToolFailure(error.message)
  // The caller is a test that asked for the exception itself.
  if (request.dispatch.transport.raisesExceptions === true) throw error
  const message = `The ${tool.owner} failed`
  // In a cancelled call, a handler that throws has stopped as it should.
  if (!request.signal.aborted) {
    const { method, requestId = null } = request
    const remedy = remedyFor(host, tool, error)
    host.server.faults.report({
      kind: 'handler-failed',
      message,
      method,
      requestId,
      error,
      ...(remedy !== undefined && { remedy }),
    })
  }
  if (isUnaskable(error)) return toToolFailure(`${message}. ${error.message}`)
  return toToolFailure(host.exposeErrors ? `${message}: ${messageOfThrown(error)}` : message)
}

/** Once per tool, so that the log does not repeat it. */
function remedyFor(host: Host, tool: CompiledTool, error: unknown): string | undefined {
  if (host.exposeErrors || !(error instanceof Error) || BUGS.has(error.name) || explained.has(tool)) return undefined
  explained.add(tool)
  if (isUnaskable(error)) return DO_WITHOUT
  if (isAnswer(error)) return ANSWERED
  return error instanceof MCPError && !error.local ? PASS_ON : SHOW_MESSAGE
}
