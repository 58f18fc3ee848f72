// The patience of a caller: how long it waits for a call, which goes to the server in `_meta`. A duration, because clocks differ.
import { isPlainObject } from '../../primitives/json/objects.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import { PATIENCE_IS_TOTAL_META_KEY, PATIENCE_META_KEY } from '../../types/protocol/meta.ts'

/** As a whole number of milliseconds, 1 at least; `undefined` for a caller that waits without end. */
export function toPatience(ms: number): number | undefined {
  return Number.isFinite(ms) ? Math.max(1, Math.floor(ms)) : undefined
}

/** Creates the `_meta` of calls without one of their own. */
export type PatientMeta = (patienceMs: number) => JSONObject

/** `base` are the other members. Most calls wait as long as the one before, and share its object. */
export function createPatientMeta(base: JSONObject): PatientMeta {
  let last: JSONObject = {}
  let lastMs: number | undefined
  return (patienceMs) => {
    if (patienceMs === lastMs) return last
    lastMs = patienceMs
    last = Object.freeze({ [PATIENCE_META_KEY]: patienceMs, ...base })
    return last
  }
}

/** The params with the patience in their `_meta`. One that the caller wrote there itself stays. */
export function withPatience(
  params: JSONObject | undefined,
  patienceMs: number | undefined,
  plain?: PatientMeta,
): JSONObject | undefined {
  if (patienceMs === undefined) return params
  const meta = params?.['_meta']
  if (meta === undefined && plain !== undefined) return { _meta: plain(patienceMs), ...params }
  if (!isPlainObject(meta) || Object.hasOwn(meta, PATIENCE_META_KEY)) return params
  return { ...params, _meta: { [PATIENCE_META_KEY]: patienceMs, ...meta } }
}

/** As `withPatience`, for a time that progress does not prolong. */
export function withTotalPatience(params: JSONObject | undefined, maxTotalMs: number): JSONObject | undefined {
  const meta = params?.['_meta']
  const patience = totalPatience(maxTotalMs)
  if (patience === undefined || (isPlainObject(meta) && Object.hasOwn(meta, PATIENCE_META_KEY))) return params
  return { ...params, _meta: { ...patience, ...(isPlainObject(meta) && meta) } }
}

/** The members of the `_meta` of a call that has so much time in all. */
export function totalPatience(maxTotalMs: number): JSONObject | undefined {
  const patienceMs = toPatience(maxTotalMs)
  return patienceMs === undefined ? undefined : { [PATIENCE_META_KEY]: patienceMs, [PATIENCE_IS_TOTAL_META_KEY]: true }
}
