// What a schema and a validation may cost. Schemas and values may both come from an attacker.

/** Limits on a schema: its size, its depth, its patterns. */
export interface SchemaLimits {
  /** Maximum size of the schema as JSON text, roughly, in bytes (default: 256 KiB). */
  maxSchemaBytes: number
  /** How deep schemas may stand in schemas: each `properties/name`, `items`, `allOf/0` is one level (default: 32). */
  maxSchemaDepth: number
  /** Maximum number of schemas within the schema (default: 2,000). */
  maxSubschemas: number
  /** Maximum steps for reading one schema, its patterns included (default: 10,000,000). A step takes ten nanoseconds or less. */
  maxCompilationSteps: number
  /** How deep an evaluation may go: nested values, and references and `allOf`s followed on the same value (default: 512). */
  maxEvaluationDepth: number
  /** Maximum steps for one validation and its messages (default: 10,000,000). The same value always takes the same steps. */
  maxValidationSteps: number
  /** How many issues a failed validation lists (default: 20). */
  maxIssues: number
}

/** The limits that hold where `limits` does not set them. */
export const DEFAULT_SCHEMA_LIMITS: Readonly<SchemaLimits> = {
  maxSchemaBytes: 256 * 1024,
  maxSchemaDepth: 32,
  maxSubschemas: 2_000,
  maxCompilationSteps: 10_000_000,
  maxEvaluationDepth: 512,
  maxValidationSteps: 10_000_000,
  maxIssues: 20,
}

/** The defaults, with what the caller changed. A limit that is no positive number is a mistake of the caller. */
export function resolveLimits(limits: Partial<SchemaLimits> = {}): SchemaLimits {
  const resolved: SchemaLimits = { ...DEFAULT_SCHEMA_LIMITS }
  for (const name of Object.keys(resolved) as (keyof SchemaLimits)[]) {
    const max = limits[name]
    if (max === undefined) continue
    if (!(max > 0)) throw new RangeError(`The schema limit '${name}' must be a positive number`)
    resolved[name] = max
  }
  return resolved
}
