// The methods of the extension: `skills/list`, `skills/get` and `resources/directory/read`, as each caller may see them.
import { createHandlerContext } from '../../../mcpserver/handlers/context.ts'
import { checkAccess, hasScopes, isGuarded, isVisible } from '../../../mcpserver/lists/access.ts'
import { decodeBase64UrlText, encodeBase64UrlText } from '../../../primitives/base64.ts'
import { quote } from '../../../schema/json-schema.ts'
import type { ServerRequestContext } from '../../../server/context.ts'
import type { ExtensionRequest } from '../../../server/extensions/extension.ts'
import { type CacheHint, forCallerAlone } from '../../../server/results/caching.ts'
import { ErrorCode } from '../../../types/errors/error-codes.ts'
import { MCPError } from '../../../types/errors/errors.ts'
import { invalidParams } from '../../../types/errors/invalid-params.ts'
import type {
  GetSkillResult,
  ListSkillsResult,
  ReadDirectoryResult,
  SkillEntry,
} from '../../../types/extensions/skills.ts'
import type { Resource } from '../../../types/features/resources.ts'
import type { JSONObject } from '../../../types/protocol/json.ts'
import { stampsResults } from '../../../wire/revision-facts.ts'
import { ENTRY_FILE, uriOf } from '../format/skill-uri.ts'
import type { SkillRegistry } from './registry.ts'
import type { Served } from './served.ts'

export interface SkillMethodsOptions {
  readonly directoryRead: boolean
  readonly cache: CacheHint
}

/** All of them are open to clients that did not declare the extension: the specification asks nothing of clients. */
export function skillRequests(
  registryOf: () => SkillRegistry,
  { directoryRead, cache }: SkillMethodsOptions,
): Record<string, ExtensionRequest> {
  const list: ExtensionRequest = {
    isOpenToAll: true,
    handle: async (ctx, params) => withCache(ctx, cache, await listSkills(registryOf(), ctx, readCursor(ctx, params))),
  }
  const get: ExtensionRequest = {
    isOpenToAll: true,
    handle: async (ctx, params) => withCache(ctx, cache, await getSkill(registryOf(), ctx, readUri(ctx, params))),
  }
  const directory: ExtensionRequest = {
    isOpenToAll: true,
    handle: (ctx, params) => readDirectory(registryOf(), ctx, readUri(ctx, params), readCursor(ctx, params)),
  }
  return { 'skills/list': list, 'skills/get': get, ...(directoryRead && { 'resources/directory/read': directory }) }
}

async function listSkills(
  registry: SkillRegistry,
  request: ServerRequestContext,
  cursor: string | undefined,
): Promise<ListSkillsResult> {
  const { host, sorted } = registry
  const ctx = createHandlerContext(host, request)
  const visible = sorted.filter(
    ({ registration: { access, isListed } }) => isListed && hasScopes(access, request) && isVisible(access, ctx, host),
  )
  const { items, nextCursor } = pageAfter(visible, ({ skill }) => skill.uri, ['skills'], cursor, host.pageSize)
  const skills = await Promise.all(items.map(({ skill }) => skill.entry()))
  const page = { skills: skills as (SkillEntry & JSONObject)[], ...(nextCursor !== undefined && { nextCursor }) }
  const isPerCaller = sorted.some(({ registration: { access, isListed } }) => isListed && isGuarded(access))
  return isPerCaller ? forCallerAlone(page, request.protocolVersion) : page
}

async function getSkill(registry: SkillRegistry, request: ServerRequestContext, uri: string): Promise<GetSkillResult> {
  const found = registry.find(uri)
  if (found === undefined || checkAccess(found.registration, request, registry.host) === undefined) {
    const advice = uri.endsWith(`/${ENTRY_FILE}`) ? '' : `. The URI of a skill ends with /${ENTRY_FILE}.`
    throw new MCPError(ErrorCode.InvalidParams, `No skill is served at ${quote(uri)}${advice}`, { uri })
  }
  const result = { skill: (await found.skill.entry()) as SkillEntry & JSONObject }
  return isGuarded(found.registration.access) ? forCallerAlone(result, request.protocolVersion) : result
}

function readDirectory(
  registry: SkillRegistry,
  request: ServerRequestContext,
  uri: string,
  cursor: string | undefined,
): ReadDirectoryResult {
  const registration = checkAccess(registry.findAround(uri), request, registry.host)
  const children = registration === undefined ? [] : childrenOf(registration.served, uri)
  // A folder exists because there is something in it.
  if (children.length === 0) throw new MCPError(ErrorCode.InvalidParams, `${quote(uri)} is not a folder`, { uri })
  const { items, nextCursor } = pageAfter(
    children,
    (child) => child.uri,
    ['directory', uri],
    cursor,
    registry.host.pageSize,
  )
  return { resources: items as (Resource & JSONObject)[], ...(nextCursor !== undefined && { nextCursor }) }
}

/** What is directly in a folder, in the order of the URIs; nothing if it is not a folder. */
function childrenOf({ folder, files }: Served, uri: string): Resource[] {
  const children = new Map<string, Resource>()
  for (const { uri: file, path, listed } of files.values()) {
    if (!file.startsWith(`${uri}/`)) continue
    const depth = uri.slice(folder.length).split('/').length
    const segments = path.split('/').slice(0, depth)
    const child = uriOf(folder, segments.join('/'))
    const name = segments.at(-1) ?? ''
    children.set(child, child === file ? listed : { uri: child, name, mimeType: 'inode/directory' })
  }
  return [...children.values()].sort((a, b) => (a.uri < b.uri ? -1 : 1))
}

/** Only modern results have hints. What is for its caller alone stays so. */
function withCache<Result extends JSONObject>(
  { protocolVersion }: ServerRequestContext,
  { ttlMs, scope = 'private' }: CacheHint,
  result: Result,
): Result {
  return stampsResults(protocolVersion) ? { ttlMs, cacheScope: scope, ...result } : result
}

function readUri({ method }: ServerRequestContext, { uri }: JSONObject): string {
  if (typeof uri === 'string') return uri
  throw invalidParams(method, 'uri must be a string')
}

function readCursor({ method }: ServerRequestContext, { cursor }: JSONObject): string | undefined {
  if (cursor === undefined || typeof cursor === 'string') return cursor
  throw invalidParams(method, 'cursor must be a string')
}

interface Page<Item> {
  readonly items: readonly Item[]
  readonly nextCursor: string | undefined
}

/** The items are in the order of their keys, so that a cursor, which holds the last one, stays valid while the list changes. */
function pageAfter<Item>(
  all: readonly Item[],
  keyOf: (item: Item) => string,
  list: readonly string[],
  cursor: string | undefined,
  pageSize = all.length,
): Page<Item> {
  const last = cursor === undefined ? undefined : decodeCursor(list, cursor)
  const rest = last === undefined ? all : all.filter((item) => keyOf(item) > last)
  const items = rest.slice(0, pageSize)
  const end = items.at(-1)
  const hasMore = rest.length > items.length && end !== undefined
  return { items, nextCursor: hasMore ? encodeBase64UrlText(JSON.stringify([...list, keyOf(end)])) : undefined }
}

function decodeCursor(list: readonly string[], cursor: string): string {
  const parts = parseStrings(decodeBase64UrlText(cursor))
  const last = parts.at(-1)
  if (parts.length === list.length + 1 && last !== undefined && list.every((part, index) => part === parts[index])) {
    return last
  }
  throw new MCPError(ErrorCode.InvalidParams, 'Invalid cursor. List again from the start, without a cursor.')
}

function parseStrings(text: string | undefined): readonly string[] {
  try {
    const value: unknown = JSON.parse(text ?? '')
    return Array.isArray(value) && value.every((part) => typeof part === 'string') ? value : []
  } catch {
    return []
  }
}
