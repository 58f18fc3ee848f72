// What is wrong with an OpenAPI document, and where.
import { brand } from '../../types/errors/errors.ts'

/**
 * An OpenAPI document that cannot be used: unreadable, of another version, over a limit, or with a server that may not be called.
 * With `strict`, also an operation that no tool can be made of.
 *
 * @example
 * ```ts
 * import { OpenAPIError, openAPIServer } from 'mcpwire/openapi'
 * const failed = await openAPIServer('./petstore.yaml').catch((error: unknown) => error)
 * if (failed instanceof OpenAPIError) console.error(failed.pointer, failed.message)
 * ```
 */
export class OpenAPIError extends Error {
  /** The page about this error in the package. */
  declare readonly help?: string
  /** The place in the document as a JSON pointer, such as `#/paths/~1pets/get`; `#` for the document as a whole. */
  readonly pointer: string

  static {
    brand(this, 'OpenAPIError', 'bad-openapi')
  }

  constructor(message: string, pointer = '#', options?: { cause?: unknown }) {
    super(message, options)
    this.pointer = pointer
  }
}
