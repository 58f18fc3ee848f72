// Which of several sources answers a request that names a resource, a completion, or nothing at all.
import { type MaybePromise, whenDone } from '../../primitives/async/promises.ts'
import { isPlainObject } from '../../primitives/json/objects.ts'
import { parseUriTemplate, type UriTemplate } from '../../primitives/uri-template/uri-template.ts'
import { type ServerRequestContext, serverOfRequest, withParams } from '../../server/context.ts'
import type { RequestHandler } from '../../server/handlers.ts'
import { forCallerAlone } from '../../server/results/caching.ts'
import { methodNotFound } from '../../server/results/method-not-found.ts'
import type { SourceDescription } from '../../server/source.ts'
import { ErrorCode } from '../../types/errors/error-codes.ts'
import { MCPError } from '../../types/errors/errors.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import { isMethodMissing, isMissing, unknownResource } from '../sources/unknown.ts'
import type { CompositeLists } from './composite-lists.ts'
import type { Part } from './part.ts'

/** Runs the interceptors of the server around the call of a part that doesn't. */
export function interceptIfNeeded(
  { source }: Part,
  request: ServerRequestContext,
  method: string,
  params: JSONObject,
  run: RequestHandler,
): MaybePromise<JSONObject> {
  const { extensions } = serverOfRequest(request)
  if (method !== 'tools/call' || extensions?.interceptsToolCalls !== true || source.interceptsToolCalls === true) {
    return run(request, params)
  }
  return extensions.interceptToolCall(request, params, run, withParams)
}

/**
 * The owner of the URI, then those with a template that fits, then all others: the first that has the resource answers. One of the
 * others that fails keeps none from being asked; its failure is the answer where nobody has the resource.
 */
export async function readFirst(
  parts: readonly Part[],
  lists: CompositeLists,
  request: ServerRequestContext,
  method: string,
  params: JSONObject,
): Promise<JSONObject> {
  const uri = params['uri'] as string
  await lists.learnOwner(uri, request)
  let missing: unknown
  let failed: { readonly error: unknown } | undefined
  let tried = 0
  let isPerCaller = false
  const { candidates, knownUntil } = candidatesFor(parts, lists, uri)
  for (const [at, part] of candidates.entries()) {
    const own = part.ownUri(uri)
    if (own === undefined) continue
    if (part.isEnabled && part.guard !== undefined) isPerCaller = true
    if (!part.isOpen(request)) continue
    tried += 1
    try {
      const result = part.showResult(
        await part.source.handle(request, method, own === uri ? params : { ...params, uri: own }),
      )
      return isPerCaller ? forCallerAlone(result, request.protocolVersion) : result
    } catch (error) {
      if (isMissing(error)) missing ??= error
      else if (isMethodMissing(error)) continue
      else if (at < knownUntil) throw error
      else failed ??= { error }
    }
  }
  if (failed !== undefined) throw failed.error
  // The error of the only source that could have it may say more than ours; it must not say another uri.
  if (tried === 1 && missing !== undefined && parts.length === 1) throw missing
  throw unknownResource(uri, request.protocolVersion)
}

interface Candidates {
  readonly candidates: readonly Part[]
  /** How many of them have the resource by their lists. */
  readonly knownUntil: number
}

function candidatesFor(parts: readonly Part[], lists: CompositeLists, uri: string): Candidates {
  const owner = lists.table('resources/list').get(uri)?.owner
  const matching = new Set(owner === undefined ? [] : [owner])
  for (const [text, { owner: part }] of lists.table('resources/templates/list').entries()) {
    if (!matching.has(part) && templateOf(text)?.match(uri) !== undefined) matching.add(part)
  }
  const inOrder = parts.filter((part) => matching.has(part) && part !== owner)
  const rest = parts.filter((part) => !matching.has(part))
  return { candidates: [...(owner === undefined ? [] : [owner]), ...inOrder, ...rest], knownUntil: matching.size }
}

const MAX_TEMPLATES = 1_024
const templates = new Map<string, UriTemplate | undefined>()

/** `undefined` for what a source lists as a template and is none. */
function templateOf(text: string): UriTemplate | undefined {
  if (templates.has(text)) return templates.get(text)
  if (templates.size >= MAX_TEMPLATES) templates.clear()
  let template: UriTemplate | undefined
  try {
    template = parseUriTemplate(text)
  } catch {
    template = undefined
  }
  templates.set(text, template)
  return template
}

/**
 * Whether the caller may hear of a resource. Its owner decides; where nobody is known to own it, every source must agree, since one
 * that does not have the resource agrees too.
 */
export async function watchAll(
  parts: readonly Part[],
  lists: CompositeLists,
  request: ServerRequestContext,
  method: string,
  params: JSONObject,
): Promise<JSONObject> {
  const uri = params['uri'] as string
  const owner = lists.table('resources/list').get(uri)?.owner
  for (const part of owner === undefined ? parts : [owner]) {
    const own = part.ownUri(uri)
    if (own === undefined) continue
    if (!part.isOpen(request)) {
      if (owner !== undefined) throw unknownResource(uri, request.protocolVersion)
      continue
    }
    try {
      await part.source.handle(request, method, own === uri ? params : { ...params, uri: own })
    } catch (error) {
      if (!isMethodMissing(error)) throw isMissing(error) ? unknownResource(uri, request.protocolVersion) : error
    }
  }
  return {}
}

/** All that tell of changes from elsewhere, at the same time. `undefined` where none does. */
export function holdAll(parts: readonly Part[], request: ServerRequestContext): MaybePromise<(() => void) | undefined> {
  const held = parts.flatMap((part) => (part.isOpen(request) ? (part.source.hold?.(request) ?? []) : []))
  if (held.length === 0) return undefined
  return Promise.allSettled(held).then((all) => () => {
    for (const one of all) if (one.status === 'fulfilled') one.value?.()
  })
}

/** `completion/complete` of the prompt's or template's owner, with the name that it knows. */
export function completeElsewhere(
  parts: readonly Part[],
  lists: CompositeLists,
  request: ServerRequestContext,
  method: string,
  params: JSONObject,
): MaybePromise<JSONObject> {
  const ref = params['ref']
  if (!isPlainObject(ref)) throw unknownReference()
  const isPrompt = ref['type'] === 'ref/prompt'
  const key = (isPrompt ? ref['name'] : ref['uri']) as string
  const owned = lists.resolve(isPrompt ? 'prompts/list' : 'resources/templates/list', key, request)
  return whenDone(owned, (found) => {
    if (found === undefined) return isPrompt ? failReference() : completeAnywhere(parts, request, method, params, key)
    const { owner: part, own } = found
    if (!part.isOpen(request)) throw unknownReference()
    const given = { ...params, ref: isPrompt ? { ...ref, name: own } : { ...ref, uri: own } }
    return part.source.handle(request, method, given)
  })
}

/** The uri may be that of a resource, or of a template that is not listed. */
async function completeAnywhere(
  parts: readonly Part[],
  request: ServerRequestContext,
  method: string,
  params: JSONObject,
  uri: string,
): Promise<JSONObject> {
  for (const part of parts) {
    const own = part.ownUri(uri)
    if (own === undefined || !part.isOpen(request)) continue
    try {
      return await part.source.handle(request, method, { ...params, ref: { ...(params['ref'] as object), uri: own } })
    } catch (error) {
      if (!isMissing(error) && !isMethodMissing(error)) throw error
    }
  }
  throw unknownReference()
}

function failReference(): never {
  throw unknownReference()
}

function unknownReference(): MCPError {
  return new MCPError(ErrorCode.InvalidParams, 'Unknown prompt or resource template')
}

/** The source whose extensions or capabilities name the prefix of the method; else the one that `route` names. */
export async function handleVendor(
  parts: readonly Part[],
  route: ((method: string, params: JSONObject, request: ServerRequestContext) => string | undefined) | undefined,
  request: ServerRequestContext,
  method: string,
  params: JSONObject,
): Promise<JSONObject> {
  const open = parts.filter((part) => part.isOpen(request))
  for (const part of open) {
    const description = await Promise.resolve(part.source.describe(request)).catch(() => ({}))
    if (declares(description, method)) return part.source.handle(request, method, params)
  }
  const chosen = route?.(method, params, request)
  const part = open.find(({ name }) => name === chosen)
  if (part === undefined) throw methodNotFound(method)
  return part.source.handle(request, method, params)
}

/** `acme/search` belongs to a capability `acme` and to the extensions `acme`, `com.example/acme` and `acme/search`. */
function declares({ capabilities = {}, extensions }: SourceDescription, method: string): boolean {
  const prefix = method.split('/', 1)[0] as string
  const { extensions: declared, experimental, ...others } = capabilities as JSONObject
  const features = { ...others, ...(isPlainObject(experimental) && experimental) }
  if (Object.hasOwn(features, prefix)) return true
  const ids = Object.keys({ ...(isPlainObject(declared) && declared), ...extensions })
  return ids.some((id) => id === prefix || id.endsWith(`/${prefix}`) || method === id || method.startsWith(`${id}/`))
}
