// What an author can set when making an `MCPServer`.
import { assertCount, checkKeys, checkNestedKeys, type KnownKeys } from '../primitives/options.ts'
import type { SchemaEngine } from '../schema/engine.ts'
import type { ServerExtension } from '../server/extensions/extension.ts'
import type { Lifespan } from '../server/lifespan.ts'
import type { ServerOptions } from '../server/server.ts'
import { REQUEST_STATE_KEYS, type RequestStateOptions } from '../server/state/request-state.ts'
import type { SubscriptionBus } from '../server/subscriptions/subscriptions.ts'
import type { ServerCapabilities } from '../types/protocol/capabilities.ts'
import { INTERACTION_KEYS, type InteractionOptions } from './asking/options.ts'
import type { OnDuplicate } from './handlers/host.ts'
import type { PromptDefinition } from './prompts/prompt.ts'
import type { AnyResourceDefinition } from './resources/resource.ts'
import type { ToolDefinition } from './tools/tool.ts'

/** How the state of calls that ask is kept between their rounds. */
export type RequestStateSettings = Partial<RequestStateOptions> & InteractionOptions

export interface MCPServerOptions<
  Definitions extends readonly ToolDefinition[] = readonly ToolDefinition[],
  Life = unknown,
> extends Pick<
    ServerOptions,
    | 'version'
    | 'title'
    | 'description'
    | 'instructions'
    | 'websiteUrl'
    | 'icons'
    | 'middleware'
    | 'cacheHints'
    | 'notifications'
    | 'resultTypes'
    | 'supportedVersions'
    | 'onFault'
  > {
  /** Tools defined as values: they are part of the server's type, and clients of that type know them. */
  tools?: Definitions
  resources?: readonly AnyResourceDefinition[]
  prompts?: readonly PromptDefinition[]
  /** None unless given; each is declared, and brings along what it registers and answers. */
  extensions?: readonly MCPServerExtension[]
  /** Made when the server starts, reached as `ctx.lifespan`, closed when it stops. */
  lifespan?: Lifespan<Life>
  /**
   * Goes over what is derived from what is registered. A feature declared here is served from the start, though nothing
   * is registered yet.
   */
  capabilities?: ServerCapabilities
  /**
   * Seals the state of calls that ask, under a random key unless `keys` are given and for the server's name unless
   * `audience` is. `false` sends it as it is: then a client can read and change it.
   */
  requestState?: RequestStateSettings | false
  /** Announces changes to clients of both eras. On unless `false`; a bus of one's own reaches other processes. */
  subscriptions?: boolean | SubscriptionBus
  /** Subscriptions (`subscriptions/listen`) open at once, over all clients: 10,000 unless given. */
  maxSubscriptions?: number
  /** Declares that the server logs to its clients. On unless `false`. */
  logging?: boolean
  /** What happens when a name is registered again. `error` unless given. */
  onDuplicate?: OnDuplicate
  /** How many items a page of a list has. Without it every list is one page. */
  pageSize?: number
  /** Tells the model what a handler threw. For servers whose callers may know their insides. */
  exposeErrors?: boolean
  /** Takes arguments as they are. Otherwise an object or list that came as JSON in a string is taken out of it. */
  strict?: boolean
  /** Validates schemas that are plain JSON Schema; our own unless given. */
  schemaEngine?: SchemaEngine
  /** Makes `server.currentContext` work, which costs every promise of the process something in Node before 24. */
  ambientContext?: boolean
}

export const MCP_SERVER_KEYS: KnownKeys<MCPServerOptions> = {
  version: 'string',
  title: 'string',
  description: 'string',
  instructions: 'string',
  websiteUrl: 'string',
  icons: 'array',
  middleware: 'array',
  cacheHints: true,
  notifications: 'object',
  resultTypes: 'array',
  supportedVersions: 'array',
  onFault: 'function',
  tools: 'array',
  resources: 'array',
  prompts: 'array',
  extensions: true,
  lifespan: 'function',
  capabilities: 'object',
  requestState: true,
  subscriptions: true,
  maxSubscriptions: true,
  logging: 'boolean',
  onDuplicate: true,
  pageSize: true,
  exposeErrors: 'boolean',
  strict: 'boolean',
  schemaEngine: true,
  ambientContext: 'boolean',
}

export const REQUEST_STATE_SETTINGS_KEYS: KnownKeys<RequestStateSettings> = {
  ...REQUEST_STATE_KEYS,
  ...INTERACTION_KEYS,
}

/** Throws `TypeError` for options that nobody knows, `RangeError` for a setting that cannot work. */
export function checkOptions(options: MCPServerOptions): void {
  checkKeys('new MCPServer()', options, MCP_SERVER_KEYS)
  checkNestedKeys('new MCPServer(): requestState', options.requestState, REQUEST_STATE_SETTINGS_KEYS)
  const { pageSize, onDuplicate = 'error' } = options
  if (pageSize !== undefined) assertCount('pageSize', pageSize, 1)
  if (onDuplicate !== 'error' && onDuplicate !== 'replace') {
    throw new RangeError("onDuplicate must be 'error' or 'replace'")
  }
}

/** What it registers belongs to the server like everything else, and is offered to those who can see it. */
export interface MCPServerExtension extends ServerExtension {
  readonly tools?: readonly ToolDefinition[]
  readonly resources?: readonly AnyResourceDefinition[]
  readonly prompts?: readonly PromptDefinition[]
}
