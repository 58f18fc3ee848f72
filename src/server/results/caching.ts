// How long, and for whom, results can be cached: the author's hints per method, and the defaults.

import { rangeError, typeError } from '../../primitives/help.ts'
import { isPlainObject } from '../../primitives/json/objects.ts'
import { checkKeys, type KnownKeys } from '../../primitives/options.ts'
import type { CacheScope } from '../../types/protocol/base.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import type { ProtocolVersion } from '../../types/protocol/versions.ts'
import { requestFacts, requestsWith } from '../../wire/method-rows.ts'
import type { CacheableMethod } from '../../wire/methods.ts'
import { stampsResults } from '../../wire/revision-facts.ts'

/** How long clients may keep a result, and whether it may serve other users. */
export interface CacheHint {
  /** How long a result stays fresh, in whole milliseconds. 0 means not at all. */
  readonly ttlMs: number
  /**
   * Default: `private`, since a result may depend on the caller. This is no access control. Where `visible`, `scopes` or a transform
   * decides by caller, results are `private` in any case.
   */
  readonly scope?: CacheScope | undefined
}

export const CACHE_HINT_KEYS: KnownKeys<CacheHint> = {
  ttlMs: true,
  scope: true,
}

/** By method: how long clients may keep results (default: not at all). */
export type CacheHints = { readonly [Method in CacheableMethod]?: CacheHint }

const SCOPES: ReadonlySet<unknown> = new Set<CacheScope>(['public', 'private'])
const STALE: CacheHint = Object.freeze({ ttlMs: 0 })

/** A copy of the hints. Throws `TypeError` for what is no hint, `RangeError` for one that cannot be. */
export function checkCacheHints(hints: CacheHints): CacheHints {
  if (!isPlainObject(hints)) throw typeError('wrong-option', 'cacheHints must be an object of hints by method')
  const entries = Object.entries(hints).filter(([, hint]) => hint !== undefined)
  return Object.freeze(Object.fromEntries(entries.map(([method, hint]) => [method, checkHintOf(method, hint)])))
}

function checkHintOf(method: string, hint: unknown): CacheHint {
  const place = `cacheHints['${method}']`
  if (requestFacts(method)?.cacheable !== true) {
    const cacheable = requestsWith('cacheable').join(', ')
    throw rangeError('wrong-option', `${place}: results of this method are not cached; those of ${cacheable} are`)
  }
  return checkCacheHint(place, hint)
}

/** A copy of a hint. `place` is where it was given, for messages. */
export function checkCacheHint(place: string, hint: unknown): CacheHint {
  if (!isPlainObject(hint))
    throw typeError('wrong-option', `${place} must be an object with ttlMs and, optionally, scope`)
  checkKeys<Partial<CacheHint>>(place, hint, CACHE_HINT_KEYS)
  const { ttlMs, scope = 'private' } = hint
  if (typeof ttlMs !== 'number') throw typeError('wrong-option', `${place}.ttlMs must be a number of milliseconds`)
  if (!Number.isSafeInteger(ttlMs) || ttlMs < 0)
    throw rangeError('wrong-option', `${place}.ttlMs must be a whole number from 0 on`)
  if (!SCOPES.has(scope)) throw rangeError('wrong-option', `${place}.scope must be 'public' or 'private'`)
  return Object.freeze({ ttlMs, scope: scope as CacheScope })
}

/**
 * The result with the two caching fields, where the method has them: the handler's own, else the hint's, else stale at once
 * and private. Only a finished result gets them.
 */
export function fillCacheHints(method: string, result: JSONObject, hints: CacheHints): JSONObject {
  if (requestFacts(method)?.cacheable !== true) return result
  // Spec, Caching: a result that asks for input has no hints; that of an extension is the extension's to shape.
  const { resultType, ttlMs, cacheScope } = result
  if (resultType !== undefined && resultType !== 'complete') return result
  if (isWholeTime(ttlMs) && cacheScope !== undefined) return result
  const hint = hints[method as CacheableMethod] ?? STALE
  return { ...result, ttlMs: toWholeTime(ttlMs ?? hint.ttlMs), cacheScope: cacheScope ?? hint.scope ?? 'private' }
}

/** The result for this caller alone, since who may see what decides what is in it: no hint of an author makes that public. */
export function forCallerAlone<Result extends object>(result: Result, version: ProtocolVersion): Result {
  if (!stampsResults(version)) return result
  const { resultType, cacheScope } = result as JSONObject
  if (cacheScope === 'private' || (resultType !== undefined && resultType !== 'complete')) return result
  return { ...result, cacheScope: 'private' }
}

function isWholeTime(ttlMs: unknown): boolean {
  return Number.isSafeInteger(ttlMs) && (ttlMs as number) >= 0
}

/** Spec, Caching: a whole number from 0 on. A handler that calculates with clocks may return a fraction or less than 0. */
function toWholeTime(ttlMs: unknown): unknown {
  if (typeof ttlMs !== 'number' || isWholeTime(ttlMs)) return ttlMs
  return ttlMs > 0 ? Math.min(Math.floor(ttlMs), Number.MAX_SAFE_INTEGER) : 0
}
