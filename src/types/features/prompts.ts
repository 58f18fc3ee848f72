// Prompts: messages that a server prepares for its users to send to a model.

import type {
  CacheableResult,
  FinishedResult,
  NotificationParams,
  PaginatedRequestParams,
  PaginatedResult,
} from '../protocol/base.ts'
import type { MetaObject } from '../protocol/meta.ts'
import type { BaseMetadata, Icons } from '../protocol/metadata.ts'
import type { ContentBlock, Role } from './content.ts'
import type { InputResponseRequestParams } from './input-required.ts'

export interface Prompt extends BaseMetadata, Icons {
  description?: string
  arguments?: PromptArgument[]
  /** Since 2025-06-18. */
  _meta?: MetaObject
}

export interface PromptArgument extends BaseMetadata {
  description?: string
  required?: boolean
}

export interface PromptMessage {
  role: Role
  /** 2024-11-05 knows no audio, and revisions before 2025-06-18 no links. */
  content: ContentBlock
}

export interface ListPromptsRequest {
  method: 'prompts/list'
  params?: PaginatedRequestParams
}

export type ListPromptsResult = PaginatedResult &
  CacheableResult & {
    prompts: Prompt[]
  }

export type GetPromptRequestParams = InputResponseRequestParams & {
  name: string
  /** Strings only, unlike the arguments of a tool. */
  arguments?: { [name: string]: string }
}

export interface GetPromptRequest {
  method: 'prompts/get'
  params: GetPromptRequestParams
}

export type GetPromptResult = FinishedResult & {
  description?: string
  messages: PromptMessage[]
}

export interface PromptListChangedNotification {
  method: 'notifications/prompts/list_changed'
  params?: NotificationParams
}
