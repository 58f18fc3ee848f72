// How many proxies a request has passed: a loop of them ends at the limit.
import { isPlainObject } from '../../primitives/json/objects.ts'
import type { ServerRequestContext } from '../../server/context.ts'
import { HOPS_META_KEY } from '../back/open-upstream.ts'
import { proxyFailure } from '../base/failures.ts'

const MAX_HOPS = 8

/** Throws what the caller may read. */
export function checkHops(request: ServerRequestContext, source: string): void {
  if (hopsOf(request) <= MAX_HOPS) return
  throw proxyFailure('G031', source, `The request has passed more than ${MAX_HOPS} proxies: they form a loop.`)
}

export function hopsOf({ params }: ServerRequestContext): number {
  const meta = params?.['_meta']
  const hops = isPlainObject(meta) ? meta[HOPS_META_KEY] : undefined
  return typeof hops === 'number' && Number.isSafeInteger(hops) && hops > 0 ? hops : 0
}
