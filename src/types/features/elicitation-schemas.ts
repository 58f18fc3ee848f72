// The few JSON Schemas that a form may be made of.

/** The schema of one field. Fields do not nest. */
export type PrimitiveSchemaDefinition = StringSchema | NumberSchema | BooleanSchema | EnumSchema

export interface StringSchema {
  type: 'string'
  title?: string
  description?: string
  minLength?: number
  maxLength?: number
  format?: 'email' | 'uri' | 'date' | 'date-time'
  /** Since 2025-11-25. */
  default?: string
}

export interface NumberSchema {
  type: 'number' | 'integer'
  title?: string
  description?: string
  minimum?: number
  maximum?: number
  /** Since 2025-11-25. */
  default?: number
}

export interface BooleanSchema {
  type: 'boolean'
  title?: string
  description?: string
  default?: boolean
}

/** A choice from a list. At 2025-06-18 the legacy form is the only one. */
export type EnumSchema = SingleSelectEnumSchema | MultiSelectEnumSchema | LegacyTitledEnumSchema

/** One of several values; since 2025-11-25. */
export type SingleSelectEnumSchema = UntitledSingleSelectEnumSchema | TitledSingleSelectEnumSchema

/** Any number of several values; since 2025-11-25. */
export type MultiSelectEnumSchema = UntitledMultiSelectEnumSchema | TitledMultiSelectEnumSchema

/** A value with the text that people see in its place. */
export interface TitledOption {
  const: string
  title: string
}

/** Since 2025-11-25. */
export interface UntitledSingleSelectEnumSchema {
  type: 'string'
  title?: string
  description?: string
  enum: string[]
  default?: string
}

/** Since 2025-11-25. */
export interface TitledSingleSelectEnumSchema {
  type: 'string'
  title?: string
  description?: string
  oneOf: TitledOption[]
  default?: string
}

/** Since 2025-11-25. */
export interface UntitledMultiSelectEnumSchema {
  type: 'array'
  title?: string
  description?: string
  minItems?: number
  maxItems?: number
  items: {
    type: 'string'
    enum: string[]
  }
  default?: string[]
}

/** Since 2025-11-25. */
export interface TitledMultiSelectEnumSchema {
  type: 'array'
  title?: string
  description?: string
  minItems?: number
  maxItems?: number
  items: {
    anyOf: TitledOption[]
  }
  default?: string[]
}

/**
 * Since 2025-06-18. Its `enumNames` are no keyword of JSON Schema.
 * @deprecated Use `TitledSingleSelectEnumSchema` since 2025-11-25.
 */
export interface LegacyTitledEnumSchema {
  type: 'string'
  title?: string
  description?: string
  enum: string[]
  /** Texts for people, in the order of `enum`. */
  enumNames?: string[]
  /** Since 2025-11-25. */
  default?: string
}
