// Sampling: a server asks the client's model.

import type { PlainResult } from '../protocol/base.ts'
import type { JSONObject } from '../protocol/json.ts'
import type { MetaObject } from '../protocol/meta.ts'
import type { AudioContent, ContentBlock, ImageContent, Role, TextContent } from './content.ts'
import type { TaskAugmentedRequestParams } from './tasks.ts'
import type { Tool } from './tools.ts'

/**
 * Who wrote a message.
 * @deprecated Use the model provider's API. Sampling is deprecated since 2026-07-28.
 */
export type SamplingRole = Role

/**
 * What a message holds where no tools are used.
 * @deprecated Use the model provider's API. Sampling is deprecated since 2026-07-28.
 */
export type SamplingContent = TextContent | ImageContent | AudioContent

/**
 * One part of a message in sampling: text, image, audio, a use of a tool, or its result.
 * @deprecated Use the model provider's API. Sampling is deprecated since 2026-07-28.
 */
export type SamplingMessageContentBlock = SamplingContent | ToolUseContent | ToolResultContent

/**
 * One message of a conversation with a model.
 * @deprecated Use the model provider's API. Sampling is deprecated since 2026-07-28.
 */
export type SamplingMessage = {
  /** Who speaks: `user` or `assistant`. */
  role: Role
  /** A list since 2025-11-25; a single block in all revisions. */
  content: SamplingMessageContentBlock | SamplingMessageContentBlock[]
  /** Since 2025-11-25. */
  _meta?: MetaObject
}

/**
 * The model wants a tool called; since 2025-11-25.
 * @deprecated Use the model provider's API. Sampling is deprecated since 2026-07-28.
 */
export interface ToolUseContent {
  /** Marks the use of a tool. */
  type: 'tool_use'
  /** Repeated in the `toolUseId` of the result. */
  id: string
  /** The name of the tool that the model wants to use. */
  name: string
  /** The arguments for the tool. */
  input: JSONObject
  /** Values beside the content, for programs. */
  _meta?: MetaObject
}

/**
 * What came of a tool that the model wanted called; since 2025-11-25.
 * @deprecated Use the model provider's API. Sampling is deprecated since 2026-07-28.
 */
export interface ToolResultContent {
  /** Marks the result of a tool. */
  type: 'tool_result'
  /** The `id` of the `tool_use` that this answers. */
  toolUseId: string
  /** What the tool returned. */
  content: ContentBlock[]
  /** At 2025-11-25 an object, since 2026-07-28 any JSON value. */
  structuredContent?: unknown
  /** True if the tool failed (default: `false`). */
  isError?: boolean
  /** Values beside the content, for programs. */
  _meta?: MetaObject
}

/**
 * Wishes, which the client may weigh as it likes. Priorities go from 0 to 1.
 * @deprecated Use the model provider's API. Sampling is deprecated since 2026-07-28.
 */
export interface ModelPreferences {
  /** The first that fits wins. */
  hints?: ModelHint[]
  /** How much a low price matters, from 0 to 1. */
  costPriority?: number
  /** How much a short wait matters, from 0 to 1. */
  speedPriority?: number
  /** How much the abilities of the model matter, from 0 to 1. */
  intelligencePriority?: number
}

/**
 * A model that the server would prefer. The client may choose another one.
 * @deprecated Use the model provider's API. Sampling is deprecated since 2026-07-28.
 */
export interface ModelHint {
  /** A part of a model's name, or of the name of its family. */
  name?: string
}

/**
 * Since 2025-11-25.
 * @deprecated Use the model provider's API. Sampling is deprecated since 2026-07-28.
 */
export interface ToolChoice {
  /** `auto` where absent. */
  mode?: 'auto' | 'required' | 'none'
}

/**
 * The conversations to give to the model along with the messages.
 * @deprecated Use `none`. Everything else is deprecated since 2025-11-25.
 */
export type IncludeContext = 'none' | 'thisServer' | 'allServers'

/**
 * Why the model stopped. Clients may send other values.
 * @deprecated Use the model provider's API. Sampling is deprecated since 2026-07-28.
 */
export type StopReason = 'endTurn' | 'stopSequence' | 'maxTokens' | 'toolUse' | (string & {})

/**
 * What a model should write, and within which limits.
 * @deprecated Use the model provider's API. Sampling is deprecated since 2026-07-28.
 */
export type CreateMessageRequestParams = TaskAugmentedRequestParams & {
  /** The conversation so far, oldest message first. */
  messages: SamplingMessage[]
  /** Which model the server would prefer. The client decides. */
  modelPreferences?: ModelPreferences
  /** A system prompt. The client may change or ignore it. */
  systemPrompt?: string
  /**
   * Which servers' context the client adds to the prompt (default: `none`).
   * @deprecated Use `none`. Everything else is deprecated since 2025-11-25.
   */
  includeContext?: IncludeContext
  /** How much the model varies its answers. The range depends on the model. */
  temperature?: number
  /** The most tokens that the model may write. The client may use fewer. */
  maxTokens: number
  /** Texts at which the model stops (default: none). */
  stopSequences?: string[]
  /** Passed through to the provider of the model. */
  metadata?: JSONObject
  /** Since 2025-11-25; needs the capability `sampling.tools`. */
  tools?: Tool[]
  /** Since 2025-11-25; needs the capability `sampling.tools`. */
  toolChoice?: ToolChoice
}

/**
 * Up to 2025-11-25 a request of the server; since 2026-07-28 an input request.
 * @deprecated Use the model provider's API. Sampling is deprecated since 2026-07-28.
 */
export interface CreateMessageRequest {
  /** `sampling/createMessage` has the client's model write a message. */
  method: 'sampling/createMessage'
  /** What to write, and within which limits. */
  params: CreateMessageRequestParams
}

/**
 * What the model wrote.
 * @deprecated Use the model provider's API. Sampling is deprecated since 2026-07-28.
 */
export type CreateMessageResult = PlainResult &
  SamplingMessage & {
    /** The model that wrote this. */
    model: string
    /** Why the model stopped. Left out if it is not known. */
    stopReason?: StopReason
  }

/**
 * The answer to a request that gave `tools`, whose content may be a list; since 2025-11-25. The specification has one type
 * for both.
 * @deprecated Use the model provider's API. Sampling is deprecated since 2026-07-28.
 */
export type CreateMessageResultWithTools = CreateMessageResult

/** The blocks of a message or result, whether there is one or a list of them. */
export function contentAsList({ content }: Pick<SamplingMessage, 'content'>): SamplingMessageContentBlock[] {
  return Array.isArray(content) ? content : [content]
}
