// The two errors of this package. `instanceof` goes by a registered symbol, so that it holds across two copies of the package in
// one program, and a `LimitError` of mcpwire recognises the one that is thrown here.

/** The schema itself is at fault: invalid, of an unknown dialect, or with a reference that leads nowhere. */
export class SchemaError extends Error {
  /** Where in the schema, as in `#/properties/age/minimum`. */
  readonly schemaPath: string
  /** What is wrong there, without the place. */
  readonly reason: string

  static {
    brand(this, 'SchemaError')
  }

  constructor(reason: string, schemaPath = '#', options?: { cause?: unknown }) {
    super(`Unusable JSON Schema at ${schemaPath}: ${reason}`, options)
    this.reason = reason
    this.schemaPath = schemaPath
  }
}

/** A schema or a value exceeds a limit. Names the limit and its value, never what exceeded it. */
export class LimitError extends Error {
  readonly limit: string
  readonly max: number

  static {
    brand(this, 'LimitError')
  }

  constructor(limit: string, max: number) {
    super(`Limit reached: ${limit} is at most ${max}`)
    this.limit = limit
    this.max = max
  }
}

/** Gives a class its `name` and an `instanceof` that goes by a registered symbol. Derived classes keep the ordinary one. */
function brand(kind: { prototype: object }, name: string): void {
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
    // A revoked proxy throws, whatever it is asked.
    return false
  }
}
