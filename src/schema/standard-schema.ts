// Standard Schema v1 and Standard JSON Schema v1 (standardschema.dev) as types: schema libraries implement them,
// and no package has to depend on another.

/** What every standard schema declares. */
export interface StandardProperties<Input = unknown, Output = Input> {
  /** The version of the Standard Schema interface. */
  readonly version: 1
  /** The name of the library, such as `zod`. */
  readonly vendor: string
  /** For the type system only; there is no such value. */
  readonly types?: StandardTypes<Input, Output> | undefined
}

/** For the compiler only: what a schema accepts and returns. */
export interface StandardTypes<Input = unknown, Output = Input> {
  /** The type that the schema accepts. */
  readonly input: Input
  /** The type that the schema returns. */
  readonly output: Output
}

/** A schema that validates. */
export interface StandardSchema<Input = unknown, Output = Input> {
  /** What the library offers under the Standard Schema interface. */
  readonly '~standard': StandardProperties<Input, Output> & {
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>
  }
}

/** A schema that describes itself as JSON Schema. */
export interface StandardJSONSchema<Input = unknown, Output = Input> {
  /** What the library offers under the Standard JSON Schema interface. */
  readonly '~standard': StandardProperties<Input, Output> & { readonly jsonSchema: StandardJSONSchemaConverter }
}

/** Turns a schema of a library into JSON Schema. */
export interface StandardJSONSchemaConverter {
  /** The JSON Schema of what the schema accepts. */
  readonly input: (options: StandardJSONSchemaOptions) => Record<string, unknown>
  /** The JSON Schema of what the schema returns. */
  readonly output: (options: StandardJSONSchemaOptions) => Record<string, unknown>
}

/** Options of a conversion into JSON Schema. */
export interface StandardJSONSchemaOptions {
  /** The dialect of JSON Schema. */
  readonly target: 'draft-2020-12' | 'draft-07' | 'openapi-3.0' | (string & {})
}

/** What a Standard Schema returns for a value: the parsed value, or issues. */
export type StandardResult<Output> =
  | {
      /** The value after parsing, with defaults and transforms. */
      readonly value: Output
      /** Never set if the value fits. */
      readonly issues?: undefined
    }
  | {
      /** Why the value does not fit. */
      readonly issues: readonly StandardIssue[]
    }

/** Why a value does not fit a Standard Schema. */
export interface StandardIssue {
  /** What is wrong, for people. */
  readonly message: string
  /** Where in the value. Left out for the value as a whole. */
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

interface Typed {
  readonly '~standard': { readonly types?: StandardTypes | undefined }
}

/** The type of values before validation; `unknown` for a plain JSON Schema. */
export type InferInput<Schema> = Schema extends Typed ? NonNullable<Schema['~standard']['types']>['input'] : unknown

/** The type of values after validation; `unknown` for a plain JSON Schema. */
export type InferOutput<Schema> = Schema extends Typed ? NonNullable<Schema['~standard']['types']>['output'] : unknown
