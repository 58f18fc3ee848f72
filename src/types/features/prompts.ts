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

/** An argument of a prompt. */
export interface PromptArgument extends BaseMetadata {
  /** What the argument means. Hosts show it in a form. */
  description?: string
  /** True if the prompt can't be rendered without it (default: `false`). */
  required?: boolean
}

/** One message of a rendered prompt. */
export interface PromptMessage {
  /** Who speaks: `user` or `assistant`. */
  role: Role
  /** 2024-11-05 knows no audio, and revisions before 2025-06-18 no links. */
  content: ContentBlock
}

/** Requests one page of prompts. */
export interface ListPromptsRequest {
  /** `prompts/list` returns the prompts of a server, page by page. */
  method: 'prompts/list'
  /** Which page. */
  params?: PaginatedRequestParams
}

/** One page of prompts. */
export type ListPromptsResult = PaginatedResult &
  CacheableResult & {
    /** The prompts of this page. */
    prompts: Prompt[]
  }

/** Which prompt to render, with which arguments. */
export type GetPromptRequestParams = InputResponseRequestParams & {
  /** The name of the prompt, from `prompts/list`. */
  name: string
  /** Strings only, unlike the arguments of a tool. */
  arguments?: { [name: string]: string }
}

/** Requests the messages of a prompt. */
export interface GetPromptRequest {
  /** `prompts/get` renders a prompt. */
  method: 'prompts/get'
  /** Which prompt, with which arguments. */
  params: GetPromptRequestParams
}

/** The answer to `prompts/get`: the messages to put before the model. */
export type GetPromptResult = FinishedResult & {
  /** What the rendered prompt is for. */
  description?: string
  /** The messages, in the order in which the model reads them. */
  messages: PromptMessage[]
}

/** Announces that the list of prompts has changed. */
export interface PromptListChangedNotification {
  /** Names the notification: the list of prompts has changed. */
  method: 'notifications/prompts/list_changed'
  /** Holds `_meta` only. */
  params?: NotificationParams
}
