// With `exactOptionalPropertyTypes`, which this repository sets too: an option of a call may be given as `undefined`, which means
// that it is not given. Options are often passed on from somewhere that may not have them.
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
import type { GroupConnectOptions, GroupOpenOptions } from '../../src/client/group/options.ts'
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
import type { ReadViewOptions } from '../../src/extensions/apps/host/read-view.ts'
import type { TaskLimits, TasksOptions } from '../../src/extensions/tasks/options/tasks-options.ts'
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
import type { NoArguments } from '../../src/mcpserver/tools/typed.ts'
import type { SkillFolderOptions } from '../../src/node/files/skill-folder.ts'
import type { PostgresOptions } from '../../src/postgres/postgres.ts'
import type { ProxyClientOptions } from '../../src/proxy/base/client-options.ts'
import type { ProxyCache, ProxyForwarding, ProxyNetwork, ProxyOptions } from '../../src/proxy/base/options.ts'
import type { GatewayOptions } from '../../src/proxy/gateway/gateway-options.ts'
import type { GatewaySource } from '../../src/proxy/gateway/gateway-targets.ts'
import type { HealthOptions } from '../../src/proxy/pool/health.ts'
import type { RedisBackendOptions } from '../../src/redis/redis.ts'
import type { ServerOptions } from '../../src/server/server.ts'
import type { SessionCallOptions, SessionNotifyOptions } from '../../src/server/session.ts'
import type { SQLiteOptions } from '../../src/sqlite/sqlite.ts'
import type { ViewPermissions, ViewPolicy } from '../../src/types/extensions/apps.ts'
import type { SkillRequestOptions } from '../../src/types/extensions/skills.ts'
import type {
  JobWaitOptions,
  TaskReference,
  TaskRequestOptions,
  TaskStartOptions,
} from '../../src/types/extensions/tasks.ts'
import { holds, type Same } from './assert.ts'

/** The members that may be left out, and may not be `undefined`. */
type Strict<Options> = {
  [Key in keyof Options]-?: undefined extends Required<Options>[Key] ? never : Key
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
