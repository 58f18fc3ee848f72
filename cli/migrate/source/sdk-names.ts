// What the official SDK is called in code: modules, classes, schemas of messages, and types that have the same name here.

export type SdkVersion = 'v1' | 'v2'

export function sdkVersionOf(module: string): SdkVersion | undefined {
  if (/^@modelcontextprotocol\/sdk(?:\/|$)/.test(module)) return 'v1'
  if (/^@modelcontextprotocol\/(?:server|client|node|express|hono|fastify|core)(?:\/|$)/.test(module)) return 'v2'
  return undefined
}

/** What an expression is, as far as the SDK is concerned. */
export type Kind =
  | 'mcp-server'
  | 'low-server'
  | 'client'
  | 'stdio-server-transport'
  | 'http-server-transport'
  | 'sse-server-transport'
  | 'stdio-client-transport'
  | 'http-client-transport'
  | 'sse-client-transport'
  | 'other-client-transport'
  | 'resource-template'
  | 'task-store'
  | 'extra'
  | 'low-extra'

export const CLASS_KINDS: ReadonlyMap<string, Kind> = new Map([
  ['McpServer', 'mcp-server'],
  ['Server', 'low-server'],
  ['Client', 'client'],
  ['StdioServerTransport', 'stdio-server-transport'],
  ['StreamableHTTPServerTransport', 'http-server-transport'],
  ['NodeStreamableHTTPServerTransport', 'http-server-transport'],
  ['SSEServerTransport', 'sse-server-transport'],
  ['StdioClientTransport', 'stdio-client-transport'],
  ['StreamableHTTPClientTransport', 'http-client-transport'],
  ['SSEClientTransport', 'sse-client-transport'],
  ['WebSocketClientTransport', 'other-client-transport'],
  ['ResourceTemplate', 'resource-template'],
  ['InMemoryTaskStore', 'task-store'],
  ['InMemoryTaskMessageQueue', 'task-store'],
])

/** The schema that a v1 program passes to `setRequestHandler`, and the method that it stands for. */
export const METHOD_OF_SCHEMA: ReadonlyMap<string, string> = new Map([
  ['InitializeRequestSchema', 'initialize'],
  ['PingRequestSchema', 'ping'],
  ['ListToolsRequestSchema', 'tools/list'],
  ['CallToolRequestSchema', 'tools/call'],
  ['ListResourcesRequestSchema', 'resources/list'],
  ['ListResourceTemplatesRequestSchema', 'resources/templates/list'],
  ['ReadResourceRequestSchema', 'resources/read'],
  ['SubscribeRequestSchema', 'resources/subscribe'],
  ['UnsubscribeRequestSchema', 'resources/unsubscribe'],
  ['ListPromptsRequestSchema', 'prompts/list'],
  ['GetPromptRequestSchema', 'prompts/get'],
  ['CompleteRequestSchema', 'completion/complete'],
  ['SetLevelRequestSchema', 'logging/setLevel'],
  ['CreateMessageRequestSchema', 'sampling/createMessage'],
  ['ElicitRequestSchema', 'elicitation/create'],
  ['ListRootsRequestSchema', 'roots/list'],
  ['InitializedNotificationSchema', 'notifications/initialized'],
  ['CancelledNotificationSchema', 'notifications/cancelled'],
  ['ProgressNotificationSchema', 'notifications/progress'],
  ['LoggingMessageNotificationSchema', 'notifications/message'],
  ['ResourceUpdatedNotificationSchema', 'notifications/resources/updated'],
  ['ResourceListChangedNotificationSchema', 'notifications/resources/list_changed'],
  ['ToolListChangedNotificationSchema', 'notifications/tools/list_changed'],
  ['PromptListChangedNotificationSchema', 'notifications/prompts/list_changed'],
  ['RootsListChangedNotificationSchema', 'notifications/roots/list_changed'],
])

/** Types of the protocol: the same name in `mcpwire/types`. A test compares both sides. */
export const SAME_TYPES: ReadonlySet<string> = new Set([
  'Annotations',
  'AudioContent',
  'BlobResourceContents',
  'CallToolRequest',
  'CallToolResult',
  'ClientCapabilities',
  'CompleteRequest',
  'CompleteResult',
  'ContentBlock',
  'CreateMessageRequest',
  'CreateMessageResult',
  'ElicitRequest',
  'ElicitResult',
  'EmbeddedResource',
  'EmptyResult',
  'GetPromptRequest',
  'GetPromptResult',
  'Icon',
  'ImageContent',
  'Implementation',
  'InitializeResult',
  'JSONRPCMessage',
  'JSONRPCNotification',
  'JSONRPCRequest',
  'ListPromptsResult',
  'ListResourceTemplatesResult',
  'ListResourcesResult',
  'ListRootsResult',
  'ListToolsResult',
  'LoggingLevel',
  'ModelPreferences',
  'ProgressToken',
  'Prompt',
  'PromptArgument',
  'PromptMessage',
  'ReadResourceRequest',
  'ReadResourceResult',
  'RequestId',
  'Resource',
  'ResourceLink',
  'Role',
  'Root',
  'SamplingMessage',
  'ServerCapabilities',
  'TextContent',
  'TextResourceContents',
  'Tool',
  'ToolAnnotations',
])

export interface Replacement {
  readonly name: string
  readonly from: string
  readonly isType: boolean
}

/** Names that have another name here and stand for the same. */
export const RENAMED: ReadonlyMap<string, Replacement> = new Map(
  (
    [
      ['McpServer', 'MCPServer', 'mcpwire', false],
      ['Server', 'Server', 'mcpwire/server', false],
      ['Client', 'Client', 'mcpwire', false],
      ['McpError', 'MCPError', 'mcpwire', false],
      ['ProtocolError', 'MCPError', 'mcpwire', false],
      ['ErrorCode', 'ErrorCode', 'mcpwire', false],
      ['ProtocolErrorCode', 'ErrorCode', 'mcpwire', false],
      ['UrlElicitationRequiredError', 'UrlElicitationRequiredError', 'mcpwire', false],
      ['completable', 'completable', 'mcpwire', false],
      ['RequestHandlerExtra', 'Context', 'mcpwire', true],
      ['ServerContext', 'Context', 'mcpwire', true],
      ['RegisteredTool', 'ToolHandle', 'mcpwire/server', true],
      ['RegisteredPrompt', 'PromptHandle', 'mcpwire/server', true],
      ['RegisteredResource', 'ResourceHandle', 'mcpwire/server', true],
      ['RegisteredResourceTemplate', 'ResourceHandle', 'mcpwire/server', true],
      ['StdioServerParameters', 'StdioOptions', 'mcpwire/node', true],
      ['getDefaultEnvironment', 'defaultEnvironment', 'mcpwire/node', false],
      ['LATEST_PROTOCOL_VERSION', 'LATEST_PROTOCOL_VERSION', 'mcpwire/types', false],
    ] as const
  ).map(([old, name, from, isType]) => [old, { name, from, isType }]),
)
