// How types flow: from schemas to handlers, and from tools defined as values to the clients of their server.
import type { AnyArguments } from '../../primitives/json/objects.ts'
import type { InputRequiredResult } from '../../types/features/input-required.ts'
import type { CallToolResult } from '../../types/features/tools.ts'
import type { JSONObject } from '../../types/protocol/json.ts'

/** A schema that a user brings: a Standard Schema that describes itself, or a JSON Schema. */
export type Schema = object

/** The arguments of something that takes none. */
export type NoArguments = { readonly [name: string]: never }

/** A Standard Schema, as far as its type tells of values; that member exists in the type system only. */
interface Standard {
  readonly '~standard': { readonly types?: { readonly input: unknown; readonly output: unknown } | undefined }
}

/** Added to a schema, it refuses a map of schemas such as `{ a: z.string() }`, which as a JSON Schema would check nothing. */
export type NoMap<S> = S extends Standard
  ? unknown
  : [SchemaIn<S[keyof S]>] extends [never]
    ? unknown
    : 'this is a map of schemas: wrap it, as in z.object({ … })'

/** What `z.toJSONSchema` makes is JSON, and a Standard Schema only besides. */
type SchemaIn<Member> = Member extends Standard ? ('$schema' extends keyof Member ? never : Member) : never

/** What a value is before the schema has seen it. */
export type ValueBefore<S> = S extends Standard ? NonNullable<S['~standard']['types']>['input'] : FromJSONSchema<S>

/** What a value is once the schema has validated, and perhaps transformed it. */
export type ValueAfter<S> = S extends Standard ? NonNullable<S['~standard']['types']>['output'] : FromJSONSchema<S>

/** What a handler gets. */
export type HandlerArguments<Input> = [Input] extends [undefined] ? NoArguments : AsObject<ValueAfter<Input>>

/** What a caller gives. */
export type CallerArguments<Input> = [Input] extends [undefined] ? NoArguments : AsObject<ValueBefore<Input>>

/** Arguments always are an object; where nothing more is known, one of anything. */
type AsObject<Value> = unknown extends Value ? JSONObject : Value extends object ? Value : JSONObject

/** What a caller finds in `structuredContent`. */
export type StructuredResult<Output> = [Output] extends [undefined] ? unknown : ValueAfter<Output>

/** What a handler may return, at once or as a promise: with an output schema what fits it, without one anything. */
export type HandlerValue<Output> = [Output] extends [undefined] ? unknown : Answer<ValueBefore<Output>>

type Answer<Value> =
  | DeepReadonly<Value>
  | ReadonlyCallToolResult
  | ReadonlyInputRequiredResult
  | AsyncIterable<unknown>
  | Generator

/** A `CallToolResult` that is only read. */
interface ReadonlyCallToolResult extends DeepReadonly<CallToolResult> {}

/** An `InputRequiredResult` that is only read. */
interface ReadonlyInputRequiredResult extends DeepReadonly<InputRequiredResult> {}

/**
 * A value that is only read: lists in it may be readonly at any depth, as those are that a `const` type parameter takes from
 * a literal.
 */
type DeepReadonly<Value> = Value extends object ? { readonly [Key in keyof Value]: DeepReadonly<Value[Key]> } : Value

/**
 * What a handler that is written down at a call returns. `Value` is a `const` type parameter of that call, which keeps the
 * literals in an object; those that are returned bare are kept where the compiler sees that a primitive may be meant.
 */
export type Returned<Value> = Value | PrimitiveOf<Value> | Promise<Value | PrimitiveOf<Value>>

/** Added to `Returned`: without an output schema nothing is asked of what a handler returns. */
export type AnythingWithout<Output> = [Output] extends [undefined] ? unknown : never

type PrimitiveOf<Value> = NoInfer<Value extends string | number | boolean | null ? Value : never>

/** Arguments and structured result of each tool, by name. */
export interface ToolTypes {
  [name: string]: { arguments: object; result: unknown }
}

/** What is known of the tools of a server that tells nothing of them. */
export interface AnyToolTypes {
  [name: string]: { arguments: AnyArguments; result: unknown }
}

/** What a tool defined as a value tells of itself; holds nothing at run time. */
export interface DescribesTool<Name extends string = string, Arguments extends object = object, Result = unknown> {
  readonly name: Name
  readonly '~types'?: { readonly arguments: Arguments; readonly result: Result }
}

/** The tools of a list of definitions, by name. */
export type ToolTypesOf<Definitions extends readonly DescribesTool[]> = string extends Definitions[number]['name']
  ? AnyToolTypes
  : { [Tool in Definitions[number] as Tool['name']]: NonNullable<Tool['~types']> }

/** The values that a literal JSON Schema describes. Keywords that only narrow a value further are not looked at. */
type FromJSONSchema<Schema> = Schema extends { readonly const: infer Value }
  ? Value
  : Schema extends { readonly enum: readonly (infer Value)[] }
    ? Value
    : Schema extends { readonly anyOf: readonly (infer Option)[] } | { readonly oneOf: readonly (infer Option)[] }
      ? FromJSONSchema<Option>
      : Schema extends { readonly type: infer Type }
        ? FromType<Type, Schema>
        : unknown

type FromType<Type, Schema> = Type extends 'string'
  ? string
  : Type extends 'number' | 'integer'
    ? number
    : Type extends 'boolean'
      ? boolean
      : Type extends 'null'
        ? null
        : Type extends 'array'
          ? FromItems<Schema>
          : Type extends 'object'
            ? FromProperties<Schema>
            : Type extends readonly (infer Option)[]
              ? FromType<Option, Schema>
              : unknown

type FromItems<Schema> = Schema extends { readonly items: infer Items } ? FromJSONSchema<Items>[] : unknown[]

type FromProperties<Schema> = Schema extends { readonly properties: infer Properties }
  ? Members<Properties, RequiredNames<Schema>>
  : { [name: string]: unknown }

type Members<Properties, Required> = {
  -readonly [Name in keyof Properties as Name extends Required ? Name : never]: FromJSONSchema<Properties[Name]>
} & {
  -readonly [Name in keyof Properties as Name extends Required ? never : Name]?: FromJSONSchema<Properties[Name]>
}

/** A list that is only known as `string[]` promises nothing. */
type RequiredNames<Schema> = Schema extends { readonly required: readonly (infer Name)[] }
  ? string extends Name
    ? never
    : Name
  : never
