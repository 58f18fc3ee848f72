// mcpwire: the everyday names.
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
