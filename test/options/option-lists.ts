// The known keys of every option type that can be imported, by the type's name. The compiler holds each list against its type.
import * as clientCredentials from '../../src/auth/client/client-credentials.ts'
import * as enterprise from '../../src/auth/client/enterprise-managed.ts'
import * as redirect from '../../src/auth/client/login/redirect-receiver.ts'
import * as registration from '../../src/auth/client/login/registered-client.ts'
import * as network from '../../src/auth/client/network/network-policy.ts'
import * as oauth from '../../src/auth/client/oauth.ts'
import * as provider from '../../src/auth/client/provider.ts'
import * as exchange from '../../src/auth/client/token-exchange.ts'
import * as clientAuth from '../../src/auth/client/tokens/client-auth.ts'
import * as tokenStoreOn from '../../src/auth/client/tokens/token-store-on.ts'
import * as workload from '../../src/auth/client/workload-identity.ts'
import * as bearer from '../../src/auth/server/bearer-options.ts'
import * as dpop from '../../src/auth/server/dpop.ts'
import * as resourceMetadata from '../../src/auth/server/resource-metadata.ts'
import * as introspection from '../../src/auth/server/verify-introspection.ts'
import * as jwt from '../../src/auth/server/verify-jwt.ts'
import * as authDev from '../../src/auth-dev/dev-authorization-server.ts'
import * as memoryBackend from '../../src/backend/memory/memory.ts'
import * as sealed from '../../src/backend/sealed/sealed.ts'
import * as bullmq from '../../src/bullmq/bullmq-executor.ts'
import * as cacheConfig from '../../src/client/cache/cache-config.ts'
import * as client from '../../src/client/client-options.ts'
import * as group from '../../src/client/group/options.ts'
import * as targets from '../../src/client/opening/targets.ts'
import * as session from '../../src/client/session/session-options.ts'
import * as reconnect from '../../src/client/transports/retry.ts'
import * as sse from '../../src/client/transports/sse.ts'
import * as streamable from '../../src/client/transports/streamable-http.ts'
import * as codeMode from '../../src/compose/code-mode/code-mode.ts'
import * as naming from '../../src/compose/composite/names.ts'
import * as transforms from '../../src/compose/transforms/rename.ts'
import * as search from '../../src/compose/transforms/search-tools.ts'
import * as versions from '../../src/compose/transforms/version.ts'
import * as channel from '../../src/dispatcher/channel.ts'
import * as direct from '../../src/dispatcher/direct-dispatcher.ts'
import * as dispatcher from '../../src/dispatcher/dispatcher.ts'
import * as memoryChannel from '../../src/dispatcher/memory-channel.ts'
import * as appHost from '../../src/extensions/apps/host/host-options.ts'
import * as mount from '../../src/extensions/apps/host/mount-view.ts'
import * as readView from '../../src/extensions/apps/host/read-view.ts'
import * as sandboxPage from '../../src/extensions/apps/host/sandbox-page.ts'
import * as windowChannel from '../../src/extensions/apps/host/window-channel.ts'
import * as app from '../../src/extensions/apps/server/app-definition.ts'
import * as skillOptions from '../../src/extensions/skills/server/read-skill.ts'
import * as skills from '../../src/extensions/skills/skills.ts'
import * as tasks from '../../src/extensions/tasks/options/tasks-options.ts'
import * as toFetch from '../../src/http/to-fetch.ts'
import * as interaction from '../../src/mcpserver/asking/options.ts'
import type { AppOptions } from '../../src/mcpserver/extensions/app-options.ts'
import type { DynamicSkillOptions, SkillOptions } from '../../src/mcpserver/extensions/skill-options.ts'
import type { TaskOptions } from '../../src/mcpserver/extensions/task-options.ts'
import * as taskPlan from '../../src/mcpserver/extensions/task-plan.ts'
import * as definitions from '../../src/mcpserver/handlers/definition-options.ts'
import * as mounts from '../../src/mcpserver/mounting/mount-options.ts'
import * as mcpserver from '../../src/mcpserver/options.ts'
import type { PromptOptions } from '../../src/mcpserver/prompts/prompt.ts'
import type { ResourceOptions } from '../../src/mcpserver/resources/resource.ts'
import * as run from '../../src/mcpserver/run.ts'
import * as nats from '../../src/nats/nats.ts'
import * as directory from '../../src/node/files/directory-resources.ts'
import * as file from '../../src/node/files/file-resource.ts'
import * as tokenStore from '../../src/node/files/file-token-store.ts'
import * as skillFolder from '../../src/node/files/skill-folder.ts'
import * as shutdown from '../../src/node/process/shutdown-times.ts'
import * as serveTasks from '../../src/node/serve-tasks.ts'
import * as stdio from '../../src/node/stdio/stdio-client.ts'
import * as launcher from '../../src/node/stdio/stdio-launcher.ts'
import * as serveStdio from '../../src/node/stdio/stdio-server.ts'
import * as fetchTools from '../../src/openapi/fetch-tools.ts'
import * as openapi from '../../src/openapi/options.ts'
import * as postgres from '../../src/postgres/postgres.ts'
import type { KnownKeys } from '../../src/primitives/options.ts'
import * as proxyClient from '../../src/proxy/base/client-options.ts'
import * as proxy from '../../src/proxy/base/options.ts'
import * as gateway from '../../src/proxy/gateway/gateway-options.ts'
import * as perUser from '../../src/proxy/sign-in/per-user.ts'
import * as redis from '../../src/redis/redis.ts'
import * as schemaEngine from '../../src/schema/engine.ts'
import type { CompileOptions, SchemaLimits } from '../../src/schema/json-schema.ts'
import * as userSchema from '../../src/schema/user-schema.ts'
import * as card from '../../src/server/http/card/card-options.ts'
import * as cors from '../../src/server/http/guards/cors.ts'
import * as handler from '../../src/server/http/handler-options.ts'
import * as legacy from '../../src/server/http/legacy/legacy-options.ts'
import * as serve from '../../src/server/http/serve-options.ts'
import * as eventStore from '../../src/server/http/streams/event-store.ts'
import * as concurrency from '../../src/server/middleware/limit-concurrency.ts'
import * as rate from '../../src/server/middleware/limit-rate.ts'
import * as size from '../../src/server/middleware/limit-response-size.ts'
import * as time from '../../src/server/middleware/limit-time.ts'
import * as log from '../../src/server/middleware/log-requests.ts'
import * as caching from '../../src/server/results/caching.ts'
import * as server from '../../src/server/server.ts'
import * as requestState from '../../src/server/state/request-state.ts'
import * as sharedKeys from '../../src/server/state/shared-keys.ts'
import * as subscriptions from '../../src/server/subscriptions/subscriptions.ts'
import * as sqlite from '../../src/sqlite/sqlite.ts'
import * as tracing from '../../src/telemetry/api.ts'
import * as measureBackend from '../../src/telemetry/measure-backend.ts'
import type { TraceClientOptions } from '../../src/telemetry/trace-client.ts'
import * as traceClientModule from '../../src/telemetry/trace-client.ts'
import * as traceServer from '../../src/telemetry/trace-server.ts'
import * as testing from '../../src/testing/connect.ts'
import * as withTasks from '../../src/testing/with-tasks.ts'

export const OPTION_LISTS = {
  AppHostOptions: appHost.APP_HOST_KEYS satisfies KnownKeys<appHost.AppHostOptions>,
  AppOptions: app.APP_KEYS satisfies KnownKeys<AppOptions>,
  ServerMountOptions: mounts.SERVER_MOUNT_KEYS satisfies KnownKeys<mounts.ServerMountOptions>,
  MountOptions: mount.MOUNT_KEYS satisfies KnownKeys<mount.MountOptions>,
  ReadViewOptions: readView.READ_VIEW_KEYS satisfies KnownKeys<readView.ReadViewOptions>,
  SandboxPageOptions: sandboxPage.SANDBOX_PAGE_KEYS satisfies KnownKeys<sandboxPage.SandboxPageOptions>,
  WindowChannelOptions: windowChannel.WINDOW_CHANNEL_KEYS satisfies KnownKeys<windowChannel.WindowChannelOptions>,
  BearerOptions: bearer.BEARER_KEYS satisfies KnownKeys<bearer.BearerOptions>,
  CacheConfig: cacheConfig.CACHE_CONFIG_KEYS satisfies KnownKeys<cacheConfig.CacheConfig>,
  CacheHint: caching.CACHE_HINT_KEYS satisfies KnownKeys<caching.CacheHint>,
  ClientCredentialsOptions:
    clientCredentials.CLIENT_CREDENTIALS_KEYS satisfies KnownKeys<clientCredentials.ClientCredentialsOptions>,
  ClientOptions: client.CLIENT_KEYS satisfies KnownKeys<client.ClientOptions>,
  ClientSessionGroupOptions: group.SESSION_GROUP_KEYS satisfies KnownKeys<group.ClientSessionGroupOptions>,
  ClientSessionOptions: session.CLIENT_SESSION_KEYS satisfies KnownKeys<session.ClientSessionOptions>,
  CommandTarget: targets.COMMAND_KEYS satisfies KnownKeys<targets.CommandTarget>,
  CompileOptions: schemaEngine.COMPILE_KEYS satisfies KnownKeys<CompileOptions>,
  ConnectForTestOptions: testing.CONNECT_FOR_TEST_KEYS satisfies KnownKeys<testing.ConnectForTestOptions>,
  TaskLimits: tasks.LIMIT_KEYS satisfies KnownKeys<tasks.TaskLimits>,
  TaskOptions: taskPlan.TASK_KEYS satisfies KnownKeys<TaskOptions>,
  TasksOptions: tasks.TASKS_KEYS satisfies KnownKeys<tasks.TasksOptions>,
  WithTasksOptions: withTasks.WITH_TASKS_KEYS satisfies KnownKeys<withTasks.WithTasksOptions>,
  ConnectOptions: channel.CONNECT_KEYS satisfies KnownKeys<channel.ConnectOptions>,
  CorsOptions: cors.CORS_KEYS satisfies KnownKeys<cors.CorsOptions>,
  DirectDispatcherOptions: direct.DIRECT_DISPATCHER_KEYS satisfies KnownKeys<direct.DirectDispatcherOptions>,
  DirectoryResourcesOptions:
    directory.DIRECTORY_RESOURCES_KEYS satisfies KnownKeys<directory.DirectoryResourcesOptions>,
  DynamicSkillOptions: skillOptions.DYNAMIC_SKILL_KEYS satisfies KnownKeys<DynamicSkillOptions>,
  SkillFolderOptions: skillFolder.SKILL_FOLDER_KEYS satisfies KnownKeys<skillFolder.SkillFolderOptions>,
  SkillOptions: skillOptions.SKILL_KEYS satisfies KnownKeys<SkillOptions>,
  SkillsOptions: skills.SKILLS_KEYS satisfies KnownKeys<skills.SkillsOptions>,
  DevAuthorizationServerOptions:
    authDev.DEV_AUTHORIZATION_SERVER_KEYS satisfies KnownKeys<authDev.DevAuthorizationServerOptions>,
  DispatcherOptions: dispatcher.DISPATCHER_KEYS satisfies KnownKeys<dispatcher.DispatcherOptions>,
  DpopOptions: dpop.DPOP_KEYS satisfies KnownKeys<dpop.DpopOptions>,
  EnterpriseManagedOptions: enterprise.ENTERPRISE_MANAGED_KEYS satisfies KnownKeys<enterprise.EnterpriseManagedOptions>,
  FileResourceOptions: file.FILE_RESOURCE_KEYS satisfies KnownKeys<file.FileResourceOptions>,
  FileTokenStoreOptions: tokenStore.FILE_TOKEN_STORE_KEYS satisfies KnownKeys<tokenStore.FileTokenStoreOptions>,
  GroupConnectOptions: group.GROUP_CONNECT_KEYS satisfies KnownKeys<group.GroupConnectOptions>,
  GroupOpenOptions: group.GROUP_OPEN_KEYS satisfies KnownKeys<group.GroupOpenOptions>,
  HandlerOptions: handler.HANDLER_KEYS satisfies KnownKeys<handler.HandlerOptions>,
  HandshakeOptions: legacy.LEGACY_KEYS satisfies KnownKeys<legacy.HandshakeOptions>,
  IdentityProvider: enterprise.IDENTITY_PROVIDER_KEYS satisfies KnownKeys<enterprise.IdentityProvider>,
  InteractionOptions: interaction.INTERACTION_KEYS satisfies KnownKeys<interaction.InteractionOptions>,
  IntrospectionVerifierOptions:
    introspection.INTROSPECTION_VERIFIER_KEYS satisfies KnownKeys<introspection.IntrospectionVerifierOptions>,
  JwtVerifierOptions: jwt.JWT_VERIFIER_KEYS satisfies KnownKeys<jwt.JwtVerifierOptions>,
  LaunchOptions: launcher.LAUNCH_KEYS satisfies KnownKeys<launcher.LaunchOptions>,
  LegacyOptions: legacy.LEGACY_KEYS satisfies KnownKeys<legacy.LegacyOptions>,
  LegacySsePaths: handler.LEGACY_SSE_KEYS satisfies KnownKeys<handler.LegacySsePaths>,
  LimitConcurrencyOptions: concurrency.LIMIT_CONCURRENCY_KEYS satisfies KnownKeys<concurrency.LimitConcurrencyOptions>,
  LimitRateOptions: rate.LIMIT_RATE_KEYS satisfies KnownKeys<rate.LimitRateOptions>,
  LimitResponseSizeOptions: size.LIMIT_RESPONSE_SIZE_KEYS satisfies KnownKeys<size.LimitResponseSizeOptions>,
  LimitTimeOptions: time.LIMIT_TIME_KEYS satisfies KnownKeys<time.LimitTimeOptions>,
  LogRequestsOptions: log.LOG_REQUESTS_KEYS satisfies KnownKeys<log.LogRequestsOptions>,
  MCPServerOptions: mcpserver.MCP_SERVER_KEYS satisfies KnownKeys<mcpserver.MCPServerOptions>,
  SQLiteOptions: sqlite.SQLITE_KEYS satisfies KnownKeys<sqlite.SQLiteOptions>,
  NatsOptions: nats.NATS_KEYS satisfies KnownKeys<nats.NatsOptions>,
  PerUserOptions: perUser.PER_USER_KEYS satisfies KnownKeys<perUser.PerUserOptions>,
  PostgresOptions: postgres.POSTGRES_KEYS satisfies KnownKeys<postgres.PostgresOptions>,
  RedisBackendOptions: redis.REDIS_KEYS satisfies KnownKeys<redis.RedisBackendOptions>,
  MeasureBackendOptions: measureBackend.MEASURE_BACKEND_KEYS satisfies KnownKeys<measureBackend.MeasureBackendOptions>,
  MemoryBackendOptions: memoryBackend.MEMORY_KEYS satisfies KnownKeys<memoryBackend.MemoryBackendOptions>,
  MemoryEventStoreOptions: eventStore.MEMORY_EVENT_STORE_KEYS satisfies KnownKeys<eventStore.MemoryEventStoreOptions>,
  MemoryChannelOptions: memoryChannel.MEMORY_CHANNEL_KEYS satisfies KnownKeys<memoryChannel.MemoryChannelOptions>,
  NetworkOptions: network.NETWORK_KEYS satisfies KnownKeys<network.NetworkOptions>,
  OAuthOptions: oauth.OAUTH_KEYS satisfies KnownKeys<oauth.OAuthOptions>,
  PreRegisteredClient: registration.PRE_REGISTERED_CLIENT_KEYS satisfies KnownKeys<registration.PreRegisteredClient>,
  PrivateKeyJwtOptions: clientAuth.PRIVATE_KEY_JWT_KEYS satisfies KnownKeys<clientAuth.PrivateKeyJwtOptions>,
  PromptOptions: definitions.PROMPT_KEYS satisfies KnownKeys<PromptOptions>,
  ProviderOptions: provider.PROVIDER_KEYS satisfies KnownKeys<provider.ProviderOptions>,
  ReconnectOptions: reconnect.RECONNECT_KEYS satisfies KnownKeys<reconnect.ReconnectOptions>,
  RedirectOptions: redirect.REDIRECT_KEYS satisfies KnownKeys<redirect.RedirectOptions>,
  SharedKeysOptions: sharedKeys.SHARED_KEYS_KEYS satisfies KnownKeys<sharedKeys.SharedKeysOptions>,
  TokenStoreOnOptions: tokenStoreOn.TOKEN_STORE_ON_KEYS satisfies KnownKeys<tokenStoreOn.TokenStoreOnOptions>,
  RequestStateOptions: requestState.REQUEST_STATE_KEYS satisfies KnownKeys<requestState.RequestStateOptions>,
  RequestStateSettings: mcpserver.REQUEST_STATE_SETTINGS_KEYS satisfies KnownKeys<mcpserver.RequestStateSettings>,
  ResolveSchemaOptions: userSchema.RESOLVE_SCHEMA_KEYS satisfies KnownKeys<userSchema.ResolveSchemaOptions>,
  ResourceDetails: resourceMetadata.RESOURCE_DETAILS_KEYS satisfies KnownKeys<resourceMetadata.ResourceDetails>,
  ResourceOptions: definitions.RESOURCE_KEYS satisfies KnownKeys<ResourceOptions>,
  RunHttpOptions: run.RUN_HTTP_KEYS satisfies KnownKeys<run.RunHttpOptions>,
  RunStdioOptions: run.RUN_STDIO_KEYS satisfies KnownKeys<run.RunStdioOptions>,
  SealedOptions: sealed.SEALED_KEYS satisfies KnownKeys<sealed.SealedOptions>,
  SchemaLimits: schemaEngine.SCHEMA_LIMITS_KEYS satisfies KnownKeys<SchemaLimits>,
  BullMQExecutorOptions: bullmq.BULLMQ_KEYS satisfies KnownKeys<bullmq.BullMQExecutorOptions>,
  ServeTasksOptions: serveTasks.SERVE_TASKS_KEYS satisfies KnownKeys<serveTasks.ServeTasksOptions>,
  ServeHttpOptions: serve.SERVE_HTTP_KEYS satisfies KnownKeys<serve.ServeHttpOptions>,
  ServeStdioOptions: serveStdio.SERVE_STDIO_KEYS satisfies KnownKeys<serveStdio.ServeStdioOptions>,
  ServerCardOptions: card.SERVER_CARD_KEYS satisfies KnownKeys<card.ServerCardOptions>,
  ServerOptions: server.SERVER_KEYS satisfies KnownKeys<server.ServerOptions>,
  SessionOptions: legacy.SESSION_KEYS satisfies KnownKeys<legacy.SessionOptions>,
  ShutdownTimes: shutdown.SHUTDOWN_KEYS satisfies KnownKeys<shutdown.ShutdownTimes>,
  SseOptions: sse.SSE_KEYS satisfies KnownKeys<sse.SseOptions>,
  StdioOptions: stdio.STDIO_KEYS satisfies KnownKeys<stdio.StdioOptions>,
  StreamableHttpOptions: streamable.STREAMABLE_HTTP_KEYS satisfies KnownKeys<streamable.StreamableHttpOptions>,
  SubscriptionBusOptions: subscriptions.SUBSCRIPTION_BUS_KEYS satisfies KnownKeys<subscriptions.SubscriptionBusOptions>,
  ToFetchOptions: toFetch.TO_FETCH_KEYS satisfies KnownKeys<toFetch.ToFetchOptions>,
  ToolOptions: definitions.TOOL_KEYS satisfies KnownKeys<definitions.BuiltInToolOptions>,
  TraceClientOptions: traceClientModule.TRACE_CLIENT_KEYS satisfies KnownKeys<TraceClientOptions>,
  TraceServerOptions: traceServer.TRACE_SERVER_KEYS satisfies KnownKeys<traceServer.TraceServerOptions>,
  TracingOptions: tracing.TRACING_KEYS satisfies KnownKeys<tracing.TracingOptions>,
  CodeModeOptions: codeMode.CODE_MODE_KEYS satisfies KnownKeys<codeMode.CodeModeOptions>,
  SandboxLimits: codeMode.SANDBOX_LIMITS_KEYS,
  NamingOptions: naming.NAMING_KEYS satisfies KnownKeys<naming.NamingOptions>,
  VersionOptions: versions.VERSION_KEYS satisfies KnownKeys<versions.VersionOptions>,
  RenameOptions: transforms.RENAME_KEYS satisfies KnownKeys<transforms.RenameOptions>,
  SearchToolsOptions: search.SEARCH_TOOLS_KEYS satisfies KnownKeys<search.SearchToolsOptions>,
  FetchToolsOptions: fetchTools.OPTIONS_KEYS satisfies KnownKeys<fetchTools.FetchToolsOptions>,
  OpenAPIResponseOptions: openapi.RESPONSE_KEYS satisfies KnownKeys<openapi.OpenAPIResponseOptions>,
  OpenAPIServerOptions: openapi.SERVER_KEYS satisfies KnownKeys<openapi.OpenAPIServerOptions>,
  OpenAPIToolsOptions: openapi.TOOLS_KEYS satisfies KnownKeys<openapi.OpenAPIToolsOptions>,
  ProxyClientOptions: proxyClient.PROXY_CLIENT_KEYS satisfies KnownKeys<proxyClient.ProxyClientOptions>,
  ProxyOptions: proxy.PROXY_KEYS satisfies KnownKeys<proxy.ProxyOptions>,
  GatewayOptions: gateway.GATEWAY_KEYS satisfies KnownKeys<gateway.GatewayOptions>,
  TokenExchangeOptions: exchange.TOKEN_EXCHANGE_KEYS satisfies KnownKeys<exchange.TokenExchangeOptions>,
  WorkloadIdentityOptions: workload.WORKLOAD_IDENTITY_KEYS satisfies KnownKeys<workload.WorkloadIdentityOptions>,
}

/** Types with such a name that are not checked, by why. */
export const UNCHECKED_TYPES: Readonly<Record<string, readonly string[]>> = {
  'given with one operation of a backend, where the compiler checks': [
    'AppendOptions',
    'CreateTaskOptions',
    'HoldOptions',
    'PostOptions',
    'PutOptions',
    'ReadOptions',
    'TakeOptions',
    'TaskStoreLimits',
  ],
  'an interface of a backend, or what its error is made from': ['BackendErrorOptions', 'Limits'],
  'given with one call, where the compiler checks': [
    'CallOptions',
    'CallToolOptions',
    'ClaimOptions',
    'ClientCallOptions',
    'ClientListOptions',
    'ClientPagesOptions',
    'ClientReadOptions',
    'ClientToolCallOptions',
    'CloseOptions',
    'DirectCallOptions',
    'DirectListOptions',
    'HealthOptions',
    'InitializeOptions',
    'InteractiveOptions',
    'JobWaitOptions',
    'ListOptions',
    'ListenOptions',
    'MediaOptions',
    'RawRequestOptions',
    'RequestOptions',
    'SessionCallOptions',
    'SessionNotifyOptions',
    'SkillRequestOptions',
    'TaskRequestOptions',
    'TaskStartOptions',
    'TransportOpenOptions',
    'ViewCallOptions',
    'VendorRequestOptions',
  ],
  'part of a checked type': ['TasksClientOptions'],
  'a target, which may have keys of other programs': ['ConfiguredTarget', 'ProxyTarget'],
  'given with one message, by transports and dispatchers': ['MessageLimits', 'ReceiveHints', 'SendHints'],
  'given to the constructor of an error, which must not fail': [
    'ConnectErrorOptions',
    'MCPErrorOptions',
    'OAuthErrorOptions',
    'TransportErrorOptions',
  ],
  'no options: read by handlers, or keyed by method, or a union of checked types, or of another library': [
    'AppsClientSettings',
    'CacheHints',
    'ClientTarget',
    'HttpDetails',
    'RunOptions',
    'ServerTarget',
    'StandardJSONSchemaOptions',
  ],
}
