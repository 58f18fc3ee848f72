// Classes that recognise each other across two copies of this package in one program.

/**
 * Gives a class its `name` and an `instanceof` that goes by a registered symbol instead of by identity.
 * Classes that a user derives keep the ordinary `instanceof`.
 */
export function brand(kind: { prototype: object }, name: string): void {
  const mark = Symbol.for(`mcpwire.${name}`)
  Object.defineProperty(kind.prototype, mark, { value: true })
  Object.defineProperty(kind.prototype, 'name', { value: name, writable: true, configurable: true })
  Object.defineProperty(kind, Symbol.hasInstance, {
    value(this: unknown, value: unknown): boolean {
      if (this !== kind) return Function.prototype[Symbol.hasInstance].call(this as () => void, value)
      return hasMark(value, mark)
    },
  })
}

function hasMark(value: unknown, mark: symbol): boolean {
  if (typeof value !== 'object' || value === null) return false
  try {
    return mark in value
  } catch {
    // A revoked proxy answers no question at all, and handlers may throw anything.
    return false
  }
}
