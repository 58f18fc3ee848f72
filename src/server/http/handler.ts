// `createHandler`: a server as an HTTP handler.

import type { HttpHandler } from '../../http/exchange.ts'
import { typeError } from '../../primitives/help.ts'
import { isPlainObject } from '../../primitives/json/objects.ts'
import { loading } from '../../primitives/loading.ts'
import { describeKind } from '../../primitives/options.ts'
import { isLegacyVersion } from '../../types/protocol/versions.ts'
import type { ServerCore } from '../core.ts'
import { findCore } from '../internals.ts'
import { logFaultsOf } from '../reports/fault-log.ts'
import type { Server } from '../server.ts'
import { redeemOn } from '../state/states-on-backend.ts'
import { checkEndpoint } from './check-endpoint.ts'
import type { HttpEndpoint } from './endpoint.ts'
import { checkHandlerKeys, type HandlerOptions } from './handler-options.ts'
import { LateEndpoint } from './late-endpoint.ts'

/**
 * A server on HTTP, for `toNodeHandler` and `toFetch`. Close it to end its sessions and the server's lifespan; closing the
 * server closes it, too.
 */
export interface ServerHandler extends HttpHandler {
  /** Starts the server's lifespan now instead of with the first request, so that its failure is visible. */
  start(): Promise<void>
  /** `/ready` answers 503 from here on, so that a balancer sends requests elsewhere. Those that come are served until `close`. */
  drain(): void
  /** Rejects new requests, ends subscriptions, and lets calls finish for `drainMs` (5 s). A later call can only shorten that. */
  close(options?: { drainMs?: number }): Promise<void>
  /** Open legacy sessions. */
  readonly sessionCount: number
}

/** A `Server`, or something that has one inside, as `MCPServer` does. */
export type ServerTarget =
  | Server
  | {
      /** The server that the handler serves. */
      readonly server: Server
    }

/** Throws `TypeError` for what is neither. */
export function serverOf(target: ServerTarget): ServerCore {
  const server: unknown = isPlainObject(target) && 'server' in target ? target.server : target
  const core = isPlainObject(server) ? findCore(server) : undefined
  if (core !== undefined) return core
  const given = isPlainObject(target) ? 'an object that is none' : describeKind(target)
  throw typeError(
    'wrong-argument',
    `This serves an MCPServer or a Server, not ${given}. Make one with new MCPServer('calculator').`,
  )
}

/**
 * Serves both eras on one endpoint. Throws `RangeError` for an option that cannot work.
 *
 * @example
 * ```ts
 * import { createServer } from 'node:http'
 * import { toNodeHandler } from 'mcpwire/node'
 * import { createHandler } from 'mcpwire/server'
 * const handler = createHandler(server, { path: '/mcp' })
 * createServer(toNodeHandler(handler)).listen(3000)
 * ```
 */
export function createHandler(target: ServerTarget, options: HandlerOptions = {}): ServerHandler {
  checkHandlerKeys('createHandler()', options)
  const server = serverOf(target)
  logFaultsOf(server.faults)
  const { endpoint, close } = openLate(server, options)
  const handler: HttpHandler = (exchange) => endpoint.use((loaded) => loaded.handle(exchange))
  return Object.defineProperty(
    Object.assign(handler, {
      start: async () => endpoint.use((loaded) => loaded.start()),
      drain: () => void endpoint.use((loaded) => loaded.drain()),
      close,
    }),
    'sessionCount',
    { get: () => endpoint.current?.sessionCount ?? 0 },
  ) as ServerHandler
}

interface OpenedLate {
  readonly endpoint: LateEndpoint<HttpEndpoint>
  readonly close: (options?: { drainMs?: number }) => Promise<void>
}

/** Checks the options now, and loads what answers requests with the first of them. */
function openLate(server: ServerCore, given: HandlerOptions): OpenedLate {
  const options = { ...given }
  checkEndpoint(server, options)
  const serve: HttpHandler = (exchange) => endpoint.use((loaded) => loaded.serve(exchange))
  if (server.backend !== undefined) serve.redeem = redeemOn(server.backend)
  const serveAuthenticated = options.auth === undefined ? serve : options.auth(serve)
  const endpoint = new LateEndpoint(async () => {
    const [{ HttpEndpoint }] = await Promise.all([loading(import('./endpoint.ts')), server.parts.load()])
    forget()
    return new HttpEndpoint(server, options, serveAuthenticated)
  })
  const close = async (closeOptions?: { drainMs?: number }) => {
    await endpoint.close(closeOptions)
    forget()
  }
  // What the endpoint does by itself once it is there.
  const forgets = [server.closeAlong({ close }), server.figures.add('streams', () => 0)]
  if (server.supportedVersions.some(isLegacyVersion)) forgets.push(server.figures.add('sessions', () => 0))
  const forget = () => {
    for (const one of forgets) one()
  }
  return { endpoint, close }
}
