// The names that the OpenTelemetry semantic conventions give to what happens in MCP.

export const Attribute = {
  MethodName: 'mcp.method.name',
  ProtocolVersion: 'mcp.protocol.version',
  SessionId: 'mcp.session.id',
  ResourceUri: 'mcp.resource.uri',
  RequestId: 'jsonrpc.request.id',
  ResponseStatusCode: 'rpc.response.status_code',
  ErrorType: 'error.type',
  OperationName: 'gen_ai.operation.name',
  ToolName: 'gen_ai.tool.name',
  ToolArguments: 'gen_ai.tool.call.arguments',
  ToolResult: 'gen_ai.tool.call.result',
  PromptName: 'gen_ai.prompt.name',
  NetworkTransport: 'network.transport',
  NetworkProtocolName: 'network.protocol.name',
} as const

/** Instead of a name that anybody could have made up: measurements are kept for each name there ever was. */
export const OTHER = '_OTHER'

/** What `error.type` says where there is no code. */
export const ErrorType = {
  ToolError: 'tool_error',
  Timeout: 'timeout',
  ConnectionClosed: 'connection_closed',
  Cancelled: 'cancelled',
} as const

/** In seconds. */
export const DURATION_BUCKETS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300]
