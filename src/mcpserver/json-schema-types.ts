// What the type system can read off a JSON Schema that is written down as a literal; anything cleverer is `unknown`.

/** The values that a literal JSON Schema describes. Keywords that only narrow a value further are not looked at. */
export type FromJSONSchema<Schema> = Schema extends { readonly const: infer Value }
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
