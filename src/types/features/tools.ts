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
  /** Arguments are always an object. */
  type: 'object'
  /** The JSON Schema of each argument, by name. */
  properties?: JSONObject
  /** The names of the arguments that must be given. */
  required?: string[]
  /** Since 2026-07-28 any keyword of the dialect. */
  [keyword: string]: unknown
}

/** A JSON Schema; up to 2025-11-25 for an object, since 2026-07-28 for any value. */
export interface ToolOutputSchema {
  /** The dialect; 2020-12 where absent. Since 2025-11-25. */
  $schema?: string
  /** The type of `structuredContent`: `object` up to 2025-11-25, any since 2026-07-28. */
  type?: string | string[]
  /** The JSON Schema of each member, by name. */
  properties?: JSONObject
  /** The names of the members that are always there. */
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

/** Requests one page of tools. */
export interface ListToolsRequest {
  /** `tools/list` returns the tools of a server, page by page. */
  method: 'tools/list'
  /** Which page. */
  params?: PaginatedRequestParams
}

/** One page of tools. */
export type ListToolsResult = PaginatedResult &
  CacheableResult & {
    /** The tools of this page. */
    tools: Tool[]
  }

/** Which tool to call, with which arguments. */
export type CallToolRequestParams = TaskAugmentedRequestParams &
  InputResponseRequestParams & {
    /** The name of the tool, from `tools/list`. */
    name: string
    /** The arguments by name. Left out if there are none. */
    arguments?: JSONObject
  }

/** Requests a call of a tool. */
export interface CallToolRequest {
  /** `tools/call` calls a tool. */
  method: 'tools/call'
  /** Which tool, with which arguments. */
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

/** Announces that the list of tools has changed. */
export interface ToolListChangedNotification {
  /** Names the notification: the list of tools has changed. */
  method: 'notifications/tools/list_changed'
  /** Holds `_meta` only. */
  params?: NotificationParams
}
