// Adapts an HTTP handler to `fetch`: a function from a web `Request` to a `Response`.
import { LatePart } from '../primitives/late-part.ts'
import { checkKeys, type KnownKeys } from '../primitives/options.ts'
import type { HttpHandler } from './exchange.ts'
import { checkHttpHandler, HandlerFailures } from './handler-failures.ts'
import type * as web from './web-exchange.ts'

/** Further arguments, such as the environment of a Worker, are ignored. */
export type FetchHandler = (request: Request, ...rest: unknown[]) => Promise<Response>

/** Options of `toFetch()`. */
export interface ToFetchOptions {
  /**
   * Whether the HTTP parser in front of the handler ends a body at its `Content-Length`, as those of Node, Deno, Bun and
   * Workers do. Then bodies are read whole instead of in pieces (default: `false`, where the body of a plain `Request` is read in
   * pieces. What an adapter makes of a request of Node, such as `@hono/node-server`, is read whole in any case).
   */
  trustsLength?: boolean | undefined
}

export const TO_FETCH_KEYS: KnownKeys<ToFetchOptions> = {
  trustsLength: true,
}

const answering = new LatePart<typeof web>()

/**
 * Always resolves: a handler that fails is a 500, and what it threw is written to stderr. The path of an exchange is
 * that of the request's URL. Throws `TypeError` for a value that is no handler, such as a server.
 *
 * @example
 * ```ts
 * import { createHandler, toFetch } from 'mcpwire/server'
 * const handle = toFetch(createHandler(server))
 * const response = await handle(new Request('https://example.com/mcp', { method: 'POST' }))
 * ```
 */
export function toFetch(handler: HttpHandler, options: ToFetchOptions = {}): FetchHandler {
  checkHttpHandler('toFetch', handler)
  checkKeys('toFetch()', options, TO_FETCH_KEYS)
  const { trustsLength = false } = options
  const failures = new HandlerFailures()
  const answer = (request: Request, resolve: (response: Response) => void) => {
    const exchange = new answering.loaded.WebExchange(request, trustsLength, resolve)
    const fail = (error: unknown) => {
      failures.report(error)
      if (!exchange.isAnswered) exchange.reply(500)
    }
    try {
      // A handler may answer after it has returned: the calls of a session do so when they are done.
      handler(exchange)?.catch(fail)
    } catch (error) {
      fail(error)
    }
  }
  return (request) =>
    new Promise<Response>((resolve) => {
      // With the first request: a program that starts has none to answer.
      const loading = answering.load(() => import('./web-exchange.ts'))
      if (loading === undefined) {
        answer(request, resolve)
        return
      }
      loading.then(
        () => answer(request, resolve),
        (error: unknown) => {
          failures.report(error)
          resolve(new Response(null, { status: 500 }))
        },
      )
    })
}
