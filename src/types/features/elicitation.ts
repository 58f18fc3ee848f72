// Elicitation (since 2025-06-18): a server asks the user, with a form or by sending them to a URL.
import type { NotificationParams, PlainResult } from '../protocol/base.ts'
import type { TaskAugmentedRequestParams } from './tasks.ts'

/** A flat form: every field is a primitive or a choice. */
export interface ElicitRequestedSchema {
  /** Since 2025-11-25. */
  $schema?: string
  /** A form is always an object. */
  type: 'object'
  /** The fields of the form by name. Fields can't be nested. */
  properties: { [field: string]: PrimitiveSchemaDefinition }
  /** The names of the fields that must be filled in. */
  required?: string[]
}

/** What the user sees passes through the client, so a form never asks for secrets. */
export type ElicitRequestFormParams = TaskAugmentedRequestParams & {
  /** Absent means `form`. Since 2025-11-25. */
  mode?: 'form'
  /** The text above the form. */
  message: string
  /** The fields of the form. */
  requestedSchema: ElicitRequestedSchema
}

/** Sends the user to a page that the client does not see into; since 2025-11-25. */
export type ElicitRequestURLParams = TaskAugmentedRequestParams & {
  /** Marks a question that is answered on a web page. */
  mode: 'url'
  /** Why the user should open the page. */
  message: string
  /** The page to open. The client shows it before it opens it. */
  url: string
  /** Repeated by `notifications/elicitation/complete`. Required at 2025-11-25, absent in all others. */
  elicitationId?: string
}

/** A question to the user: by a form, or by a web page. */
export type ElicitRequestParams = ElicitRequestFormParams | ElicitRequestURLParams

/** Up to 2025-11-25 a request of the server; since 2026-07-28 an input request. */
export interface ElicitRequest {
  /** `elicitation/create` asks the user. */
  method: 'elicitation/create'
  /** The question: a form or a web page. */
  params: ElicitRequestParams
}

/** `decline` is a no, `cancel` is no answer. */
export type ElicitAction = 'accept' | 'decline' | 'cancel'

/** What the user filled in, by field. Lists since 2025-11-25. */
export interface ElicitContent {
  [field: string]: string | number | boolean | string[]
}

/** What the user did with a question. */
export type ElicitResult = PlainResult & {
  /** What the user did: `accept`, `decline` or `cancel`. */
  action: ElicitAction
  /** Only with `accept`, and only for a form. */
  content?: ElicitContent
}

/** 2025-11-25 only. */
export type ElicitationCompleteNotificationParams = NotificationParams & {
  /** The elicitation that is complete. */
  elicitationId: string
}

/** The user has finished on the page they were sent to; 2025-11-25 only. */
export interface ElicitationCompleteNotification {
  /** Names the notification: the user has finished at a URL that the server asked to open. */
  method: 'notifications/elicitation/complete'
  /** Which elicitation is complete. */
  params: ElicitationCompleteNotificationParams
}

/** The schema of one field. Fields do not nest. */
export type PrimitiveSchemaDefinition = StringSchema | NumberSchema | BooleanSchema | EnumSchema

/** A field for text in a form. */
export interface StringSchema {
  /** Marks a field for text. */
  type: 'string'
  /** The label of the field. */
  title?: string
  /** Help for the field. */
  description?: string
  /** The least number of characters. */
  minLength?: number
  /** The largest number of characters. */
  maxLength?: number
  /** What kind of text is accepted (default: any). */
  format?: 'email' | 'uri' | 'date' | 'date-time'
  /** Since 2025-11-25. */
  default?: string
}

/** A field for a number in a form. */
export interface NumberSchema {
  /** Marks a field for a number. `integer` accepts whole numbers only. */
  type: 'number' | 'integer'
  /** The label of the field. */
  title?: string
  /** Help for the field. */
  description?: string
  /** The smallest number that is accepted. */
  minimum?: number
  /** The largest number that is accepted. */
  maximum?: number
  /** Since 2025-11-25. */
  default?: number
}

/** A field for yes or no in a form. */
export interface BooleanSchema {
  /** Marks a field for yes or no. */
  type: 'boolean'
  /** The label of the field. */
  title?: string
  /** Help for the field. */
  description?: string
  /** What is selected at first. */
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
  /** The value that is sent. */
  const: string
  /** What the user sees. */
  title: string
}

/** Since 2025-11-25. */
export interface UntitledSingleSelectEnumSchema {
  /** Marks a choice of one value. */
  type: 'string'
  /** The label of the field. */
  title?: string
  /** Help for the field. */
  description?: string
  /** The values to choose from. */
  enum: string[]
  /** The value that is selected at first. */
  default?: string
}

/** Since 2025-11-25. */
export interface TitledSingleSelectEnumSchema {
  /** Marks a choice of one value. */
  type: 'string'
  /** The label of the field. */
  title?: string
  /** Help for the field. */
  description?: string
  /** The values to choose from, with their labels. */
  oneOf: TitledOption[]
  /** The value that is selected at first. */
  default?: string
}

/** Since 2025-11-25. */
export interface UntitledMultiSelectEnumSchema {
  /** Marks a choice of several values. */
  type: 'array'
  /** The label of the field. */
  title?: string
  /** Help for the field. */
  description?: string
  /** The least number of values to choose. */
  minItems?: number
  /** The largest number of values to choose. */
  maxItems?: number
  /** The values to choose from. */
  items: {
    /** Values are always text. */
    type: 'string'
    /** The values themselves. */
    enum: string[]
  }
  /** The values that are selected at first. */
  default?: string[]
}

/** Since 2025-11-25. */
export interface TitledMultiSelectEnumSchema {
  /** Marks a choice of several values. */
  type: 'array'
  /** The label of the field. */
  title?: string
  /** Help for the field. */
  description?: string
  /** The least number of values to choose. */
  minItems?: number
  /** The largest number of values to choose. */
  maxItems?: number
  /** The values to choose from, with their labels. */
  items: {
    /** One entry for each value. */
    anyOf: TitledOption[]
  }
  /** The values that are selected at first. */
  default?: string[]
}

/**
 * Since 2025-06-18. Its `enumNames` are no keyword of JSON Schema.
 * @deprecated Use `TitledSingleSelectEnumSchema` since 2025-11-25.
 */
export interface LegacyTitledEnumSchema {
  /** Marks a choice of one value. */
  type: 'string'
  /** The label of the field. */
  title?: string
  /** Help for the field. */
  description?: string
  /** The values to choose from. */
  enum: string[]
  /** Texts for people, in the order of `enum`. */
  enumNames?: string[]
  /** Since 2025-11-25. */
  default?: string
}
