// mcpwire: the everyday names.
export { Client } from '../client/client.ts'
export type { ClientOptions } from '../client/client-options.ts'
export { completable } from '../mcpserver/completion.ts'
export type { Context } from '../mcpserver/context.ts'
export { MCPServer } from '../mcpserver/mcpserver.ts'
export { audio, image, resourceLink } from '../mcpserver/media.ts'
export type { MCPServerOptions } from '../mcpserver/options.ts'
export { prompt } from '../mcpserver/prompt.ts'
export { resource } from '../mcpserver/resource.ts'
export { tool } from '../mcpserver/tool.ts'
export { ConnectError, type ConnectErrorOptions, type ConnectPhase } from '../types/connect-error.ts'
export type { ContentBlock } from '../types/content.ts'
export { ErrorCode } from '../types/error-codes.ts'
export {
  MCPError,
  type MCPErrorOptions,
  MissingClientCapabilityError,
  NoBackChannelError,
  UnsupportedProtocolVersionError,
  UrlElicitationRequiredError,
} from '../types/errors.ts'
export {
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
} from '../types/failures.ts'
export type { GetPromptResult, Prompt, PromptMessage } from '../types/prompts.ts'
export type { ReadResourceResult, Resource, ResourceTemplate } from '../types/resources.ts'
export type { CallToolResult, Tool } from '../types/tools.ts'
