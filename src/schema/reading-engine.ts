// Our engine for what is registered: a schema is read at once, and the engine is loaded with the first value.
import { outlineOf } from '../../packages/json-schema/src/outline.ts'
import { isThenable, type MaybePromise } from '../primitives/async/promises.ts'
import type { CompileOptions, Issue, JSONSchema, SchemaValidator } from './json-schema.ts'
import { createLateEngine } from './late-engine.ts'

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
export function createReadingEngine(options?: Pick<CompileOptions, 'formats'>): ReadingEngine {
  const engine = createLateEngine(options)
  const known = new WeakMap<object, LateValidator>()
  return {
    compile(schema) {
      const before = typeof schema === 'object' ? known.get(schema) : undefined
      if (before !== undefined) return before
      const { copy, isSettled } = outlineOf(schema)
      const validator = new FirstUse(() => engine.compile(copy))
      if (!isSettled) validator.settle()
      if (typeof schema === 'object') known.set(schema, validator)
      return validator
    },
  }
}

class FirstUse implements LateValidator {
  readonly #compile: () => MaybePromise<SchemaValidator>
  settling: Promise<unknown> | undefined
  #loading: Promise<SchemaValidator> | undefined
  #ready: SchemaValidator | undefined

  constructor(compile: () => MaybePromise<SchemaValidator>) {
    this.#compile = compile
  }

  validate(value: unknown): MaybePromise<readonly Issue[]> {
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
      const compiled = this.#compile()
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
