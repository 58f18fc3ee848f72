// Fits an HTTP handler to `http.createServer`, Express and Fastify.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { HttpHandler } from '../http/exchange.ts'
import { Deadlines } from '../primitives/deadlines.ts'
import { NodeExchange } from './http-exchange.ts'

/**
 * A request listener. The third argument is the parsed body where a framework has one (Fastify), or Express's `next`; then
 * the parsed body is `request.body`. It answers every request that it is given, also those for other paths.
 */
export type NodeHandler = (request: IncomingMessage, response: ServerResponse, parsedBodyOrNext?: unknown) => void

/** More headers than this are nobody's; Node by itself would silently drop those past 2,000. */
const MAX_HEADERS = 200

/** The path of an exchange is that of the original URL, wherever a framework has mounted the handler. */
export function toNodeHandler(handler: HttpHandler): NodeHandler {
  const deadlines = new Deadlines()
  return (request, response, parsedBodyOrNext) => {
    if (request.rawHeaders.length > 2 * MAX_HEADERS) {
      response.writeHead(431, { connection: 'close' }).end()
      return
    }
    const exchange = new NodeExchange(request, response, deadlines, parsedBodyOf(request, parsedBodyOrNext))
    const fail = () => {
      if (exchange.isAnswered) response.destroy()
      else exchange.reply(500)
    }
    try {
      handler(exchange)?.catch(fail)
    } catch {
      fail()
    }
  }
}

function parsedBodyOf(request: IncomingMessage, parsedBodyOrNext: unknown): unknown {
  const isBody = parsedBodyOrNext !== undefined && typeof parsedBodyOrNext !== 'function'
  return isBody ? parsedBodyOrNext : (request as { body?: unknown }).body
}
