// With `exactOptionalPropertyTypes`, which this repository sets too: an option of a call may be given as `undefined`, which means
// that it is not given. Options are often passed on from somewhere that may not have them.

import type { ClientCredentialsOptions } from '../../src/auth/client/client-credentials.ts'
import type { EnterpriseManagedOptions } from '../../src/auth/client/enterprise-managed.ts'
import type { RedirectOptions } from '../../src/auth/client/login/redirect-receiver.ts'
import type { NetworkOptions } from '../../src/auth/client/network/network-policy.ts'
import type { OAuthOptions } from '../../src/auth/client/oauth.ts'
import type { ProviderOptions } from '../../src/auth/client/provider.ts'
import type { TokenExchangeOptions } from '../../src/auth/client/token-exchange.ts'
import type { PrivateKeyJwtOptions } from '../../src/auth/client/tokens/client-auth.ts'
import type { TokenStoreOnOptions } from '../../src/auth/client/tokens/token-store-on.ts'
import type { WorkloadIdentityOptions } from '../../src/auth/client/workload-identity.ts'
import type { BearerOptions } from '../../src/auth/server/bearer-options.ts'
import type { DpopOptions } from '../../src/auth/server/dpop.ts'
import type { IntrospectionVerifierOptions } from '../../src/auth/server/verify-introspection.ts'
import type { JwtVerifierOptions } from '../../src/auth/server/verify-jwt.ts'
import type { DevAuthorizationServerOptions } from '../../src/auth-dev/dev-authorization-server.ts'
import type { MemoryBackendOptions } from '../../src/backend/memory/memory.ts'
import type { SealedOptions } from '../../src/backend/sealed/sealed.ts'
import type { BullMQExecutorOptions } from '../../src/bullmq/bullmq-executor.ts'
import type { CacheConfig } from '../../src/client/cache/cache-config.ts'
import type { Client } from '../../src/client/client.ts'
import type {
  ClientCallOptions,
  ClientListOptions,
  ClientOptions,
  ClientPagesOptions,
  ClientReadOptions,
  ClientToolCallOptions,
} from '../../src/client/client-options.ts'
import type { ServerEntry } from '../../src/client/group/configured-servers.ts'
import type { GroupConnectOptions, GroupOpenOptions } from '../../src/client/group/options.ts'
import type { CommandTarget } from '../../src/client/opening/targets.ts'
import type {
  CallToolOptions,
  InitializeOptions,
  InteractiveOptions,
  ListOptions,
  RequestOptions,
  VendorRequestOptions,
} from '../../src/client/session/request-options.ts'
import type { ClientSessionOptions } from '../../src/client/session/session-options.ts'
import type { ListenOptions } from '../../src/client/subscriptions/listen.ts'
import type { ReconnectOptions } from '../../src/client/transports/retry.ts'
import type { SseOptions } from '../../src/client/transports/sse.ts'
import type { StreamableHttpOptions } from '../../src/client/transports/streamable-http.ts'
import type { ConnectOptions } from '../../src/dispatcher/channel.ts'
import type { DirectDispatcherOptions } from '../../src/dispatcher/direct-dispatcher.ts'
import type { CloseOptions, DispatcherOptions } from '../../src/dispatcher/dispatcher.ts'
import type { AppHostOptions, ViewCallOptions } from '../../src/extensions/apps/host/host-options.ts'
import type { MountOptions } from '../../src/extensions/apps/host/mount-view.ts'
import type { ReadViewOptions } from '../../src/extensions/apps/host/read-view.ts'
import type { WindowChannelOptions } from '../../src/extensions/apps/host/window-channel.ts'
import type { SkillsOptions } from '../../src/extensions/skills/skills.ts'
import type { TaskLimits, TasksOptions } from '../../src/extensions/tasks/options/tasks-options.ts'
import type { ToFetchOptions } from '../../src/http/to-fetch.ts'
import type { InteractionOptions } from '../../src/mcpserver/asking/options.ts'
import type { DirectCallOptions, DirectListOptions } from '../../src/mcpserver/direct-calls.ts'
import type { AppOptions, UiOption } from '../../src/mcpserver/extensions/app-options.ts'
import type { DynamicSkillOptions, SkillChanges, SkillOptions } from '../../src/mcpserver/extensions/skill-options.ts'
import type { TaskOptions } from '../../src/mcpserver/extensions/task-options.ts'
import type { ToolExtensionOptions } from '../../src/mcpserver/extensions/tool-extension-options.ts'
import type { Context } from '../../src/mcpserver/handlers/context.ts'
import type { BuiltInToolOptions } from '../../src/mcpserver/handlers/definition-options.ts'
import type { MCPServer } from '../../src/mcpserver/mcpserver.ts'
import type { MCPServerOptions } from '../../src/mcpserver/options.ts'
import type { PromptOptions } from '../../src/mcpserver/prompts/prompt.ts'
import type { ResourceOptions } from '../../src/mcpserver/resources/resource.ts'
import type { RunStdioOptions } from '../../src/mcpserver/run.ts'
import type { NoArguments } from '../../src/mcpserver/tools/typed.ts'
import type { MediaOptions } from '../../src/mcpserver/values/media.ts'
import type { DirectoryResourcesOptions } from '../../src/node/files/directory-resources.ts'
import type { FileResourceOptions } from '../../src/node/files/file-resource.ts'
import type { FileTokenStoreOptions } from '../../src/node/files/file-token-store.ts'
import type { SkillFolderOptions } from '../../src/node/files/skill-folder.ts'
import type { ServeTasksOptions } from '../../src/node/serve-tasks.ts'
import type { StdioOptions } from '../../src/node/stdio/stdio-client.ts'
import type { LaunchOptions } from '../../src/node/stdio/stdio-launcher.ts'
import type { ServeStdioOptions } from '../../src/node/stdio/stdio-serving.ts'
import type { PostgresOptions } from '../../src/postgres/postgres.ts'
import type { ProxyClientOptions } from '../../src/proxy/base/client-options.ts'
import type { ProxyCache, ProxyForwarding, ProxyNetwork, ProxyOptions } from '../../src/proxy/base/options.ts'
import type { ConfiguredEntry } from '../../src/proxy/base/targets.ts'
import type { GatewayOptions } from '../../src/proxy/gateway/gateway-options.ts'
import type { GatewaySource } from '../../src/proxy/gateway/gateway-targets.ts'
import type { HealthOptions } from '../../src/proxy/pool/health.ts'
import type { RedisBackendOptions } from '../../src/redis/redis.ts'
import type { ServerCardOptions } from '../../src/server/http/card/card-options.ts'
import type { CorsOptions } from '../../src/server/http/guards/cors.ts'
import type { HandlerOptions } from '../../src/server/http/handler-options.ts'
import type { LegacyOptions, SessionOptions } from '../../src/server/http/legacy/legacy-options.ts'
import type { ServeHttpOptions } from '../../src/server/http/serve-options.ts'
import type { MemoryEventStoreOptions } from '../../src/server/http/streams/event-store.ts'
import type { LimitConcurrencyOptions } from '../../src/server/middleware/limit-concurrency.ts'
import type { LimitRateOptions } from '../../src/server/middleware/limit-rate.ts'
import type { LimitResponseSizeOptions } from '../../src/server/middleware/limit-response-size.ts'
import type { LimitTimeOptions } from '../../src/server/middleware/limit-time.ts'
import type { LogRequestsOptions } from '../../src/server/middleware/log-requests.ts'
import type { CacheHint } from '../../src/server/results/caching.ts'
import type { ServerOptions } from '../../src/server/server.ts'
import type { SessionCallOptions, SessionNotifyOptions } from '../../src/server/session.ts'
import type { RequestStateOptions } from '../../src/server/state/request-state.ts'
import type { SharedKeysOptions } from '../../src/server/state/shared-keys.ts'
import type { SQLiteOptions } from '../../src/sqlite/sqlite.ts'
import type { TracingOptions } from '../../src/telemetry/api.ts'
import type { MeasureBackendOptions } from '../../src/telemetry/measure-backend.ts'
import type { TraceClientOptions } from '../../src/telemetry/trace-client.ts'
import type { TraceServerOptions } from '../../src/telemetry/trace-server.ts'
import type { ConnectForTestOptions } from '../../src/testing/connect.ts'
import type { ViewPermissions, ViewPolicy } from '../../src/types/extensions/apps.ts'
import type { SkillRequestOptions } from '../../src/types/extensions/skills.ts'
import type {
  JobWaitOptions,
  TaskReference,
  TaskRequestOptions,
  TaskStartOptions,
} from '../../src/types/extensions/tasks.ts'
import { holds, type Same } from './assert.ts'

/** All members that may not be `undefined`. */
type Strict<Options> = {
  [Key in keyof Options]-?: undefined extends Required<Options>[Key] ? never : Key
}[keyof Options]

/** The members that may be left out, and may not be `undefined`. */
type Refused<Options> = {
  [Key in keyof Options]-?: object extends Pick<Options, Key>
    ? undefined extends Required<Options>[Key]
      ? never
      : Key
    : never
}[keyof Options]

holds<Same<Strict<RequestOptions>, never>>()
holds<Same<Strict<NonNullable<RequestOptions['hints']>>, never>>()
holds<Same<Strict<InitializeOptions>, never>>()
holds<Same<Strict<VendorRequestOptions>, never>>()
holds<Same<Strict<ListOptions>, never>>()
holds<Same<Strict<InteractiveOptions>, never>>()
holds<Same<Strict<CallToolOptions>, never>>()
holds<Same<Strict<ClientCallOptions>, never>>()
holds<Same<Strict<ClientListOptions>, never>>()
holds<Same<Strict<ClientPagesOptions>, never>>()
holds<Same<Strict<ClientReadOptions>, never>>()
holds<Same<Strict<ClientToolCallOptions>, never>>()
holds<Same<Strict<ListenOptions>, never>>()
holds<Same<Strict<JobWaitOptions>, never>>()
holds<Same<Strict<TaskRequestOptions>, never>>()
holds<Same<Strict<TaskStartOptions>, never>>()
holds<Same<Strict<SkillRequestOptions>, never>>()
holds<Same<Strict<ReadViewOptions>, never>>()
holds<Same<Strict<TasksOptions>, never>>()
holds<Same<Strict<TaskLimits>, never>>()
holds<Same<Strict<TaskOptions>, never>>()
// Without what tests declare as options of extensions.
holds<Same<Strict<Pick<ToolExtensionOptions, 'task' | 'ui'>>, never>>()
holds<Same<Strict<Extract<UiOption, { visibility?: unknown }>>, never>>()
// Those that must be given stay as they are.
holds<Same<Strict<AppOptions>, 'html'>>()
holds<Same<Strict<ViewPolicy>, never>>()
holds<Same<Strict<ViewPermissions>, never>>()
holds<Same<Strict<SkillOptions>, never>>()
holds<Same<Strict<DynamicSkillOptions>, 'description' | 'body'>>()
holds<Same<Strict<SkillChanges>, never>>()
holds<Same<Strict<BuiltInToolOptions>, never>>()
holds<Same<Strict<PromptOptions>, never>>()
holds<Same<Strict<ResourceOptions>, never>>()
holds<Same<Strict<SkillFolderOptions>, never>>()
holds<Same<Strict<SessionCallOptions>, never>>()
holds<Same<Strict<SessionNotifyOptions>, never>>()
// Of servers and backends: settings often come from environment variables.
holds<Same<Strict<ServerOptions>, never>>()
holds<Same<Strict<MCPServerOptions>, never>>()
holds<Same<Strict<MemoryBackendOptions>, never>>()
holds<Same<Strict<SealedOptions>, never>>()
holds<Same<Strict<RedisBackendOptions>, never>>()
holds<Same<Strict<SQLiteOptions>, never>>()
holds<Same<Strict<PostgresOptions>, never>>()
holds<Same<Strict<BullMQExecutorOptions>, never>>()
holds<Same<Strict<ClientOptions>, never>>()
holds<Same<Strict<ClientSessionOptions>, never>>()
holds<Same<Strict<CacheConfig>, never>>()
holds<Same<Strict<StreamableHttpOptions>, never>>()
holds<Same<Strict<SseOptions>, never>>()
holds<Same<Strict<ReconnectOptions>, never>>()
holds<Same<Strict<GroupConnectOptions>, never>>()
holds<Same<Strict<GroupOpenOptions>, never>>()
holds<Same<Strict<ProxyOptions>, never>>()
holds<Same<Strict<ProxyClientOptions>, never>>()
holds<Same<Strict<ProxyForwarding>, never>>()
holds<Same<Strict<ProxyNetwork>, never>>()
holds<Same<Strict<ProxyCache>, never>>()
holds<Same<Strict<GatewayOptions>, never>>()
holds<Same<Strict<Omit<GatewaySource, 'target'>>, never>>()
holds<Same<Strict<HealthOptions>, never>>()

// Of transports, HTTP, authorization and the rest.
holds<Same<Refused<ServeTasksOptions>, never>>()
holds<Same<Refused<FileResourceOptions>, never>>()
holds<Same<Refused<DirectoryResourcesOptions>, never>>()
holds<Same<Refused<FileTokenStoreOptions>, never>>()
holds<Same<Refused<StdioOptions>, never>>()
holds<Same<Refused<LaunchOptions>, never>>()
holds<Same<Refused<ServeStdioOptions>, never>>()
holds<Same<Refused<SkillsOptions>, never>>()
holds<Same<Refused<MountOptions>, never>>()
holds<Same<Refused<ViewCallOptions>, never>>()
holds<Same<Refused<AppHostOptions>, never>>()
holds<Same<Refused<WindowChannelOptions>, never>>()
holds<Same<Refused<LimitRateOptions>, never>>()
holds<Same<Refused<LimitResponseSizeOptions>, never>>()
holds<Same<Refused<LimitConcurrencyOptions>, never>>()
holds<Same<Refused<LimitTimeOptions>, never>>()
holds<Same<Refused<LogRequestsOptions>, never>>()
holds<Same<Refused<HandlerOptions>, never>>()
holds<Same<Refused<ServeHttpOptions>, never>>()
holds<Same<Refused<ServerCardOptions>, never>>()
holds<Same<Refused<MemoryEventStoreOptions>, never>>()
holds<Same<Refused<LegacyOptions>, never>>()
holds<Same<Refused<SessionOptions>, never>>()
holds<Same<Refused<CorsOptions>, never>>()
holds<Same<Refused<CacheHint>, never>>()
holds<Same<Refused<RequestStateOptions>, never>>()
holds<Same<Refused<SharedKeysOptions>, never>>()
holds<Same<Refused<TracingOptions>, never>>()
holds<Same<Refused<MeasureBackendOptions>, never>>()
holds<Same<Refused<TraceClientOptions>, never>>()
holds<Same<Refused<TraceServerOptions>, never>>()
holds<Same<Refused<DpopOptions>, never>>()
holds<Same<Refused<IntrospectionVerifierOptions>, never>>()
holds<Same<Refused<BearerOptions>, never>>()
holds<Same<Refused<JwtVerifierOptions>, never>>()
holds<Same<Refused<TokenExchangeOptions>, never>>()
holds<Same<Refused<OAuthOptions>, never>>()
holds<Same<Refused<ClientCredentialsOptions>, never>>()
holds<Same<Refused<EnterpriseManagedOptions>, never>>()
holds<Same<Refused<WorkloadIdentityOptions>, never>>()
holds<Same<Refused<ProviderOptions>, never>>()
holds<Same<Refused<NetworkOptions>, never>>()
holds<Same<Refused<RedirectOptions>, never>>()
holds<Same<Refused<PrivateKeyJwtOptions>, never>>()
holds<Same<Refused<TokenStoreOnOptions>, never>>()
holds<Same<Refused<ToFetchOptions>, never>>()
holds<Same<Refused<CloseOptions>, never>>()
holds<Same<Refused<DispatcherOptions>, never>>()
holds<Same<Refused<DirectDispatcherOptions>, never>>()
holds<Same<Refused<ConnectOptions>, never>>()
holds<Same<Refused<DevAuthorizationServerOptions>, never>>()
holds<Same<Refused<RunStdioOptions>, never>>()
holds<Same<Refused<DirectCallOptions>, never>>()
holds<Same<Refused<DirectListOptions>, never>>()
holds<Same<Refused<MediaOptions>, never>>()
holds<Same<Refused<InteractionOptions>, never>>()
holds<Same<Refused<ServerEntry>, never>>()
holds<Same<Refused<CommandTarget>, never>>()
holds<Same<Refused<ConnectForTestOptions>, never>>()
holds<Same<Refused<ConfiguredEntry>, never>>()

export async function passOn(
  client: Client,
  ctx: Context,
  reference: TaskReference,
  given: { signal?: AbortSignal; timeoutMs?: number; onStatus?: () => void; leaveAfterMs?: number },
): Promise<void> {
  const { signal, timeoutMs, onStatus, leaveAfterMs } = given
  await client.callTool('report', {}, { signal, timeoutMs, onStatus, leaveAfterMs, onStop: undefined, task: undefined })
  await client.tasks.start('report', {}, { signal, timeoutMs, maxTotalMs: undefined, meta: undefined })
  await client.tasks.resume(reference).result({ signal, timeoutMs, onStatus, maxTotalMs: undefined })
  await client.listTools({ signal, cursor: undefined, cacheMode: undefined })
  await client.listen({ toolsListChanged: true }, { signal, timeoutMs, reopen: undefined })
  await ctx.session.sendRequest('ping', {}, { signal, timeoutMs, related: undefined })
  // @ts-expect-error: a callback is a function where it is given
  await client.callTool('report', {}, { onStatus: null })
}

export function define(server: MCPServer, title: string | undefined, timeoutMs: number | undefined): void {
  server.tool('plain', { title, timeoutMs, task: undefined, ui: undefined, input: undefined }, (args) => {
    holds<Same<typeof args, NoArguments>>()
    return 'done'
  })
  server.tool('long', { task: { mode: 'always', maxRuntimeMs: timeoutMs } }, () => 'done')
  server.skill('refunds', { description: 'Refunds.', body: () => '', path: title })
  server.app('ui://shop/view', { html: '', title, csp: undefined })
  // @ts-expect-error: null is a value
  server.tool('wrong', { title: null }, () => 'done')
}
