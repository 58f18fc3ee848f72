// Paths below a router: which part of a path the router has chosen by, and which is ours to look at.
import type { HttpExchange } from '../../http/exchange.ts'

/** Whether a request is for this path: the whole of it, or what the router above has left. */
export function isAt(exchange: HttpExchange, wanted: string | undefined): boolean {
  if (exchange.path === wanted) return true
  return wanted !== undefined && exchange.routedPath === wanted
}

/** What comes before our paths for a client that asked for `wanted`, as this one did: what the router has cut off. */
export function mountPathOf(exchange: HttpExchange, wanted: string): string {
  const { path, routedPath } = exchange
  if (routedPath === undefined || path === wanted) return ''
  if (path.endsWith(routedPath)) return path.slice(0, path.length - routedPath.length)
  // Of a path that is cut off as a whole, routers leave the slash that it did not have.
  return routedPath === '/' ? path : ''
}

/** Where a client that asked for something else finds `wanted`. */
export function placeOf(exchange: HttpExchange, wanted: string): string {
  const mountPath = mountPathOf(exchange, wanted)
  // Mounted at its own path, it is there as well as below.
  return mountPath === wanted ? wanted : `${mountPath}${wanted}`
}
