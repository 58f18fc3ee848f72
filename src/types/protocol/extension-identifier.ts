// What extensions of the protocol may be called, on either side.
import { isValidMetaKey } from './meta.ts'

/** Whether this can name an extension: a prefix of dot-separated labels, a slash and a name. */
export function isExtensionIdentifier(identifier: unknown): identifier is string {
  if (typeof identifier !== 'string') return false
  const slash = identifier.indexOf('/')
  return slash > 0 && slash < identifier.length - 1 && isValidMetaKey(identifier)
}

export function assertExtensionIdentifier(identifier: unknown): asserts identifier is string {
  if (isExtensionIdentifier(identifier)) return
  throw new TypeError(
    `${JSON.stringify(identifier)} is no extension identifier; write a prefix and a name, as in 'com.example/search'`,
  )
}
