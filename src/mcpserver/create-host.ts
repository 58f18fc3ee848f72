// What the options of an `MCPServer` mean: for the low-level server underneath, and for its own parts.
import { platform } from '#platform'
import { pickKeys } from '../primitives/options.ts'
import { createSchemaEngine } from '../schema/engine.ts'
import type { ServerRequestContext } from '../server/context.ts'
import type { ServerCore } from '../server/core.ts'
import type { Middleware } from '../server/handlers.ts'
import { SERVER_KEYS, type ServerOptions } from '../server/server.ts'
import { requestStateBoundary } from '../server/state/boundary.ts'
import { createRequestStateSeal, REQUEST_STATE_KEYS, type RequestStateOptions } from '../server/state/request-state.ts'
import type { InteractionOptions } from './asking/options.ts'
import type { Context } from './handlers/context.ts'
import type { Host } from './handlers/host.ts'
import type { MCPServerOptions } from './options.ts'

/** What the parts of a server share. */
export function createHost(
  server: ServerCore,
  options: MCPServerOptions,
  source: Pick<Host, 'announce' | 'readResource'>,
): Host {
  const { strict = false, exposeErrors = false, onDuplicate = 'error', pageSize, requestState = {} } = options
  return {
    server,
    engine: options.schemaEngine ?? createSchemaEngine(),
    strict,
    exposeErrors,
    logs: server.requestHandler('logging/setLevel') !== undefined || options.capabilities?.logging !== undefined,
    onDuplicate,
    pageSize,
    interaction: requestState === false ? {} : interactionOptions(requestState),
    ambient: options.ambientContext === true ? platform.createAmbientStorage<Context>() : undefined,
    ...source,
  }
}

/** The options of the low-level server underneath; `server` is asked for when a message has come. */
export function serverOptions(name: string, options: MCPServerOptions, server: () => ServerCore): ServerOptions {
  const { requestState = {}, middleware = [] } = options
  return {
    subscriptions: true,
    logging: true,
    ...pickKeys<ServerOptions>(options, SERVER_KEYS),
    // Outermost, so that no middleware of the author sees a sealed state.
    middleware: requestState === false ? middleware : [sealState(name, requestState, server), ...middleware],
  }
}

function sealState(
  name: string,
  settings: Exclude<MCPServerOptions['requestState'], false | undefined>,
  server: () => ServerCore,
): Middleware {
  const onRefused = (reason: string, error: unknown) =>
    server().faults.report({ kind: 'invalid-message', message: `A requestState was refused: ${reason}`, error })
  const sealing = pickKeys<Partial<RequestStateOptions>>(settings, REQUEST_STATE_KEYS)
  const warn = settings.keys === undefined ? warnOfLostKey(server) : undefined
  return requestStateBoundary(createRequestStateSeal({ audience: name, onRefused, ...sealing }), warn)
}

const LOST_KEY =
  'A handler asked the user a question. Its state is encrypted with a key that is lost on restart. ' +
  'Set requestState.keys to accept answers after a restart or on another process'
const MAKE_KEY = `Make a key: node -p "require('node:crypto').randomBytes(32).toString('base64')"`

/** Once, and only where another process or the next one could get the answer: a local server has nobody beside it. */
function warnOfLostKey(server: () => ServerCore): (ctx: ServerRequestContext) => void {
  let isSaid = false
  return ({ dispatch }) => {
    if (isSaid || dispatch.transport.isBeyondLoopback !== true) return
    isSaid = true
    server().faults.report({ kind: 'configuration-warning', message: LOST_KEY, remedy: MAKE_KEY })
  }
}

function interactionOptions(settings: InteractionOptions): InteractionOptions {
  const { maxStateBytes, store, maxQuestions, answerTimeoutMs, replayPatienceMs } = settings
  return {
    ...(maxStateBytes !== undefined && { maxStateBytes }),
    ...(store !== undefined && { store }),
    ...(maxQuestions !== undefined && { maxQuestions }),
    ...(answerTimeoutMs !== undefined && { answerTimeoutMs }),
    ...(replayPatienceMs !== undefined && { replayPatienceMs }),
  }
}
