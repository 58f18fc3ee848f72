// How types get from schemas to handlers, and from tools as values to the clients of their server.
import type { AnyArguments } from '../../primitives/json/objects.ts'
import type { InputRequiredResult } from '../../types/features/input-required.ts'
import type { CallToolResult } from '../../types/features/tools.ts'
import type { JSONObject } from '../../types/protocol/json.ts'

/** A schema of any library: a Standard Schema with a JSON Schema, or a JSON Schema. */
export type Schema = object

/** The arguments of a tool or prompt without `input`. */
export type NoArguments = { readonly [name: string]: never }

/** A Standard Schema, reduced to the member that has its types. */
export interface Standard {
  readonly '~standard': { readonly types?: { readonly input: unknown; readonly output: unknown } | undefined }
}

/**
 * Added to a schema, it rejects a map of schemas such as `{ a: z.string() }`, which as a JSON Schema would check nothing. It stands as
 * `S & (Standard | NoMap<S>)`, so that a type parameter that extends the schemas of a library fits.
 */
export type NoMap<S> = S extends Standard
  ? unknown
  : [SchemaIn<S[keyof S]>] extends [never]
    ? unknown
    : 'this is a map of schemas: wrap it, as in z.object({ … })'

/** What `z.toJSONSchema` returns is a JSON Schema that is also a Standard Schema. */
type SchemaIn<Member> = Member extends Standard ? ('$schema' extends keyof Member ? never : Member) : never

/** The type of a value before validation. */
export type ValueBefore<S> = S extends Standard ? NonNullable<S['~standard']['types']>['input'] : FromJSONSchema<S>

/** The type of a value after validation and transforms. */
export type ValueAfter<S> = S extends Standard ? NonNullable<S['~standard']['types']>['output'] : FromJSONSchema<S>

/** The arguments that a handler gets. */
export type HandlerArguments<Input> = [Input] extends [undefined] ? NoArguments : AsObject<ValueAfter<Input>>

/** The arguments that a caller passes. */
export type CallerArguments<Input> = [Input] extends [undefined] ? NoArguments : AsObject<ValueBefore<Input>>

/** Arguments are always an object; any object where nothing more is known. */
type AsObject<Value> = unknown extends Value ? JSONObject : Value extends object ? Value : JSONObject

/** The type of `structuredContent`. */
export type StructuredResult<Output> = [Output] extends [undefined] ? unknown : ValueAfter<Output>

/** What a handler may return, directly or as a promise: a value that fits the output schema, or anything without one. */
export type HandlerValue<Output> = [Output] extends [undefined] ? unknown : Answer<ValueBefore<Output>>

type Answer<Value> =
  | DeepReadonly<Value>
  | ReadonlyCallToolResult
  | ReadonlyInputRequiredResult
  | AsyncIterable<unknown>
  | Generator

/** A readonly `CallToolResult`. */
interface ReadonlyCallToolResult extends DeepReadonly<CallToolResult> {}

/** A readonly `InputRequiredResult`. */
interface ReadonlyInputRequiredResult extends DeepReadonly<InputRequiredResult> {}

/**
 * Readonly at any depth, so that literals inferred by a `const` type parameter fit.
 */
type DeepReadonly<Value> = Value extends object ? { readonly [Key in keyof Value]: DeepReadonly<Value[Key]> } : Value

/**
 * The return type of a handler that is written at the call of `tool()`. `Value` is a `const` type parameter of that call, which
 * keeps literals inside objects; bare literals are kept where the compiler sees that a primitive may be meant.
 */
export type Returned<Value> = Value | PrimitiveOf<Value> | Promise<Value | PrimitiveOf<Value>>

/** Added to `Returned`: without an output schema a handler may return anything. */
export type AnythingWithout<Output> = [Output] extends [undefined] ? unknown : never

type PrimitiveOf<Value> = NoInfer<Value extends string | number | boolean | null ? Value : never>

/** Arguments and structured result of each tool, by name. */
export interface ToolTypes {
  [name: string]: { arguments: object; result: unknown }
}

/** The tools of a server whose type has none. */
export interface AnyToolTypes {
  [name: string]: { arguments: AnyArguments; result: unknown }
}

/** The types that a tool as a value carries; `~types` does not exist at run time. */
export interface DescribesTool<Name extends string = string, Arguments extends object = object, Result = unknown> {
  /** The name that clients pass to `callTool()`. */
  readonly name: Name
  /** For the compiler only: what typed clients know of the tool. Never set at run time. */
  readonly '~types'?: {
    /** The type of the arguments, before the schema transforms them. */
    readonly arguments: Arguments
    /** The type of `structuredContent`. */
    readonly result: Result
  }
}

/**
 * The tools of a list of definitions, by name. A mapped type alone: where a condition stands around it, TypeScript 5 calls a server
 * with tools another kind of server, which is not assignable to `MCPServer`.
 */
export type ToolTypesOf<Definitions extends readonly DescribesTool[]> = {
  [Tool in Definitions[number] as Tool['name']]: string extends Tool['name']
    ? AnyToolTypes[string]
    : NonNullable<Tool['~types']>
}

/** The type that a literal JSON Schema describes. Keywords that only narrow it further are ignored. */
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

/** A list typed as `string[]` says nothing about which members are required. */
type RequiredNames<Schema> = Schema extends { readonly required: readonly (infer Name)[] }
  ? string extends Name
    ? never
    : Name
  : never
