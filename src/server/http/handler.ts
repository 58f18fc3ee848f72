// The HTTP handler of a server: the guards around the endpoint, in an order that no path and no method escapes.
import type { HttpExchange, HttpHandler } from '../../http/exchange.ts'
import { isPlainObject } from '../../primitives/json/objects.ts'
import { describeKind } from '../../primitives/value-kind.ts'
import { ErrorCode } from '../../types/errors/error-codes.ts'
import { logFaultsOf } from '../fault-log.ts'
import type { Server } from '../server.ts'
import { replyError } from './answers/reply.ts'
import { Endpoint } from './endpoint.ts'
import { createCors } from './guards/cors.ts'
import { createGuard } from './guards/security.ts'
import { checkHandlerKeys, type HandlerOptions, isAt } from './handler-options.ts'

/**
 * A server on HTTP, for `toNodeHandler` and `toFetch`. Close it to end its sessions and the server's lifespan; closing the
 * server closes it, too.
 */
export interface ServerHandler extends HttpHandler {
  /** Enters the server's lifespan at once instead of with the first request, so that its failure shows. */
  start(): Promise<void>
  /** Refuses new work, ends subscriptions, and lets calls finish for `drainMs` (5 s). Called again, it can only be quicker. */
  close(options?: { drainMs?: number }): Promise<void>
  /** Sessions of the legacy era that are open. */
  readonly sessionCount: number
}

/** A `Server`, or something that has one inside, as `MCPServer` does. */
export type ServerTarget = Server | { readonly server: Server }

/** Throws `TypeError` for what is neither. */
export function serverOf(target: ServerTarget): Server {
  const server: unknown = isPlainObject(target) && 'server' in target ? target.server : target
  if (isPlainObject(server) && 'requestHandler' in server) return server as unknown as Server
  const given = isPlainObject(target) ? 'an object that is none' : describeKind(target)
  throw new TypeError(`This serves an MCPServer or a Server, not ${given}. Make one with new MCPServer('calculator').`)
}

/** Serves both eras on one endpoint. Throws `RangeError` for an option that cannot work. */
export function createHandler(target: ServerTarget, options: HandlerOptions = {}): ServerHandler {
  checkHandlerKeys('createHandler()', options)
  const server = serverOf(target)
  logFaultsOf(server)
  const endpoint = new Endpoint(server, options)
  const guard = createGuard(options)
  const cors = createCors(options.cors ?? true)
  const route: HttpHandler = (exchange) => endpoint.route(exchange)
  const wrapped = options.auth === undefined ? route : options.auth(route)
  endpoint.attach()

  function handle(exchange: HttpExchange): Promise<void> | void {
    const refusal = guard.check(exchange)
    if (refusal !== undefined) {
      const { status, message } = refusal
      return replyError(exchange, status, undefined, { code: ErrorCode.InvalidRequest, message })
    }
    cors?.allow(exchange)
    if (exchange.method === 'OPTIONS' && cors?.answerPreflight(exchange, endpoint.methods) === true) return
    if (isAt(exchange, endpoint.settings.healthPath)) return endpoint.replyHealth(exchange)
    return serve(exchange)
  }

  function serve(exchange: HttpExchange): Promise<void> | void {
    try {
      return wrapped(exchange)?.catch((error: unknown) => endpoint.fail(exchange, error))
    } catch (error) {
      endpoint.fail(exchange, error)
    }
  }

  return Object.defineProperty(
    Object.assign(handle, {
      start: () => endpoint.start(),
      close: (closeOptions?: { drainMs?: number }) => endpoint.close(closeOptions),
    }),
    'sessionCount',
    { get: () => endpoint.sessionCount },
  ) as ServerHandler
}
