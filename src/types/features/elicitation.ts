// Elicitation (since 2025-06-18): a server asks the user, with a form or by sending them to a URL.
import type { NotificationParams, PlainResult } from '../protocol/base.ts'
import type { TaskAugmentedRequestParams } from './tasks.ts'

/** A flat form: every field is a primitive or a choice. */
export interface ElicitRequestedSchema {
  /** Since 2025-11-25. */
  $schema?: string
  type: 'object'
  properties: { [field: string]: PrimitiveSchemaDefinition }
  required?: string[]
}

/** What the user sees passes through the client, so a form never asks for secrets. */
export type ElicitRequestFormParams = TaskAugmentedRequestParams & {
  /** Absent means `form`. Since 2025-11-25. */
  mode?: 'form'
  message: string
  requestedSchema: ElicitRequestedSchema
}

/** Sends the user to a page that the client does not see into; since 2025-11-25. */
export type ElicitRequestURLParams = TaskAugmentedRequestParams & {
  mode: 'url'
  message: string
  url: string
  /** Repeated by `notifications/elicitation/complete`. Required at 2025-11-25, absent in all others. */
  elicitationId?: string
}

export type ElicitRequestParams = ElicitRequestFormParams | ElicitRequestURLParams

/** Up to 2025-11-25 a request of the server; since 2026-07-28 an input request. */
export interface ElicitRequest {
  method: 'elicitation/create'
  params: ElicitRequestParams
}

/** `decline` is a no, `cancel` is no answer. */
export type ElicitAction = 'accept' | 'decline' | 'cancel'

/** What the user filled in, by field. Lists since 2025-11-25. */
export interface ElicitContent {
  [field: string]: string | number | boolean | string[]
}

export type ElicitResult = PlainResult & {
  action: ElicitAction
  /** Only with `accept`, and only for a form. */
  content?: ElicitContent
}

/** 2025-11-25 only. */
export type ElicitationCompleteNotificationParams = NotificationParams & {
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
