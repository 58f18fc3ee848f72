// Shapes a handler's result for the wire: the one place where a result gets its stamps and loses what a revision does not know.
import { isPlainObject } from '../../primitives/json/objects.ts'
import { ErrorCode } from '../../types/errors/error-codes.ts'
import { MCPError } from '../../types/errors/errors.ts'
import { InvalidResultError } from '../../types/errors/failures.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import { SERVER_INFO_META_KEY } from '../../types/protocol/meta-keys.ts'
import { checkResult, sieveResult } from '../../wire/check.ts'
import { requestRow } from '../../wire/methods.ts'
import { stampsResults } from '../../wire/revision-facts.ts'
import { checkQuestions, completeQuestions } from '../asking/input-questions.ts'
import type { ServerRequestContext } from '../context.ts'
import type { ExtensionSet } from '../extensions/extension-set.ts'
import { requireClientExtension } from '../extensions/extension-set.ts'
import { fillCacheHints } from './caching.ts'
import { finishPlainResult } from './finished-result.ts'
import { adaptContent } from './older-content.ts'

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
