// The shapes of revision 2024-11-05. Names are those of the newest revision that has the thing, in every table.
import {
  anyOf,
  anything,
  array,
  boolean,
  integer,
  type Members,
  number,
  numberBetween,
  type ObjectShape,
  object,
  oneOf,
  optional,
  record,
  type ShapeTable,
  string,
  tagged,
} from './shape.ts'

const LIST_CHANGED = { listChanged: optional(boolean) }

function requestParams(members: Members): ObjectShape {
  return object({ _meta: optional('RequestMetaObject'), ...members })
}

function notificationParams(members: Members): ObjectShape {
  return object({ _meta: optional('NotificationMetaObject'), ...members })
}

function result(members: Members): ObjectShape {
  return object({ _meta: optional('ResultMetaObject'), ...members })
}

export const SHAPES_2024_11_05 = {
  JSONObject: () => record(anything),
  RequestId: () => anyOf(string, integer),
  ProgressToken: () => anyOf(string, integer),
  Cursor: () => string,
  Role: () => oneOf('assistant', 'user'),
  LoggingLevel: () => oneOf('alert', 'critical', 'debug', 'emergency', 'error', 'info', 'notice', 'warning'),

  // What `_meta` may hold, by the kind of thing it hangs on.
  MetaObject: () => object({}),
  RequestMetaObject: () => object({ progressToken: optional('ProgressToken') }),
  NotificationMetaObject: () => object({}),
  ResultMetaObject: () => object({}),

  RequestParams: () => requestParams({}),
  NotificationParams: () => notificationParams({}),
  Result: () => result({}),
  EmptyResult: () => 'Result',

  // Lifecycle
  Implementation: () => object({ name: string, version: string }),
  ClientCapabilities: () =>
    object({
      experimental: optional(record('JSONObject')),
      roots: optional(object(LIST_CHANGED)),
      sampling: optional('JSONObject'),
    }),
  ServerCapabilities: () =>
    object({
      experimental: optional(record('JSONObject')),
      logging: optional('JSONObject'),
      prompts: optional(object(LIST_CHANGED)),
      resources: optional(object({ subscribe: optional(boolean), ...LIST_CHANGED })),
      tools: optional(object(LIST_CHANGED)),
    }),
  InitializeRequestParams: () =>
    requestParams({
      protocolVersion: string,
      capabilities: 'ClientCapabilities',
      clientInfo: 'Implementation',
    }),
  InitializeResult: () =>
    result({
      protocolVersion: string,
      capabilities: 'ServerCapabilities',
      serverInfo: 'Implementation',
      instructions: optional(string),
    }),
  CancelledNotificationParams: () => notificationParams({ requestId: 'RequestId', reason: optional(string) }),
  ProgressNotificationParams: () =>
    notificationParams({
      progressToken: 'ProgressToken',
      progress: number,
      total: optional(number),
    }),

  // Pages
  PaginatedRequestParams: () => requestParams({ cursor: optional('Cursor') }),

  // Content
  Annotations: () => object({ audience: optional(array('Role')), priority: optional(numberBetween(0, 1)) }),
  TextContent: () => object({ type: oneOf('text'), text: string, annotations: optional('Annotations') }),
  ImageContent: () =>
    object({
      type: oneOf('image'),
      data: string,
      mimeType: string,
      annotations: optional('Annotations'),
    }),
  EmbeddedResource: () =>
    object({
      type: oneOf('resource'),
      resource: anyOf('TextResourceContents', 'BlobResourceContents'),
      annotations: optional('Annotations'),
    }),
  ContentBlock: () => tagged('type', { text: 'TextContent', image: 'ImageContent', resource: 'EmbeddedResource' }),

  // Resources
  Resource: () =>
    object({
      uri: string,
      name: string,
      description: optional(string),
      mimeType: optional(string),
      size: optional(integer),
      annotations: optional('Annotations'),
    }),
  ResourceTemplate: () =>
    object({
      uriTemplate: string,
      name: string,
      description: optional(string),
      mimeType: optional(string),
      annotations: optional('Annotations'),
    }),
  TextResourceContents: () => object({ uri: string, mimeType: optional(string), text: string }),
  BlobResourceContents: () => object({ uri: string, mimeType: optional(string), blob: string }),
  ReadResourceRequestParams: () => requestParams({ uri: string }),
  SubscribeRequestParams: () => requestParams({ uri: string }),
  UnsubscribeRequestParams: () => requestParams({ uri: string }),
  ListResourcesResult: () => result({ resources: array('Resource'), nextCursor: optional('Cursor') }),
  ListResourceTemplatesResult: () =>
    result({
      resourceTemplates: array('ResourceTemplate'),
      nextCursor: optional('Cursor'),
    }),
  ReadResourceResult: () => result({ contents: array(anyOf('TextResourceContents', 'BlobResourceContents')) }),
  ResourceUpdatedNotificationParams: () => notificationParams({ uri: string }),

  // Prompts
  Prompt: () =>
    object({
      name: string,
      description: optional(string),
      arguments: optional(array('PromptArgument')),
    }),
  PromptArgument: () => object({ name: string, description: optional(string), required: optional(boolean) }),
  PromptMessage: () => object({ role: 'Role', content: 'ContentBlock' }),
  GetPromptRequestParams: () => requestParams({ name: string, arguments: optional(record(string)) }),
  ListPromptsResult: () => result({ prompts: array('Prompt'), nextCursor: optional('Cursor') }),
  GetPromptResult: () => result({ description: optional(string), messages: array('PromptMessage') }),

  // Tools
  Tool: () =>
    object({
      name: string,
      description: optional(string),
      inputSchema: object({
        type: oneOf('object'),
        properties: optional(record('JSONObject')),
        required: optional(array(string)),
      }),
    }),
  CallToolRequestParams: () => requestParams({ name: string, arguments: optional(record(anything)) }),
  ListToolsResult: () => result({ tools: array('Tool'), nextCursor: optional('Cursor') }),
  CallToolResult: () => result({ content: array('ContentBlock'), isError: optional(boolean) }),

  // Completion
  PromptReference: () => object({ type: oneOf('ref/prompt'), name: string }),
  ResourceTemplateReference: () => object({ type: oneOf('ref/resource'), uri: string }),
  CompleteRequestParams: () =>
    requestParams({
      ref: tagged('type', { 'ref/prompt': 'PromptReference', 'ref/resource': 'ResourceTemplateReference' }),
      argument: object({ name: string, value: string }),
    }),
  CompleteResult: () =>
    result({
      completion: object({ values: array(string), total: optional(integer), hasMore: optional(boolean) }),
    }),

  // Logging
  SetLevelRequestParams: () => requestParams({ level: 'LoggingLevel' }),
  LoggingMessageNotificationParams: () =>
    notificationParams({
      level: 'LoggingLevel',
      logger: optional(string),
      data: anything,
    }),

  // Sampling
  SamplingMessageContentBlock: () => tagged('type', { text: 'TextContent', image: 'ImageContent' }),
  SamplingMessage: () => object({ role: 'Role', content: 'SamplingMessageContentBlock' }),
  ModelHint: () => object({ name: optional(string) }),
  ModelPreferences: () =>
    object({
      hints: optional(array('ModelHint')),
      costPriority: optional(numberBetween(0, 1)),
      speedPriority: optional(numberBetween(0, 1)),
      intelligencePriority: optional(numberBetween(0, 1)),
    }),
  CreateMessageRequestParams: () =>
    requestParams({
      messages: array('SamplingMessage'),
      maxTokens: integer,
      modelPreferences: optional('ModelPreferences'),
      systemPrompt: optional(string),
      includeContext: optional(oneOf('allServers', 'none', 'thisServer')),
      temperature: optional(number),
      stopSequences: optional(array(string)),
      metadata: optional('JSONObject'),
    }),
  CreateMessageResult: () =>
    result({
      role: 'Role',
      content: 'SamplingMessageContentBlock',
      model: string,
      stopReason: optional(string),
    }),

  // Roots
  Root: () => object({ uri: string, name: optional(string) }),
  ListRootsResult: () => result({ roots: array('Root') }),
} as const satisfies ShapeTable
