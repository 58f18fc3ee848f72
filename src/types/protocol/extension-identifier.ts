// What extensions of the protocol may be called, on either side.
import { typeError } from '../../primitives/help.ts'
import { describeKind } from '../../primitives/options.ts'
import { isValidMetaKey } from './meta.ts'

/** Whether this can name an extension: a prefix of dot-separated labels, a slash and a name. */
export function isExtensionIdentifier(identifier: unknown): identifier is string {
  if (typeof identifier !== 'string') return false
  const slash = identifier.indexOf('/')
  return slash > 0 && slash < identifier.length - 1 && isValidMetaKey(identifier)
}

/** Throws `TypeError` for an entry of `extensions` that is none, such as `tasks` in place of `tasks()`. */
export function assertExtensionObject(entry: unknown, index: number): void {
  if (typeof entry === 'object' && entry !== null) return
  const place = `extensions[${index}]`
  if (typeof entry !== 'function') {
    throw typeError(
      'bad-extension',
      `${place} must be an extension, not ${describeKind(entry)}. Write for example tasks().`,
    )
  }
  if (isExtensionIdentifier((entry as { identifier?: unknown }).identifier)) return
  const call = /^[\w$]{1,40}$/.test(entry.name) ? `: write ${entry.name}()` : ''
  throw typeError('bad-extension', `${place} is a function that creates an extension. Call it${call}.`)
}

export function assertExtensionIdentifier(identifier: unknown): asserts identifier is string {
  if (isExtensionIdentifier(identifier)) return
  throw typeError(
    'bad-extension',
    `${JSON.stringify(identifier)} is not an extension identifier; write a prefix and a name, as in 'com.example/search'`,
  )
}
