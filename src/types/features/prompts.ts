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

/** A prompt in the answer to `prompts/list`: its name and arguments. */
export interface Prompt extends BaseMetadata, Icons {
  /** What the prompt is for. Hosts show it to the user. */
  description?: string
  /** The arguments that `prompts/get` takes. Left out if there are none. */
  arguments?: PromptArgument[]
  /** Since 2025-06-18. */
  _meta?: MetaObject
}

export interface PromptArgument extends BaseMetadata {
  description?: string
  required?: boolean
}

/** One message of a rendered prompt. */
export interface PromptMessage {
  /** Who speaks: `user` or `assistant`. */
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
    /** The prompts of this page. */
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

/** The answer to `prompts/get`: the messages to put before the model. */
export type GetPromptResult = FinishedResult & {
  /** What the rendered prompt is for. */
  description?: string
  /** The messages, in the order in which the model reads them. */
  messages: PromptMessage[]
}

export interface PromptListChangedNotification {
  /** Names the notification: the list of prompts has changed. */
  method: 'notifications/prompts/list_changed'
  /** Holds `_meta` only. */
  params?: NotificationParams
}
