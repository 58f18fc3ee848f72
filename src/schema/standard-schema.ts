// Standard Schema v1 and Standard JSON Schema v1 (standardschema.dev) as types: schema libraries implement them,
// and no package has to depend on another.

/** What every standard schema declares. */
export interface StandardProperties<Input = unknown, Output = Input> {
  readonly version: 1
  readonly vendor: string
  /** For the type system only; there is no such value. */
  readonly types?: StandardTypes<Input, Output> | undefined
}

export interface StandardTypes<Input = unknown, Output = Input> {
  readonly input: Input
  readonly output: Output
}

/** A schema that validates. */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': StandardProperties<Input, Output> & {
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>
  }
}

/** A schema that describes itself as JSON Schema. */
export interface StandardJSONSchema<Input = unknown, Output = Input> {
  readonly '~standard': StandardProperties<Input, Output> & { readonly jsonSchema: StandardJSONSchemaConverter }
}

export interface StandardJSONSchemaConverter {
  readonly input: (options: StandardJSONSchemaOptions) => Record<string, unknown>
  readonly output: (options: StandardJSONSchemaOptions) => Record<string, unknown>
}

export interface StandardJSONSchemaOptions {
  readonly target: 'draft-2020-12' | 'draft-07' | 'openapi-3.0' | (string & {})
}

export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] }

export interface StandardIssue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

interface Typed {
  readonly '~standard': { readonly types?: StandardTypes | undefined }
}

/** The type of values before validation; `unknown` for a plain JSON Schema. */
export type InferInput<Schema> = Schema extends Typed ? NonNullable<Schema['~standard']['types']>['input'] : unknown

/** The type of values after validation; `unknown` for a plain JSON Schema. */
export type InferOutput<Schema> = Schema extends Typed ? NonNullable<Schema['~standard']['types']>['output'] : unknown
