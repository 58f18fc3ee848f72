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
  const isCut = routedPath !== undefined && path !== wanted && path.endsWith(routedPath)
  return isCut ? path.slice(0, path.length - routedPath.length) : ''
}
