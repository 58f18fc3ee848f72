// The options of an `MCPServer`: their types, their checks, and what they mean for the low-level server.
import { rangeError } from '../primitives/help.ts'
import { assertCount, checkKeys, checkNestedKeys, type KnownKeys, pickKeys } from '../primitives/options.ts'
import type { SchemaEngine } from '../schema/engine.ts'
import type { ServerRequestContext } from '../server/context.ts'
import type { ServerCore } from '../server/core.ts'
import type { Middleware } from '../server/handlers.ts'
import type { Lifespan } from '../server/lifespan/lifespan.ts'
import { SERVER_KEYS, type ServerOptions } from '../server/server.ts'
import { requestStateBoundary } from '../server/state/boundary.ts'
import { createRequestStateSeal, REQUEST_STATE_KEYS, type RequestStateOptions } from '../server/state/request-state.ts'
import { redeemOn } from '../server/state/states-on-backend.ts'
import type { SubscriptionBus } from '../server/subscriptions/subscriptions.ts'
import type { ServerCapabilities } from '../types/protocol/capabilities.ts'
import { INTERACTION_KEYS, type InteractionOptions } from './asking/options.ts'
import type { MCPServerExtension } from './extensions/extension-parts.ts'
import type { OnDuplicate } from './handlers/host.ts'
import type { PromptDefinition } from './prompts/prompt.ts'
import type { AnyResourceDefinition } from './resources/resource.ts'
import type { ToolDefinition } from './tools/tool.ts'

/** How the state of a call that asks the user is kept between its rounds. */
export type RequestStateSettings = Partial<RequestStateOptions> & InteractionOptions

/** Options of `new MCPServer()`: identity, tools, state between rounds, limits, and what clients may see. */
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
    | 'backend'
    | 'cacheHints'
    | 'notifications'
    | 'resultTypes'
    | 'supportedVersions'
    | 'onFault'
  > {
  /** Tools as values. They are part of the server's type, so that typed clients know them. */
  tools?: Definitions | undefined
  /** Resources made by `resource()`, registered at construction (default: none). */
  resources?: readonly AnyResourceDefinition[] | undefined
  /** Prompts made by `prompt()`, registered at construction (default: none). */
  prompts?: readonly PromptDefinition[] | undefined
  /** Extensions of the protocol. Each is declared, and adds its tools, resources, prompts and methods. */
  extensions?: readonly MCPServerExtension[] | undefined
  /** Called when the server starts. Its value is `ctx.lifespan`, and is closed when the server stops. */
  lifespan?: Lifespan<Life> | undefined
  /**
   * Replaces capabilities that are derived from what is registered. A feature declared here is served from the start, even if
   * nothing is registered yet.
   */
  capabilities?: ServerCapabilities | undefined
  /**
   * Encrypts the state of calls that ask the user. Default: a random `keys`, which is lost on restart, and the server's name as
   * `audience`. `false` sends the state as it is, so that a client can read and change it.
   */
  requestState?: RequestStateSettings | false | undefined
  /** Announces changes to clients (default: `true`). Pass a bus to reach the clients of other processes. */
  subscriptions?: boolean | SubscriptionBus | undefined
  /** Maximum number of open subscriptions (`subscriptions/listen`) over all clients (default: 10,000). */
  maxSubscriptions?: number | undefined
  /** Declares that the server sends log messages to clients (default: `true`). */
  logging?: boolean | undefined
  /** What happens when a name is registered again (default: `error`). */
  onDuplicate?: OnDuplicate | undefined
  /** Number of items per page of a list (default: all on one page). */
  pageSize?: number | undefined
  /** Lets the model read the message of every error that a tool throws (default: `false`). */
  exposeErrors?: boolean | undefined
  /** Turns off the repair of arguments: an object or list that arrives as JSON in a string is not parsed (default: `false`). */
  strict?: boolean | undefined
  /** Validates plain JSON Schemas (default: the engine of this package). */
  schemaEngine?: SchemaEngine | undefined
  /** Turns on `server.currentContext`. Before Node 24 this slows down every promise of the process (default: `false`). */
  ambientContext?: boolean | undefined
}

export const MCP_SERVER_KEYS: KnownKeys<MCPServerOptions> = {
  version: 'string',
  title: 'string',
  description: 'string',
  instructions: 'string',
  websiteUrl: 'string',
  icons: 'array',
  middleware: 'array',
  backend: 'object',
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

/** Throws `TypeError` for unknown options, and `RangeError` for values out of range. */
export function checkOptions(options: MCPServerOptions): void {
  checkKeys('new MCPServer()', options, MCP_SERVER_KEYS)
  checkNestedKeys('new MCPServer(): requestState', options.requestState, REQUEST_STATE_SETTINGS_KEYS)
  const { pageSize, onDuplicate = 'error' } = options
  if (pageSize !== undefined) assertCount('pageSize', pageSize, 1)
  if (onDuplicate !== 'error' && onDuplicate !== 'replace') {
    throw rangeError(
      'wrong-option',
      `The option onDuplicate must be 'error' or 'replace', not ${JSON.stringify(onDuplicate)}.`,
    )
  }
}

/** The options of the low-level server. `server` is called when a message has arrived. */
export function serverOptions(name: string, options: MCPServerOptions, server: () => ServerCore): ServerOptions {
  const { requestState = {}, middleware = [], backend } = options
  return {
    subscriptions: true,
    logging: true,
    ...pickKeys<ServerOptions>(options, SERVER_KEYS),
    // Outermost, so that the middleware of the author sees the decrypted state.
    middleware:
      requestState === false ? middleware : [encryptRequestState(name, requestState, server, backend), ...middleware],
  }
}

function encryptRequestState(
  name: string,
  settings: Exclude<MCPServerOptions['requestState'], false | undefined>,
  server: () => ServerCore,
  backend: MCPServerOptions['backend'],
): Middleware {
  const onRefused = (reason: string, error: unknown) =>
    server().faults.report({
      kind: 'invalid-message',
      message: `A requestState was rejected: ${reason}`,
      error,
      ...(reason === 'unknown-key' && { remedy: SAME_KEYS }),
    })
  const sealing = pickKeys<Partial<RequestStateOptions>>(settings, REQUEST_STATE_KEYS)
  if (backend !== undefined) sealing.redeem ??= redeemOn(backend)
  const warn = settings.keys === undefined ? warnAboutLostKey(server, backend !== undefined) : undefined
  return requestStateBoundary(createRequestStateSeal({ audience: name, onRefused, ...sealing }), warn)
}

const SAME_KEYS =
  'If another node, or this one before a restart, has sealed it, set requestState.keys to the same secrets on all nodes.'
const LOST_KEY =
  'A handler asked the user a question. Its state is encrypted with a key that is lost on restart. ' +
  'Set requestState.keys to accept answers after a restart or on another process.'
const LOCAL_KEY =
  'A handler asked the user a question. Its state is encrypted with a key that only this process has, so other nodes on the ' +
  'backend reject the answer. Set requestState.keys to the same secrets on all nodes.'
const CREATE_KEY = `Create a key: node -p "require('node:crypto').randomBytes(32).toString('base64')"`

/**
 * Once per server, and only where a restart or a second process could lose the answer: on a network address, and over HTTP with a
 * backend, which is there for a second process.
 */
function warnAboutLostKey(server: () => ServerCore, hasBackend: boolean): (ctx: ServerRequestContext) => void {
  let isReported = false
  return ({ dispatch: { transport } }) => {
    const isShared = hasBackend && transport.isBeyondLoopback !== undefined
    if (isReported || !(isShared || transport.isBeyondLoopback === true)) return
    isReported = true
    const message = isShared ? LOCAL_KEY : LOST_KEY
    server().faults.report({ kind: 'configuration-warning', message, remedy: CREATE_KEY })
  }
}
