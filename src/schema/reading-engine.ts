// Our engine for what is registered: a schema is read at once, and the engine is loaded with the first value.
import { outlineOf } from '../../packages/json-schema/src/outline.ts'
import { isThenable, type MaybePromise } from '../primitives/async/promises.ts'
import type { CompileOptions, Issue, JSONSchema, SchemaValidator } from './json-schema.ts'
import { createLateEngine, type LateEngine, type TellsFit } from './late-engine.ts'

/** What a `SchemaEngine` makes, and one that is loaded with the first value. */
export interface LateValidator {
  /** Why the value does not fit; no issue means that it does. */
  validate(value: unknown): MaybePromise<readonly Issue[]>
  /** Rejects with the `SchemaError` of a schema that only the loaded engine can judge. */
  readonly settling?: Promise<unknown> | undefined
}

/** An engine whose schemas are read at once and compiled for their first value. */
export interface ReadingEngine {
  /** Throws for a schema that cannot be used. */
  compile(schema: JSONSchema): LateValidator
}

/** What is wrong with a schema is thrown by `compile`, except that whether a pattern is safe takes the engine: see `settling`. */
export function createReadingEngine(options?: Pick<CompileOptions, 'formats'>, tellsFit?: TellsFit): ReadingEngine {
  const engine = createLateEngine(options, tellsFit)
  const known = new WeakMap<object, LateValidator>()
  return {
    compile(schema) {
      const before = typeof schema === 'object' ? known.get(schema) : undefined
      if (before !== undefined) return before
      const { copy, isSettled } = outlineOf(schema)
      const validator = new FirstUse(engine, copy)
      if (!isSettled) validator.settle()
      if (typeof schema === 'object') known.set(schema, validator)
      return validator
    },
  }
}

const NO_ISSUES: readonly Issue[] = Object.freeze([])

class FirstUse implements LateValidator {
  readonly #engine: LateEngine
  readonly #schema: JSONSchema
  settling: Promise<unknown> | undefined
  #loading: Promise<SchemaValidator> | undefined
  #ready: SchemaValidator | undefined

  constructor(engine: LateEngine, schema: JSONSchema) {
    this.#engine = engine
    this.#schema = schema
  }

  validate(value: unknown): MaybePromise<readonly Issue[]> {
    if (this.#engine.tellsFit?.(this.#schema, value)) return NO_ISSUES
    const loading = this.#prepare()
    return loading === undefined ? this.#validateNow(value) : loading.then(() => this.#validateNow(value))
  }

  /** Throws, or sets `settling`, for a schema that cannot be used. */
  settle(): void {
    this.settling = this.#prepare()
    this.settling?.catch(() => {})
  }

  /** `undefined` once it can validate at once. */
  #prepare(): Promise<unknown> | undefined {
    if (this.#ready !== undefined) return undefined
    if (this.#loading === undefined) {
      const compiled = this.#engine.compile(this.#schema)
      if (!isThenable(compiled)) {
        this.#ready = compiled
        return undefined
      }
      this.#loading = this.#finish(compiled)
    }
    return this.#loading
  }

  #validateNow(value: unknown): readonly Issue[] {
    return (this.#ready as SchemaValidator).validate(value)
  }

  async #finish(compiling: PromiseLike<SchemaValidator>): Promise<SchemaValidator> {
    try {
      this.#ready = await compiling
      return this.#ready
    } finally {
      this.#loading = undefined
    }
  }
}
