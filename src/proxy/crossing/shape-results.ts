// Results on their way into the other era: without what that era cannot say, and with what it needs.
import { isPlainObject } from '../../primitives/json/objects.ts'
import { adaptContent } from '../../server/results/older-revisions.ts'
import { ErrorCode } from '../../types/errors/error-codes.ts'
import { MCPError, type UrlElicitationRequiredError } from '../../types/errors/errors.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import { SERVER_INFO_META_KEY } from '../../types/protocol/meta.ts'
import type { Implementation } from '../../types/protocol/metadata.ts'
import type { ProtocolVersion } from '../../types/protocol/versions.ts'
import { sieveResult } from '../../wire/check.ts'
import { requestFacts } from '../../wire/method-rows.ts'

/** Called with what was left out, for the author. */
export type OnLoss = (what: string) => void

/** A result of a modern source, for a legacy client of this revision. */
export function toLegacyResult(
  method: string,
  version: ProtocolVersion,
  result: JSONObject,
  onLoss: OnLoss,
): JSONObject {
  const { resultType: _type, ttlMs: _ttl, cacheScope: _scope, ...rest } = result
  const adapted = adaptContent(method, version, rest)
  if (method === 'tools/list' && adapted !== rest) onLoss('output schemas that are not objects')
  const shaped = withoutServerInfo(sieveResult(method, version, adapted))
  if (requestFacts(method)?.cacheable === true) HINTS.set(shaped, result)
  return shaped
}

function withoutServerInfo(result: JSONObject): JSONObject {
  const meta = result['_meta']
  if (!isPlainObject(meta) || !Object.hasOwn(meta, SERVER_INFO_META_KEY)) return result
  const { [SERVER_INFO_META_KEY]: _info, ...own } = meta
  if (Object.keys(own).length > 0) return { ...result, _meta: own }
  const { _meta: _left, ...bare } = result
  return bare
}

/** Results for legacy clients don't say how long they are good, which the proxy itself has to know. */
const HINTS = new WeakMap<object, JSONObject>()

/** How long a source lets a result be kept, and for whom, whatever is left of that in the result. */
export function cacheHintsOf(result: object): JSONObject {
  return HINTS.get(result) ?? (result as JSONObject)
}

export interface ModernFacts {
  readonly version: ProtocolVersion
  readonly info: Implementation | undefined
  /** How long clients may keep lists, in milliseconds. */
  readonly listMs: number
}

/** A result of a legacy source, for a modern client. */
export function toModernResult(method: string, result: JSONObject, facts: ModernFacts, onLoss: OnLoss): JSONObject {
  const usable = method === 'tools/list' ? withUsableTools(result, onLoss) : result
  const shaped = sieveResult(method, facts.version, usable)
  const isCacheable = requestFacts(method)?.cacheable === true
  const caching = isCacheable ? { ttlMs: facts.listMs, cacheScope: 'private' } : {}
  const meta = isPlainObject(shaped['_meta']) ? shaped['_meta'] : {}
  const stamps = facts.info === undefined ? meta : { [SERVER_INFO_META_KEY]: facts.info, ...meta }
  return { resultType: 'complete', ...caching, ...shaped, _meta: stamps }
}

/** Since 2026-07-28 the arguments of a tool are an object, and its schema says so. */
function withUsableTools(result: JSONObject, onLoss: OnLoss): JSONObject {
  const { tools } = result
  if (!Array.isArray(tools)) return result
  const usable = tools.filter((tool) => {
    const schema = isPlainObject(tool) ? tool['inputSchema'] : undefined
    return isPlainObject(schema) && schema['type'] === 'object'
  })
  if (usable.length === tools.length) return result
  onLoss('tools whose input schema is not an object')
  return { ...result, tools: usable }
}

/** An error of a modern source, as legacy clients know it. */
export function toLegacyError(method: string, error: MCPError): MCPError {
  if (method === 'resources/read' && error.code === ErrorCode.InvalidParams) {
    return new MCPError(ErrorCode.ResourceNotFound, error.message, error.data, { cause: error })
  }
  if (error.code === ErrorCode.MissingRequiredClientCapability) {
    return new MCPError(ErrorCode.InvalidRequest, error.message, error.data, { cause: error })
  }
  return error
}

/** An error of a legacy source, as modern clients know it. */
export function toModernError(error: MCPError): MCPError {
  if (error.code !== ErrorCode.ResourceNotFound) return error
  return new MCPError(ErrorCode.InvalidParams, error.message, error.data, { cause: error })
}

/** Reserved keys of the modern era have no place in a legacy request. */
export function withoutEnvelope(params: JSONObject): JSONObject {
  const meta = params['_meta']
  const { inputResponses: _answers, requestState: _state, ...rest } = params
  if (!isPlainObject(meta)) return rest
  const own = Object.fromEntries(Object.entries(meta).filter(([key]) => !RESERVED.test(key)))
  if (Object.keys(own).length > 0) return { ...rest, _meta: own }
  const { _meta: _left, ...bare } = rest
  return bare
}

const RESERVED = /^io\.modelcontextprotocol\/(protocolVersion|clientInfo|clientCapabilities|logLevel)$/

/** The pages that a legacy source wants visited before it goes on. The retry calls anew: the source has ended the call. */
export function toUrlQuestions({ elicitations }: UrlElicitationRequiredError): JSONObject {
  const questions = elicitations.map((elicitation, index) => {
    const { elicitationId: _id, ...params } = elicitation as unknown as JSONObject
    return [`q${index + 1}`, { method: 'elicitation/create', params }]
  })
  return { resultType: 'input_required', inputRequests: Object.fromEntries(questions) }
}
