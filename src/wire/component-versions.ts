// Versions of components: how they compare, which ones a caller asks for, and which ones transforms leave.
import { isPlainObject } from '../primitives/json/objects.ts'
import type { JSONObject } from '../types/protocol/json.ts'

/** The member of `_meta` with the version of a listed tool; in a call, the version that is wanted. */
export const VERSION_META_KEY = 'mcpwire/version'

const VERSION = /^v?[0-9][A-Za-z0-9.+-]{0,62}$/

/** Which versions a transform leaves. */
export interface VersionRange {
  /** The same text for the same range. */
  readonly key: string
  readonly includes: (version: string) => boolean
}

/** Whether all ranges have the version; false for what is no version. */
export function isInRanges(version: unknown, ranges: readonly VersionRange[]): boolean {
  return isComponentVersion(version) && ranges.every((range) => range.includes(version))
}

/** `1`, `2.1`, `v3`, `1.0.0-rc.1` and `2026-07-28`, but no text without a number in front. */
export function isComponentVersion(value: unknown): value is string {
  return typeof value === 'string' && VERSION.test(value)
}

/**
 * By their parts: numbers as numbers, texts before numbers, so that `1.0-rc.1` comes before `1.0`. A missing part is a zero: `2` and
 * `2.0` are the same version. What comes after `+` does not count.
 */
export function compareVersions(a: string, b: string): number {
  const [one, other] = [partsOf(a), partsOf(b)]
  for (let at = 0; at < Math.max(one.length, other.length); at += 1) {
    const [left, right] = [one[at] ?? ZERO, other[at] ?? ZERO]
    if (left !== right) return left < right ? -1 : 1
  }
  return 0
}

/** The same text for versions that are the same. */
export function versionKey(version: string): string {
  const parts = partsOf(version)
  while (parts.length > 1 && parts.at(-1) === ZERO) parts.pop()
  return parts.join('.')
}

const DIGITS = 64
const ZERO = numberPart('0')

function partsOf(version: string): string[] {
  const [counted = ''] = version.replace(/^v/, '').split('+')
  const parts = counted.toLowerCase().match(/[0-9]+|[a-z]+/g) ?? []
  return parts.map((part) => (/^[0-9]/.test(part) ? numberPart(part) : `0${part}`))
}

/** Digits of one length compare as texts, however many there are. */
function numberPart(digits: string): string {
  return `1${digits.padStart(DIGITS, '0')}`
}

/** The version of a component as it is listed, whatever that is; `undefined` for one without. */
export function listedVersion(component: object): unknown {
  const { _meta: meta } = component as { _meta?: unknown }
  return isPlainObject(meta) ? meta[VERSION_META_KEY] : undefined
}

/** What the caller of a tool names as its version, whatever it is. */
export function wantedVersion(params: JSONObject | undefined): unknown {
  const meta = params?.['_meta']
  return isPlainObject(meta) ? meta[VERSION_META_KEY] : undefined
}
