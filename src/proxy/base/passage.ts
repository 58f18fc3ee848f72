// Which proxies a request has passed: a loop of them ends where a request comes back, at the latest after eight of them.
import { isPlainObject } from '../../primitives/json/objects.ts'
import { outerRequestOf, type ServerRequestContext } from '../../server/context.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import { isModernVersion } from '../../types/protocol/versions.ts'
import { peerOf } from './caller.ts'
import { proxyFailure } from './failures.ts'

/** How many proxies a request has passed. */
const HOPS_META_KEY = 'mcpwire/hops'
/** Which ones, by names that are random. */
const VIA_META_KEY = 'mcpwire/via'
const MAX_HOPS = 8
const MAX_ID = 64

/** The way of a request up to here. */
export interface Way {
  readonly hops: number
  readonly via: readonly string[]
}

const NOWHERE: Way = { hops: 0, via: [] }

/** Of legacy clients, which name it once: with their handshake. */
const WAYS_OF_PEERS = new WeakMap<object, Way>()

export function wayOf(request: ServerRequestContext): Way {
  const given = wayIn(outermost(request).params)
  if (given !== undefined) {
    if (request.method === 'initialize') WAYS_OF_PEERS.set(peerOf(request), given)
    return given
  }
  if (isModernVersion(request.protocolVersion)) return NOWHERE
  return WAYS_OF_PEERS.get(peerOf(request)) ?? NOWHERE
}

/** What a server asks of one that is mounted in it has params of its own. */
function outermost(request: ServerRequestContext): ServerRequestContext {
  const outer = outerRequestOf(request)
  return outer === undefined ? request : outermost(outer)
}

function wayIn(params: JSONObject | undefined): Way | undefined {
  const meta = params?.['_meta']
  if (!isPlainObject(meta)) return undefined
  const { [HOPS_META_KEY]: hops, [VIA_META_KEY]: via } = meta
  if (typeof hops !== 'number' || !Number.isSafeInteger(hops) || hops <= 0) return undefined
  return { hops, via: Array.isArray(via) ? via.filter(isId).slice(-MAX_HOPS) : [] }
}

function isId(one: unknown): one is string {
  return typeof one === 'string' && one.length <= MAX_ID
}

/** A proxy or a gateway, as requests know it that have passed it. */
export class Passage {
  readonly #name: string
  #id: string | undefined
  #first: JSONObject | undefined

  constructor(name: string) {
    this.#name = name
  }

  /** Throws what the caller may read. */
  check(request: ServerRequestContext): void {
    const { hops, via } = wayOf(request)
    if (hops === 0) return
    if (via.includes(this.#own))
      throw proxyFailure(
        'G031',
        this.#name,
        `The request has come back to '${this.#name}': the proxies form a loop. Take one of them out of it.`,
      )
    if (hops > MAX_HOPS)
      throw proxyFailure('G031', this.#name, `The request has passed more than ${MAX_HOPS} proxies: they form a loop.`)
  }

  /** What stands in `_meta` of whatever this request asks behind the proxy. */
  marksFor(request: ServerRequestContext): JSONObject {
    const { hops, via } = wayOf(request)
    if (hops > 0) return { [HOPS_META_KEY]: hops + 1, [VIA_META_KEY]: [...via, this.#own] }
    this.#first ??= { [HOPS_META_KEY]: 1, [VIA_META_KEY]: [this.#own] }
    return this.#first
  }

  /** Made when it is first needed: some runtimes have nothing random while modules load. */
  get #own(): string {
    this.#id ??= crypto.randomUUID().slice(0, 13)
    return this.#id
  }
}
