// Adapts an HTTP handler to `http.createServer`, Express and Fastify.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { HttpHandler } from '../../http/exchange.ts'
import { checkHttpHandler, HandlerFailures } from '../../http/handler-failures.ts'
import { Deadlines } from '../../primitives/async/deadlines.ts'
import { type NodeArrival, NodeExchange } from './exchange.ts'

/** The members of a Fastify request that are used here. */
export interface RoutedRequest {
  /** The request of Node. */
  readonly raw: IncomingMessage
  /** The body, if the framework has parsed it already. */
  readonly body?: unknown
  /** The parameters of the route. */
  readonly params?: unknown
  /** How the framework found the handler. */
  readonly routeOptions?: {
    /** The pattern of the route, such as `/mcp/*`. */
    readonly url?: string | undefined
  }
}

/** The members of a Fastify reply that are used here. */
export interface RoutedReply {
  /** The response of Node. */
  readonly raw: ServerResponse
  /** Tells the framework that the response is written elsewhere. */
  hijack(): unknown
}

/**
 * A request listener, for `http.createServer`, for Express (`app.use`) and for a route of Fastify. The third argument is the
 * parsed body where there is one, or Express's `next`; then the parsed body is `request.body`. It answers every request that it
 * is given, also those for other paths.
 */
export type NodeHandler = (
  request: IncomingMessage | RoutedRequest,
  response: ServerResponse | RoutedReply,
  parsedBodyOrNext?: unknown,
) => void

/** No client sends more headers; Node by itself would silently drop those past 2,000. */
const MAX_HEADERS = 200

/**
 * Under `app.use('/api', …)` of Express the endpoint is at `/api/mcp`, and also at `/mcp` if the mount path has it. A route of
 * Fastify for one path is the endpoint, whatever its path. Throws `TypeError` for a value that is no handler, such as a server.
 */
export function toNodeHandler(handler: HttpHandler): NodeHandler {
  checkHttpHandler('toNodeHandler', handler)
  const handle = createListener(handler)
  return (request, response, parsedBodyOrNext) => {
    if ('raw' in request) {
      handleRouted(handle, request, response as RoutedReply)
      return
    }
    handle(request, response as ServerResponse, { parsedBody: parsedBodyOf(request, parsedBodyOrNext) })
  }
}

type ArrivalListener = (request: IncomingMessage, response: ServerResponse, arrival: NodeArrival) => void

export function createListener(handler: HttpHandler): ArrivalListener {
  const deadlines = new Deadlines()
  const failures = new HandlerFailures()
  return (request, response, arrival) => {
    if (request.rawHeaders.length > 2 * MAX_HEADERS) {
      response.writeHead(431, { connection: 'close' }).end()
      return
    }
    const exchange = new NodeExchange(request, response, deadlines, arrival)
    const fail = (error: unknown) => {
      failures.report(error)
      if (exchange.isAnswered) response.destroy()
      else exchange.reply(500)
    }
    try {
      handler(exchange)?.catch(fail)
    } catch (error) {
      fail(error)
    }
  }
}

function handleRouted(handle: ArrivalListener, request: RoutedRequest, reply: RoutedReply): void {
  const { raw, body: parsedBody, routeOptions, params } = request
  // Fastify must not answer the request itself.
  reply.hijack()
  const route = routeOptions?.url
  const rest = (params as { '*'?: unknown } | null | undefined)?.['*']
  const isWhole = route !== undefined && !/[*:]/.test(route)
  const routedPath = isWhole ? '' : typeof rest === 'string' ? `/${rest}` : undefined
  handle(raw, reply.raw, { parsedBody, routedPath })
}

function parsedBodyOf(request: IncomingMessage, parsedBodyOrNext: unknown): unknown {
  const isBody = parsedBodyOrNext !== undefined && typeof parsedBodyOrNext !== 'function'
  return isBody ? parsedBodyOrNext : (request as { body?: unknown }).body
}
