// Our engine, loaded with the first value that is validated: most programs bring the schemas of a library.
import type { MaybePromise } from '../primitives/async/promises.ts'
import type { SchemaEngine } from './engine.ts'
import type { CompileOptions, JSONSchema, SchemaValidator } from './json-schema.ts'

/** A `SchemaEngine` that may have to be loaded first. */
export interface LateEngine {
  /** At once where the engine is loaded. Throws or rejects for a schema that cannot be used. */
  compile(schema: JSONSchema): MaybePromise<SchemaValidator>
}

export function createLateEngine(options?: CompileOptions): LateEngine {
  let engine: SchemaEngine | undefined
  const load = async () => {
    const { createSchemaEngine } = await import('./engine.ts')
    engine ??= createSchemaEngine(options)
    return engine
  }
  return {
    compile: (schema) => engine?.compile(schema) ?? load().then((loaded) => loaded.compile(schema)),
  }
}
