// The one error of a schema that cannot be used, whatever the reason.
import { brand } from '../../types/errors/brand.ts'

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
