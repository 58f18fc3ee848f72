// Tools: what a model may ask a server to do.
import type {
  CacheableResult,
  FinishedResult,
  NotificationParams,
  PaginatedRequestParams,
  PaginatedResult,
} from '../protocol/base.ts'
import type { JSONObject } from '../protocol/json.ts'
import type { MetaObject } from '../protocol/meta.ts'
import type { BaseMetadata, Icons } from '../protocol/metadata.ts'
import type { ContentBlock } from './content.ts'
import type { InputResponseRequestParams } from './input-required.ts'
import type { TaskAugmentedRequestParams } from './tasks.ts'

/** A tool in the answer to `tools/list`: its name and the schemas of its input and output. */
export interface Tool extends BaseMetadata, Icons {
  /** What the tool does and when to use it. The model reads it. */
  description?: string
  /** The JSON Schema of the arguments. Its `type` is `object`. */
  inputSchema: ToolInputSchema
  /** The form of `structuredContent`; since 2025-06-18. */
  outputSchema?: ToolOutputSchema
  /** Since 2025-03-26. */
  annotations?: ToolAnnotations
  /** 2025-11-25 only. */
  execution?: ToolExecution
  /** Since 2025-06-18. */
  _meta?: MetaObject
}

/** A JSON Schema for an object: arguments always are one. */
export interface ToolInputSchema {
  /** The dialect; 2020-12 where absent. Since 2025-11-25. */
  $schema?: string
  type: 'object'
  properties?: JSONObject
  required?: string[]
  /** Since 2026-07-28 any keyword of the dialect. */
  [keyword: string]: unknown
}

/** A JSON Schema; up to 2025-11-25 for an object, since 2026-07-28 for any value. */
export interface ToolOutputSchema {
  /** The dialect; 2020-12 where absent. Since 2025-11-25. */
  $schema?: string
  type?: string | string[]
  properties?: JSONObject
  required?: string[]
  /** Since 2026-07-28 any keyword of the dialect. */
  [keyword: string]: unknown
}

/** Hints from the server about itself: not to be trusted more than the server is. Since 2025-03-26. */
export interface ToolAnnotations {
  /** For people; `Tool.title` goes before it. */
  title?: string
  /** Changes nothing. False where absent. */
  readOnlyHint?: boolean
  /** May destroy something, if it changes anything. True where absent. */
  destructiveHint?: boolean
  /** A second call with the same arguments changes nothing more. False where absent. */
  idempotentHint?: boolean
  /** Deals with a world outside the server's own. True where absent. */
  openWorldHint?: boolean
}

/** 2025-11-25 only. */
export interface ToolExecution {
  /** Whether a call may, must or must not be sent as a task. `forbidden` where absent. */
  taskSupport?: 'forbidden' | 'optional' | 'required'
}

export interface ListToolsRequest {
  method: 'tools/list'
  params?: PaginatedRequestParams
}

export type ListToolsResult = PaginatedResult &
  CacheableResult & {
    /** The tools of this page. */
    tools: Tool[]
  }

export type CallToolRequestParams = TaskAugmentedRequestParams &
  InputResponseRequestParams & {
    name: string
    arguments?: JSONObject
  }

export interface CallToolRequest {
  method: 'tools/call'
  params: CallToolRequestParams
}

/** The answer to `tools/call`. Check `isError` first: a tool that fails still resolves to a result. */
export type CallToolResult = FinishedResult & {
  /** The result as content for the model. Empty if the tool returned nothing. */
  content: ContentBlock[]
  /** Since 2025-06-18; up to 2025-11-25 an object, since 2026-07-28 any JSON value. */
  structuredContent?: unknown
  /** The tool failed, and `content` explains it to the model. Not for failures of the protocol. */
  isError?: boolean
}

export interface ToolListChangedNotification {
  /** Names the notification: the list of tools has changed. */
  method: 'notifications/tools/list_changed'
  /** Holds `_meta` only. */
  params?: NotificationParams
}
