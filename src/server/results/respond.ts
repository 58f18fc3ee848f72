// Turns the result of a handler into the result on the wire: adds the stamps, and removes what a revision does not have.
import { typeError } from '../../primitives/help.ts'
import { isPlainObject } from '../../primitives/json/objects.ts'
import { PREPARED, PreparedJSON, prepareJSON } from '../../primitives/json/prepared-json.ts'
import { ErrorCode } from '../../types/errors/error-codes.ts'
import { MCPError } from '../../types/errors/errors.ts'
import { InvalidResultError } from '../../types/errors/failures.ts'
import type { CallToolResult } from '../../types/features/tools.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import { SERVER_INFO_META_KEY } from '../../types/protocol/meta.ts'
import type { Implementation } from '../../types/protocol/metadata.ts'
import type { ProtocolVersion } from '../../types/protocol/versions.ts'
import { checkResult, sieveResult } from '../../wire/check.ts'
import { requestFacts, requestRow } from '../../wire/method-rows.ts'
import { allowsAnyStructure, hasStructuredContent, stampsResults } from '../../wire/revision-facts.ts'
import { checkQuestions, completeQuestions } from '../asking/question-rules.ts'
import type { ServerRequestContext } from '../context.ts'
import type { ServerCore } from '../core.ts'
import { requireClientExtension } from '../extensions/client-extension.ts'
import type { ExtensionSet } from '../extensions/extension-set.ts'
import { fillCacheHints } from './caching.ts'
import { adaptContent } from './older-revisions.ts'

/** A value that holds nothing but JSON, and its text. */
export interface JSONForm {
  readonly value: unknown
  readonly text: string
}

/** A result that was made of a text, or of none, and of structured content whose JSON is known. */
export interface PlainResult {
  readonly result: CallToolResult
  readonly text: string | undefined
  readonly structure?: JSONForm | undefined
}

/** The result in the caller's revision. It needs no check: whoever made it knows what it is made of. */
function finishPlainResult(
  server: ServerCore,
  ctx: ServerRequestContext,
  plain: PlainResult,
  outer: Implementation | undefined,
): JSONObject {
  const { dispatch, protocolVersion } = ctx
  const { content } = plain.result
  const structure = structureAt(protocolVersion, plain)
  const structuredContent = structure?.value
  const isStamped = stampsResults(protocolVersion)
  const _meta = isStamped ? { 'io.modelcontextprotocol/serverInfo': outer ?? server.info } : undefined
  // Middleware, or the server that this one is mounted in, could change the result after its text was written.
  if (dispatch.transport.writesResults === true && server.passesResultsOn && outer === undefined) {
    const prepared = new PreparedJSON(() => write(_meta && server.stampText, plain.text, structure?.text))
    return { resultType: isStamped ? 'complete' : undefined, _meta, content, structuredContent, [PREPARED]: prepared }
  }
  const unstamped = structure === undefined ? { content } : { content, structuredContent }
  return isStamped ? { resultType: 'complete', _meta, ...unstamped } : unstamped
}

/** Before any value was allowed, structured content was an object or not there at all. */
function structureAt(version: ProtocolVersion, { structure }: PlainResult): JSONForm | undefined {
  if (structure === undefined || allowsAnyStructure(version)) return structure
  return hasStructuredContent(version) && isPlainObject(structure.value) ? structure : undefined
}

/** As `JSON.stringify` would, from the texts that are known. */
function write(stampText: string | undefined, text: string | undefined, structure: string | undefined): string {
  const stamps = stampText === undefined ? '' : `"resultType":"complete","_meta":${stampText},`
  const content = text === undefined ? '[]' : `[{"type":"text","text":${JSON.stringify(text)}}]`
  return `{${stamps}"content":${content}${structure === undefined ? '' : `,"structuredContent":${structure}`}}`
}

/**
 * The result of a handler, as it is sent. `plain` is what the result is made of, as the handler declares it. `outer` is what the client
 * knows as the server, where this one is mounted in it.
 */
export function respond(
  server: ServerCore,
  ctx: ServerRequestContext,
  result: unknown,
  plain?: PlainResult,
  outer?: Implementation,
): JSONObject {
  if (plain !== undefined && plain.result === result) return finishPlainResult(server, ctx, plain, outer)
  if (!isPlainObject(result)) throw invalidResult(server, ctx, 'it is not an object')
  // A form that is kept has the identity of this server.
  if (outer !== undefined) return shape(server, ctx, result, outer)
  return server.prepared.formOf(result, ctx.protocolVersion, () => shape(server, ctx, result, server.info))
}

/** In this order: cache hints, content that older revisions lack, sieve, stamps, and a check of the whole. */
function shape(server: ServerCore, ctx: ServerRequestContext, result: JSONObject, info: Implementation): JSONObject {
  const { method, protocolVersion } = ctx
  // A method that only other revisions have is a vendor method here.
  const isSpec = requestRow(method, protocolVersion, 'client') !== undefined
  const isModern = stampsResults(protocolVersion)
  if (!isModern && result['resultType'] === 'input_required') {
    if (ctx.task !== undefined) return askInRun(ctx, result)
    if (isSpec) throw unansweredQuestion(server, ctx)
  }
  if (isSpec && server.extensions !== undefined) checkOwner(server, ctx, server.extensions, result)
  let shaped: JSONObject = result
  if (isSpec && isModern) shaped = fillCacheHints(method, shaped, server.cacheHints)
  if (isSpec && !isModern) shaped = adaptContent(method, protocolVersion, shaped)
  if (isSpec) shaped = sieveResult(method, protocolVersion, shaped)
  if (isSpec && isModern) shaped = completeQuestions(shaped)
  if (isModern) shaped = stamp(info, shaped)
  if (isSpec) checkShaped(server, ctx, shaped)
  if (isSpec && isModern) checkQuestions(shaped, ctx.clientCapabilities, protocolVersion)
  return shaped
}

/** In a task, questions are asked in this form at revisions too that don't have it on the wire. */
function askInRun({ clientCapabilities, protocolVersion }: ServerRequestContext, result: JSONObject): JSONObject {
  const completed = completeQuestions(result)
  checkQuestions(completed, clientCapabilities, protocolVersion)
  return completed
}

/** Keeps what the handler has set itself. */
function stamp(info: Implementation, result: JSONObject): JSONObject {
  // The usual case by itself, and the spread last: V8 takes twenty times as long to add members to a spread object.
  if (!Object.hasOwn(result, '_meta'))
    return { resultType: 'complete', _meta: { 'io.modelcontextprotocol/serverInfo': info }, ...result }
  const meta = result['_meta']
  const resultType = result['resultType'] ?? 'complete'
  if (meta !== undefined && meta !== null && !isPlainObject(meta)) return { ...result, resultType }
  const stamped = meta?.[SERVER_INFO_META_KEY] ?? info
  return { ...result, resultType, _meta: { ...meta, [SERVER_INFO_META_KEY]: stamped } }
}

/** Spec, Versioning: a server sends the result types of the specification and of extensions that both sides declared. */
function checkOwner(
  server: ServerCore,
  ctx: ServerRequestContext,
  extensions: ExtensionSet,
  { resultType }: JSONObject,
): void {
  const owner = extensions.ownerOf(resultType)
  if (owner === undefined) return
  if (requestFacts(ctx.method)?.claimable !== true)
    throw invalidResult(server, ctx, `only tools are answered with results of '${owner}'`)
  if (!stampsResults(ctx.protocolVersion)) {
    throw invalidResult(server, ctx, `results of '${owner}' do not exist at revision ${ctx.protocolVersion}`)
  }
  requireClientExtension(ctx, owner)
}

function checkShaped(server: ServerCore, ctx: ServerRequestContext, result: JSONObject): void {
  const { method, protocolVersion } = ctx
  try {
    checkResult(method, protocolVersion, result, { claims: server.resultTypes, asTask: true })
  } catch (error) {
    if (error instanceof InvalidResultError) throw invalidResult(server, ctx, error.message, error)
    throw error
  }
}

/** Such a result is nobody's secret, so that the client may read why it gets none. */
function unansweredQuestion(server: ServerCore, { method, protocolVersion }: ServerRequestContext): MCPError {
  const message = `The handler of '${method}' returned input_required, which a legacy connection (${protocolVersion}) can't carry`
  const remedy = 'Ask with ctx.elicit() of an MCPServer, which works in both eras, or with ctx.session of a Server.'
  const error = typeError('wrong-result', `${message}. ${remedy}`)
  server.faults.report({ kind: 'handler-failed', message, method, error, remedy })
  return new MCPError(ErrorCode.InternalError, error.message, undefined, { cause: error })
}

/** The client gets a general error; the author gets the details as a fault. */
function invalidResult(
  server: ServerCore,
  { method }: ServerRequestContext,
  problem: string,
  cause?: unknown,
): MCPError {
  const error = typeError('wrong-result', `The handler of '${method}' returned an invalid result: ${problem}`, {
    cause,
  })
  server.faults.report({ kind: 'handler-failed', message: error.message, method, error })
  return new MCPError(ErrorCode.InternalError, 'Handler returned an invalid result', undefined, { cause: error })
}

/** Results that are made once and handed out many times, such as listings: each form of them is made once, too. */
export class PreparedResults {
  readonly #forms = new WeakMap<object, Map<ProtocolVersion, JSONObject>>()

  /** The result must not change any more. */
  add(result: object): void {
    this.#forms.set(result, new Map())
  }

  /** The form that the result has in a revision, made by `shape` the first time it is asked for. */
  formOf(result: object, version: ProtocolVersion, shape: () => JSONObject): JSONObject {
    const forms = this.#forms.get(result)
    if (forms === undefined) return shape()
    const known = forms.get(version)
    if (known !== undefined) return known
    const form = prepare(shape(), result)
    forms.set(version, form)
    return form
  }
}

/** Never the result itself, which has one text but several forms. */
function prepare(form: JSONObject, result: object): JSONObject {
  const own = form === result ? { ...form } : form
  // In process, clients get this very object.
  if (isPlainObject(own['_meta'])) Object.freeze(own['_meta'])
  return prepareJSON(own)
}
