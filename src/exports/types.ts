// mcpwire/types: every type of the protocol, with the constants, versions and errors that belong to it.

export type { ErrorSlug } from '../primitives/help.ts'
export {
  expandUriTemplate,
  type UriTemplateValue,
  type UriTemplateVariables,
} from '../primitives/uri-template/expand.ts'
export { UriTemplateError } from '../primitives/uri-template/parse.ts'
export * from '../types/errors/error-codes.ts'
// By name: what else is in there is for the other modules.
export {
  MCPError,
  type MCPErrorOptions,
  MissingClientCapabilityError,
  NoBackChannelError,
  UnsupportedProtocolVersionError,
  UrlElicitationRequiredError,
} from '../types/errors/errors.ts'
export * from '../types/errors/failures.ts'
export type * from '../types/features/completion.ts'
export type * from '../types/features/content.ts'
export type * from '../types/features/elicitation.ts'
export type * from '../types/features/input-required.ts'
export * from '../types/features/logging.ts'
export type * from '../types/features/prompts.ts'
export type * from '../types/features/resources.ts'
export type * from '../types/features/roots.ts'
export * from '../types/features/sampling.ts'
export type * from '../types/features/subscriptions.ts'
export type * from '../types/features/tasks.ts'
export type * from '../types/features/tools.ts'
export type * from '../types/protocol/auth.ts'
export * from '../types/protocol/base.ts'
export type * from '../types/protocol/capabilities.ts'
export type * from '../types/protocol/json.ts'
export * from '../types/protocol/jsonrpc.ts'
export type * from '../types/protocol/lifecycle.ts'
export * from '../types/protocol/meta.ts'
export * from '../types/protocol/metadata.ts'
export type * from '../types/protocol/methods.ts'
export type * from '../types/protocol/responses.ts'
export * from '../types/protocol/versions.ts'
export * from '../wire/guards.ts'
export type { CacheableMethod, InputRequiredMethod } from '../wire/methods.ts'
