// URI references of schemas: names to look up, never addresses to fetch.
import { type Meter, UNMETERED } from './steps.ts'

export interface Reference {
  /** What stands before `#`; empty for the same resource. */
  readonly location: string
  /** What stands after `#`, still percent-encoded; empty for the whole resource. */
  readonly fragment: string
}

/** Names of schemas are short; one of this length already is no name. */
const MAX_URI_LENGTH = 8_000
const URI_STEPS = 200
const STEPS_PER_CHARACTER = 4

export function splitReference(reference: string): Reference {
  const hash = reference.indexOf('#')
  if (hash === -1) return { location: reference, fragment: '' }
  return { location: reference.slice(0, hash), fragment: reference.slice(hash + 1) }
}

/** An absolute URI without fragment, in one spelling; `undefined` where there is none. */
export function resolveUri(location: string, base?: string, meter: Meter = UNMETERED): string | undefined {
  const length = location.length + (base?.length ?? 0)
  if (length > MAX_URI_LENGTH) return undefined
  meter.spend(URI_STEPS + length * STEPS_PER_CHARACTER)
  try {
    return splitReference(new URL(location, base).href).location
  } catch {
    return undefined
  }
}

export function decodeFragment(fragment: string): string | undefined {
  try {
    return decodeURIComponent(fragment)
  } catch {
    return undefined
  }
}
