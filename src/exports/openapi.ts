// mcpwire/openapi: servers and tools from OpenAPI documents, and from HTTP calls described by hand.
export type { SearchToolsOptions } from '../compose/transforms/search-tools.ts'
export type { AuthProvider } from '../http/poster.ts'
export type { OpenAPIAnswer } from '../openapi/call/api-client.ts'
export type {
  OpenAPIAuth,
  OpenAPIAuthRequest,
  OpenAPICaller,
  OpenAPIClient,
  OpenAPICredential,
  OpenAPIHeaders,
  OpenAPIPassword,
  OpenAPIProvider,
} from '../openapi/call/credentials.ts'
export type { OpenAPIDocument, ResolveDocument } from '../openapi/document/load.ts'
export { OpenAPIError } from '../openapi/document/openapi-error.ts'
export {
  type FetchPlace,
  type FetchTool,
  type FetchToolDefinitions,
  type FetchToolsOptions,
  fetchTools,
} from '../openapi/fetch-tools.ts'
export { type OpenAPIChanges, type OpenAPIServer, openAPIServer } from '../openapi/openapi-server.ts'
export { openAPITools } from '../openapi/openapi-tools.ts'
export type { OpenAPIOperation } from '../openapi/operations/collect.ts'
export type { OperationKind } from '../openapi/operations/extension.ts'
export type { OperationMatch, OperationPattern } from '../openapi/operations/filter.ts'
export type { SecurityScheme } from '../openapi/operations/security.ts'
export type {
  OpenAPIResponseOptions,
  OpenAPIServerOptions,
  OpenAPITool,
  OpenAPIToolsOptions,
} from '../openapi/options.ts'
export type { OpenAPIReport, OpenAPIReportEntry } from '../openapi/report.ts'
export type { DeepArrays } from '../openapi/request/styles.ts'
