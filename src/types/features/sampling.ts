// Sampling: a server asks the client's model.

import type { PlainResult } from '../protocol/base.ts'
import type { JSONObject } from '../protocol/json.ts'
import type { MetaObject } from '../protocol/meta.ts'
import type { AudioContent, ContentBlock, ImageContent, Role, TextContent } from './content.ts'
import type { TaskAugmentedRequestParams } from './tasks.ts'
import type { Tool } from './tools.ts'

/**
 * Who wrote a message.
 * @deprecated Sampling is deprecated since 2026-07-28.
 */
export type SamplingRole = Role

/**
 * What a message holds where no tools are used.
 * @deprecated Sampling is deprecated since 2026-07-28.
 */
export type SamplingContent = TextContent | ImageContent | AudioContent

/** @deprecated Sampling is deprecated since 2026-07-28. */
export type SamplingMessageContentBlock = SamplingContent | ToolUseContent | ToolResultContent

/** @deprecated Sampling is deprecated since 2026-07-28. */
export type SamplingMessage = {
  role: Role
  /** A list since 2025-11-25; a single block in all revisions. */
  content: SamplingMessageContentBlock | SamplingMessageContentBlock[]
  /** Since 2025-11-25. */
  _meta?: MetaObject
}

/**
 * The model wants a tool called; since 2025-11-25.
 * @deprecated Sampling is deprecated since 2026-07-28.
 */
export interface ToolUseContent {
  type: 'tool_use'
  /** Repeated in the `toolUseId` of the result. */
  id: string
  name: string
  input: JSONObject
  _meta?: MetaObject
}

/**
 * What came of a tool that the model wanted called; since 2025-11-25.
 * @deprecated Sampling is deprecated since 2026-07-28.
 */
export interface ToolResultContent {
  type: 'tool_result'
  toolUseId: string
  content: ContentBlock[]
  /** At 2025-11-25 an object, since 2026-07-28 any JSON value. */
  structuredContent?: unknown
  isError?: boolean
  _meta?: MetaObject
}

/**
 * Wishes, which the client may weigh as it likes. Priorities go from 0 to 1.
 * @deprecated Sampling is deprecated since 2026-07-28.
 */
export interface ModelPreferences {
  /** The first that fits wins. */
  hints?: ModelHint[]
  costPriority?: number
  speedPriority?: number
  intelligencePriority?: number
}

/** @deprecated Sampling is deprecated since 2026-07-28. */
export interface ModelHint {
  /** A part of a model's name, or of the name of its family. */
  name?: string
}

/**
 * Since 2025-11-25.
 * @deprecated Sampling is deprecated since 2026-07-28.
 */
export interface ToolChoice {
  /** `auto` where absent. */
  mode?: 'auto' | 'required' | 'none'
}

/**
 * The conversations to give to the model along with the messages.
 * @deprecated Everything but `none` is deprecated since 2025-11-25.
 */
export type IncludeContext = 'none' | 'thisServer' | 'allServers'

/** @deprecated Sampling is deprecated since 2026-07-28. */
export type StopReason = 'endTurn' | 'stopSequence' | 'maxTokens' | 'toolUse' | (string & {})

/** @deprecated Sampling is deprecated since 2026-07-28. */
export type CreateMessageRequestParams = TaskAugmentedRequestParams & {
  messages: SamplingMessage[]
  modelPreferences?: ModelPreferences
  systemPrompt?: string
  /** @deprecated Everything but `none` is deprecated since 2025-11-25. */
  includeContext?: IncludeContext
  temperature?: number
  maxTokens: number
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
 * @deprecated Sampling is deprecated since 2026-07-28.
 */
export interface CreateMessageRequest {
  method: 'sampling/createMessage'
  params: CreateMessageRequestParams
}

/** @deprecated Sampling is deprecated since 2026-07-28. */
export type CreateMessageResult = PlainResult &
  SamplingMessage & {
    /** The model that wrote this. */
    model: string
    stopReason?: StopReason
  }

/**
 * The answer to a request that gave `tools`, whose content may be a list; since 2025-11-25. The specification has one type
 * for both.
 * @deprecated Sampling is deprecated since 2026-07-28.
 */
export type CreateMessageResultWithTools = CreateMessageResult

/** The blocks of a message or result, whether there is one or a list of them. */
export function contentAsList({ content }: Pick<SamplingMessage, 'content'>): SamplingMessageContentBlock[] {
  return Array.isArray(content) ? content : [content]
}
