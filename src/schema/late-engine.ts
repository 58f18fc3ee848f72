// Our engine, loaded with the first value that needs it: most programs bring the schemas of a library, and most of the values that come
// with a plain JSON Schema fit, which takes a small part of the engine to tell.

import type { MaybePromise } from '../primitives/async/promises.ts'
import { loading } from '../primitives/loading.ts'
import type { SchemaEngine } from './engine.ts'
import type { CompileOptions, JSONSchema, SchemaValidator } from './json-schema.ts'

/** A `SchemaEngine` that may have to be loaded first. */
export interface LateEngine {
  /** At once where the engine is loaded. Throws or rejects for a schema that cannot be used. */
  compile(schema: JSONSchema): MaybePromise<SchemaValidator>
  /** Whether the value fits for sure, which needs no validator. The schema must not change any more. */
  tellsFit?(schema: JSONSchema, value: unknown): boolean
}

/** Whether the value fits for sure: see `fits.ts`. */
export type TellsFit = (schema: JSONSchema, value: unknown) => boolean

export function createLateEngine(options?: CompileOptions, tellsFit?: TellsFit): LateEngine {
  let engine: SchemaEngine | undefined
  const load = async () => {
    const { createSchemaEngine } = await loading(import('./engine.ts'))
    engine ??= createSchemaEngine(options)
    return engine
  }
  return {
    compile: (schema) => engine?.compile(schema) ?? load().then((loaded) => loaded.compile(schema)),
    ...(tellsFit !== undefined && { tellsFit }),
  }
}
