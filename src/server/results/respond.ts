// Turns the result of a handler into the result on the wire: the one place that adds stamps and removes what a revision does not have.
import { isPlainObject } from '../../primitives/json/objects.ts'
import { PREPARED, PreparedJSON } from '../../primitives/json/prepared-json.ts'
import { ErrorCode } from '../../types/errors/error-codes.ts'
import { MCPError } from '../../types/errors/errors.ts'
import { InvalidResultError } from '../../types/errors/failures.ts'
import type { CallToolResult } from '../../types/features/tools.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import { SERVER_INFO_META_KEY } from '../../types/protocol/meta.ts'
import type { ProtocolVersion } from '../../types/protocol/versions.ts'
import { checkResult, sieveResult } from '../../wire/check.ts'
import { requestRow } from '../../wire/methods.ts'
import { allowsAnyStructure, hasStructuredContent, stampsResults } from '../../wire/revision-facts.ts'
import { checkQuestions, completeQuestions } from '../asking/question-rules.ts'
import type { ServerRequestContext } from '../context.ts'
import { type ExtensionSet, requireClientExtension } from '../extensions/extension-set.ts'
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

/** The result as the caller's revision has it. Its maker vouches for it, and nobody looks at it again. */
export function finishPlainResult(ctx: ServerRequestContext, plain: PlainResult): JSONObject {
  const { server, dispatch } = ctx
  const { content } = plain.result
  const structure = structureAt(ctx.protocolVersion, plain)
  const structuredContent = structure?.value
  const isStamped = stampsResults(ctx.protocolVersion)
  const _meta = isStamped ? { 'io.modelcontextprotocol/serverInfo': server.info } : undefined
  // Whoever stands between the handler and the wire may write on a result, and its text would not know.
  if (dispatch.transport.writesResults === true && server.passesResultsOn) {
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

/** As `JSON.stringify` would, without writing anew what is known in writing. */
function write(stampText: string | undefined, text: string | undefined, structure: string | undefined): string {
  const stamps = stampText === undefined ? '' : `"resultType":"complete","_meta":${stampText},`
  const content = text === undefined ? '[]' : `[{"type":"text","text":${JSON.stringify(text)}}]`
  return `{${stamps}"content":${content}${structure === undefined ? '' : `,"structuredContent":${structure}`}}`
}

export function respond(ctx: ServerRequestContext, result: unknown): JSONObject {
  const { plain } = ctx
  if (plain !== undefined && plain.result === result) return finishPlainResult(ctx, plain)
  if (!isPlainObject(result)) throw invalid(ctx, 'it is not an object')
  return ctx.server.prepared.formOf(result, ctx.protocolVersion, () => shape(ctx, result))
}

/** In this order: cache hints, content that older revisions lack, sieve, stamps, and a last look at the whole. */
function shape(ctx: ServerRequestContext, result: JSONObject): JSONObject {
  const { method, server, protocolVersion } = ctx
  // What this revision does not have is a vendor's here, whatever other revisions say.
  const isSpec = requestRow(method, protocolVersion, 'client') !== undefined
  const isModern = stampsResults(protocolVersion)
  if (isSpec && server.extensions !== undefined) checkOwner(ctx, server.extensions, result, isModern)
  let shaped: JSONObject = result
  if (isSpec && isModern) shaped = fillCacheHints(method, shaped, server.cacheHints)
  if (isSpec && !isModern) shaped = adaptContent(method, protocolVersion, shaped)
  if (isSpec) shaped = sieveResult(method, protocolVersion, shaped)
  if (isSpec && isModern) shaped = completeQuestions(shaped)
  if (isModern) shaped = stamp(ctx, shaped)
  if (isSpec) check(ctx, shaped)
  if (isSpec && isModern) checkQuestions(shaped, ctx.clientCapabilities, protocolVersion)
  return shaped
}

/** What the handler has set itself stays as it is. */
function stamp({ server }: ServerRequestContext, result: JSONObject): JSONObject {
  // The usual case by itself, and the spread last: V8 takes twenty times as long to add members to a spread object.
  if (!Object.hasOwn(result, '_meta'))
    return { resultType: 'complete', _meta: { 'io.modelcontextprotocol/serverInfo': server.info }, ...result }
  const meta = result['_meta']
  const resultType = result['resultType'] ?? 'complete'
  if (meta !== undefined && meta !== null && !isPlainObject(meta)) return { ...result, resultType }
  const stamped = meta?.[SERVER_INFO_META_KEY] ?? server.info
  return { ...result, resultType, _meta: { ...meta, [SERVER_INFO_META_KEY]: stamped } }
}

/** Spec, Versioning: a server sends the result types of the specification and of extensions that both sides declared. */
function checkOwner(
  ctx: ServerRequestContext,
  extensions: ExtensionSet,
  { resultType }: JSONObject,
  isModern: boolean,
): void {
  const owner = extensions.ownerOf(resultType)
  if (owner === undefined) return
  if (ctx.method !== 'tools/call') throw invalid(ctx, `only tools are answered with results of '${owner}'`)
  if (!isModern) throw invalid(ctx, `results of '${owner}' do not exist at revision ${ctx.protocolVersion}`)
  requireClientExtension(ctx, owner)
}

function check(ctx: ServerRequestContext, result: JSONObject): void {
  const { method, server, protocolVersion } = ctx
  try {
    checkResult(method, protocolVersion, result, { claims: server.resultTypes, asTask: true })
  } catch (error) {
    if (error instanceof InvalidResultError) throw invalid(ctx, error.message, error)
    throw error
  }
}

/** The peer learns that the server is broken, its author learns where. */
function invalid({ server, method }: ServerRequestContext, problem: string, cause?: unknown): MCPError {
  const error = new TypeError(`The handler of '${method}' returned an invalid result: ${problem}`, { cause })
  server.faults.report({ kind: 'handler-failed', message: error.message, method, error })
  return new MCPError(ErrorCode.InternalError, 'Handler returned an invalid result', undefined, { cause: error })
}
