// Fits an HTTP handler to everything that is a function from a web `Request` to a `Response`.
import type { HttpHandler } from './exchange.ts'
import { WebExchange } from './web-exchange.ts'

/** Further arguments, such as the environment of a Worker, are taken and not looked at. */
export type FetchHandler = (request: Request, ...rest: unknown[]) => Promise<Response>

/** Always resolves: a handler that fails is a 500. The path of an exchange is that of the request's URL. */
export function toFetch(handler: HttpHandler): FetchHandler {
  return (request) =>
    new Promise<Response>((resolve) => {
      const exchange = new WebExchange(request, resolve)
      const fail = () => {
        if (!exchange.isAnswered) exchange.reply(500)
      }
      try {
        // One that has returned may still answer: the calls of a session do so when they are done.
        handler(exchange)?.catch(fail)
      } catch {
        fail()
      }
    })
}
