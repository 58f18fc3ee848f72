// The paths of an HTTP endpoint, also where a router has mounted it below a path of its own.
import type { HttpExchange } from '../../http/exchange.ts'
import type { LegacySsePaths } from './handler-options.ts'
import type { LateEndpoint } from './late-endpoint.ts'
import type { LegacyEndpoint } from './legacy/legacy.ts'
import type { LegacySseEndpoint } from './legacy/sse.ts'

type Handle = (exchange: HttpExchange) => Promise<void> | void

/** One path, with a handler for each method that it takes. */
export interface Route {
  readonly path: string
  /** The methods, as the `Allow` header lists them. */
  readonly allow: string
  readonly get?: Handle
  readonly delete?: Handle
  readonly post?: (exchange: HttpExchange, message: unknown) => Promise<void> | void
}

/** The main path comes first. */
export function createRoutes(
  path: string,
  post: NonNullable<Route['post']>,
  legacy: LateEndpoint<LegacyEndpoint> | undefined,
  ssePaths: Required<LegacySsePaths> | undefined,
  sse: LateEndpoint<LegacySseEndpoint> | undefined,
): readonly Route[] {
  const main: Route =
    legacy === undefined
      ? { path, allow: 'POST', post }
      : {
          path,
          allow: 'GET, POST, DELETE',
          get: (exchange) => legacy.use((endpoint) => endpoint.get(exchange)),
          delete: (exchange) => legacy.use((endpoint) => endpoint.delete(exchange)),
          post,
        }
  if (ssePaths === undefined || sse === undefined) return [main]
  const stream: Route = {
    path: ssePaths.path,
    allow: 'GET',
    get: (exchange) => sse.use((endpoint) => endpoint.get(exchange, mountPathOf(exchange, ssePaths.path))),
  }
  const messages: Route = {
    path: ssePaths.messagesPath,
    allow: 'POST',
    post: (exchange, message) => sse.use((endpoint) => endpoint.post(exchange, message)),
  }
  return [main, stream, messages]
}

/** The route that a request is for, by its whole path or by what a router has left of it. */
export function findRoute(routes: readonly Route[], exchange: HttpExchange): Route | undefined {
  // A router that matched the whole path has chosen the main one.
  if (exchange.routedPath === '') return routes[0]
  for (const route of routes) if (isForPath(exchange, route.path)) return route
  return undefined
}

export function isForPath(exchange: HttpExchange, path: string | undefined): boolean {
  if (exchange.path === path) return true
  return path !== undefined && exchange.routedPath === path
}

/** Where the client of a request for another path finds this one. */
export function pathFor(exchange: HttpExchange, path: string): string {
  const mountPath = mountPathOf(exchange, path)
  // Mounted at its own path, the endpoint is there as well as below.
  return mountPath === path ? path : `${mountPath}${path}`
}

/** What a router has removed before `path`, for the client of this request. */
function mountPathOf(exchange: HttpExchange, path: string): string {
  const { path: requested, routedPath } = exchange
  if (routedPath === undefined || requested === path) return ''
  if (requested.endsWith(routedPath)) return requested.slice(0, requested.length - routedPath.length)
  // Routers that remove the whole path leave a slash that it did not have.
  return routedPath === '/' ? requested : ''
}
