// The name of a server stands first. Other SDKs take an object there, which would be listed as the name.
import { isPlainObject } from '../primitives/json/objects.ts'
import { quote } from '../schema/json-schema.ts'

/** Throws a `TypeError` that shows how the constructor is called with what it was given. */
export function checkServerName(className: 'MCPServer' | 'Server', name: unknown): void {
  if (typeof name === 'string' && name !== '') return
  if (name === '') throw new RangeError(`The name of a server cannot be empty: write new ${className}('calculator')`)
  const wrong = `The first argument of ${className} is the name of the server, a string, not ${kindOf(name)}`
  throw new TypeError(`${wrong}: write new ${className}(${showArguments(name)})`)
}

function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value)
  if (Array.isArray(value)) return 'a list'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}

function showArguments(given: unknown): string {
  const { name, version } = isPlainObject(given) ? given : {}
  if (typeof name !== 'string') return "'calculator'"
  return typeof version === 'string' ? `${quote(name)}, { version: ${quote(version)} }` : quote(name)
}
