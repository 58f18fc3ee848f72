// Adapters for other validators. The types are structural, so that neither library is a dependency.

import { isPlainObject } from '../primitives/json/objects.ts'
import type { SchemaEngine } from './engine.ts'
import type { SchemaValidator } from './json-schema.ts'
import { createIssue, DEFAULT_SCHEMA_LIMITS, type Issue, type JSONSchema, SchemaError } from './json-schema.ts'

/** An error as Ajv and TypeBox both report it. */
export interface EngineIssue {
  /** Where in the value, as a JSON Pointer. */
  readonly instancePath: string
  /** Where in the schema, as a JSON Pointer. */
  readonly schemaPath: string
  /** The keyword that failed, such as `required`. */
  readonly keyword: string
  /** What is wrong, for people. */
  readonly message?: string | undefined
  /** Details that depend on the keyword. */
  readonly params?: unknown
}

/** What is used of an Ajv instance. */
export interface AjvLike {
  /** Turns a JSON Schema into a function that validates. */
  compile(schema: JSONSchema): AjvValidate
  /** Forgets a schema, so that its memory is freed. */
  removeSchema?(schema: JSONSchema): unknown
}

/** A compiled schema of Ajv: returns whether a value fits. */
export interface AjvValidate {
  (value: unknown): unknown
  /** Why the last value did not fit. `null` if it did. */
  errors?: readonly EngineIssue[] | null | undefined
}

/** What is used of a validator that TypeBox's `Compile` returns. */
export interface TypeBoxValidator {
  /** Returns whether a value fits. */
  Check(value: unknown): boolean
  /** Yields why a value does not fit. */
  Errors(value: unknown): Iterable<EngineIssue>
}

/** Validates with Ajv: `ajvEngine(new Ajv2020())`. Ajv generates code, and has none of our limits. */
export function ajvEngine(ajv: AjvLike): SchemaEngine {
  return {
    compile(schema) {
      const validate = compileWith('Ajv', () => ajv.compile(schema))
      // Ajv keeps every schema that it has seen; over time that would be a leak.
      ajv.removeSchema?.(schema)
      return createValidator((value) => {
        const outcome = validate(value)
        if (typeof outcome === 'boolean') return outcome ? undefined : (validate.errors ?? [])
        throw new SchemaError('schemas with "$async" are not supported', '#/$async')
      })
    },
  }
}

/** Validates with TypeBox: `typeboxEngine(Compile)`, `Compile` being that of `typebox/compile`. */
export function typeboxEngine(compile: (schema: never) => TypeBoxValidator): SchemaEngine {
  return {
    compile(schema) {
      const validator = compileWith('TypeBox', () => compile(schema as never))
      return createValidator((value) => (validator.Check(value) ? undefined : validator.Errors(value)))
    },
  }
}

function compileWith<Compiled>(engine: string, compile: () => Compiled): Compiled {
  try {
    return compile()
  } catch (cause) {
    throw new SchemaError(`${engine} cannot use this schema`, '#', { cause })
  }
}

type FindErrors = (value: unknown) => Iterable<EngineIssue> | undefined

function createValidator(findErrors: FindErrors): SchemaValidator {
  return {
    check: (value) => findErrors(value) === undefined,
    validate(value) {
      const errors = findErrors(value)
      return errors === undefined ? [] : toIssues(errors, value)
    },
  }
}

function toIssues(errors: Iterable<EngineIssue>, value: unknown): Issue[] {
  const issues: Issue[] = []
  for (const error of errors) {
    if (issues.length >= DEFAULT_SCHEMA_LIMITS.maxIssues) break
    issues.push(createIssue(error.message ?? `does not fit "${error.keyword}"`, pathIn(value, error), error))
  }
  return issues
}

/** Pointers do not distinguish array indexes from property names; the value does. */
function pathIn(value: unknown, { instancePath }: EngineIssue): (string | number)[] {
  const path: (string | number)[] = []
  let current = value
  for (const segment of instancePath.split('/').slice(1)) {
    const key = segment.replaceAll('~1', '/').replaceAll('~0', '~')
    path.push(Array.isArray(current) ? Number(key) : key)
    if (Array.isArray(current)) current = current[Number(key)]
    else current = isPlainObject(current) && Object.hasOwn(current, key) ? current[key] : undefined
  }
  return path
}
