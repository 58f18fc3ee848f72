// mcpwire: the names that most programs use.
export { Client } from '../client/client.ts'
export type { ClientOptions } from '../client/client-options.ts'
export type { Context } from '../mcpserver/handlers/context.ts'
export { MCPServer } from '../mcpserver/mcpserver.ts'
export type { MCPServerOptions } from '../mcpserver/options.ts'
export { completable } from '../mcpserver/prompts/completion.ts'
export { prompt } from '../mcpserver/prompts/prompt.ts'
export { resource } from '../mcpserver/resources/resource.ts'
export { tool } from '../mcpserver/tools/tool.ts'
export { audio, image, resourceLink } from '../mcpserver/values/media.ts'
export { ErrorCode } from '../types/errors/error-codes.ts'
export {
  MCPError,
  type MCPErrorOptions,
  MissingClientCapabilityError,
  NoBackChannelError,
  UnsupportedProtocolVersionError,
  UrlElicitationRequiredError,
} from '../types/errors/errors.ts'
export {
  ConnectError,
  type ConnectErrorOptions,
  type ConnectPhase,
  InputRequiredRoundsExceededError,
  InvalidResultError,
  LimitError,
  ListenNotSupportedError,
  OAuthError,
  SubscriptionLost,
  ToolError,
  TransportError,
  type TransportErrorOptions,
  UnexpectedClaimedResult,
} from '../types/errors/failures.ts'
export type { ContentBlock } from '../types/features/content.ts'
export type { GetPromptResult, Prompt, PromptMessage } from '../types/features/prompts.ts'
export type { ReadResourceResult, Resource, ResourceTemplate } from '../types/features/resources.ts'
export type { CallToolResult, Tool } from '../types/features/tools.ts'
