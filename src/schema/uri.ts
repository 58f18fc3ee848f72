// URI references of schemas: names to look up, never addresses to fetch.

export interface Reference {
  /** What stands before `#`; empty for the same resource. */
  readonly location: string
  /** What stands after `#`, still percent-encoded; empty for the whole resource. */
  readonly fragment: string
}

export function splitReference(reference: string): Reference {
  const hash = reference.indexOf('#')
  if (hash === -1) return { location: reference, fragment: '' }
  return { location: reference.slice(0, hash), fragment: reference.slice(hash + 1) }
}

/** An absolute URI without fragment, in one spelling; `undefined` where there is none. */
export function resolveUri(location: string, base?: string): string | undefined {
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
