// A poster over node:http and node:https: `fetch` costs several times as much CPU for the same request.

import type { Agent, AgentOptions, ClientRequest, IncomingMessage } from 'node:http'
import type { LookupFunction } from 'node:net'
import { explainFailure } from '../../http/failures.ts'
import {
  cancelReasonOf,
  isRequestCancelled,
  type Poster,
  type PostRequest,
  type PostResponse,
} from '../../http/poster.ts'
import { forgetAbort, listenForAbort } from '../../primitives/async/abort.ts'
import { TransportError } from '../../types/errors/failures.ts'
import { loadDns, loadHttp, loadHttps, loadNet } from '../runtime/builtins.ts'
import { connectionCut, NodeResponse } from './response.ts'

interface HttpTarget {
  readonly isSecure: boolean
  /** As sockets want it: an IPv6 address without its brackets. */
  readonly hostname: string
  readonly port: string
  readonly path: string
  /** The value of the `Host` header. */
  readonly host: string
}

const MAX_TARGETS = 256

class TargetCache {
  readonly #targets = new Map<string, HttpTarget>()

  /** Throws `TransportError` for a URL that cannot be requested. */
  find(url: string): HttpTarget {
    const known = this.#targets.get(url)
    if (known !== undefined) return known
    const target = parseTarget(url)
    // With that many different URLs, a cache gains nothing.
    if (this.#targets.size >= MAX_TARGETS) this.#targets.clear()
    this.#targets.set(url, target)
    return target
  }
}

function parseTarget(text: string): HttpTarget {
  if (!URL.canParse(text)) throw new TransportError('The address of the request is not a URL.')
  const url = new URL(text)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new TransportError(`The protocol ${url.protocol} is not supported. Use http or https.`)
  }
  if (url.username !== '' || url.password !== '') {
    throw new TransportError(`The URL for ${url.host} has credentials. Pass them as a header or with \`auth\`.`)
  }
  return {
    isSecure: url.protocol === 'https:',
    hostname: url.hostname.startsWith('[') ? url.hostname.slice(1, -1) : url.hostname,
    port: url.port,
    path: `${url.pathname}${url.search}`,
    host: url.host,
  }
}

interface NodePosterOptions {
  /** Connections to one server at a time, streams included; further requests wait for one (default: unlimited). */
  maxSockets?: number
  /** Idle connections kept to one server. */
  maxFreeSockets?: number
}

/** TCP keep-alive probes a silent peer after this time. */
const PROBE_AFTER_MS = 15_000
/** Less than servers wait before they close an idle connection, so that no request is sent to a closing one. */
const IDLE_MS = 4_000
const MAX_ATTEMPTS = 3

/** Keeps idle connections, which do not keep the process alive. It has no timeout: the caller bounds the wait. */
export function createNodePoster(options: NodePosterOptions = {}): Poster {
  const agents = new Agents(options)
  const targets = new TargetCache()
  const poster: Poster = (request) => {
    try {
      const target = targets.find(request.url)
      return send(request, target, agents.of(target))
    } catch (error) {
      return Promise.reject(error)
    }
  }
  poster.close = () => agents.close()
  return poster
}

/** Made on first use: most programs need one of the two, and TLS is costly to load. */
class Agents {
  readonly #options: AgentOptions
  #plain: Agent | undefined
  #secure: Agent | undefined
  #isClosed = false

  constructor({ maxSockets = Infinity, maxFreeSockets = 64 }: NodePosterOptions) {
    this.#options = {
      keepAlive: true,
      keepAliveMsecs: PROBE_AFTER_MS,
      timeout: IDLE_MS,
      maxSockets,
      maxFreeSockets,
      // The connection that was used last is the least likely to be closed.
      scheduling: 'lifo',
    }
  }

  of({ isSecure }: HttpTarget): Agent {
    if (isSecure) {
      this.#secure ??= this.#prepare(new (loadHttps().Agent)(this.#options))
      return this.#secure
    }
    this.#plain ??= this.#prepare(new (loadHttp().Agent)(this.#options))
    return this.#plain
  }

  close(): void {
    this.#isClosed = true
    for (const agent of [this.#plain, this.#secure]) if (agent !== undefined) closeIdle(agent)
  }

  #prepare(agent: Agent): Agent {
    if (this.#isClosed) closeIdle(agent)
    return agent
  }
}

function closeIdle(agent: Agent): void {
  // Connections in use are not kept afterwards either.
  agent.maxFreeSockets = 0
  for (const sockets of Object.values(agent.freeSockets)) {
    for (const socket of sockets ?? []) socket.destroy()
  }
}

function send(request: PostRequest, target: HttpTarget, agent: Agent, attempt = 1): Promise<PostResponse> {
  return new Promise((resolve, reject) => {
    const { url, signal, canceller } = request
    if (isRequestCancelled(request)) throw cancelReasonOf(request)
    const outgoing = open(request, target, agent)
    let response: NodeResponse | undefined
    outgoing.on('response', (incoming: IncomingMessage) => {
      response = new NodeResponse(incoming, request)
      resolve(response)
    })
    outgoing.on('error', (error) => {
      if (response === undefined && attempt < MAX_ATTEMPTS && canRepeat(request, outgoing)) {
        resolve(send(request, target, agent, attempt + 1))
      } else {
        reject(explainFailure(error, url))
      }
    })
    const abort = () => {
      reject(cancelReasonOf(request))
      if (response === undefined) outgoing.destroy()
      else response.cancel()
    }
    canceller?.listen(abort)
    if (signal) listenForAbort(signal, abort)
    outgoing.on('close', () => {
      canceller?.forget(abort)
      if (signal) forgetAbort(signal, abort)
      // Node closes the connection of a server that switches protocols unasked, without an error.
      if (response === undefined) reject(explainFailure(connectionCut(), url))
    })
    outgoing.end(request.body ?? request.bytes)
  })
}

function open(request: PostRequest, target: HttpTarget, agent: Agent): ClientRequest {
  const { hostname, port, path } = target
  const { method, allowsAddress } = request
  try {
    const options = { agent, hostname, port, path, method, headers: listHeaders(request, target) }
    const { request: start } = target.isSecure ? loadHttps() : loadHttp()
    if (allowsAddress === undefined) return start(options)
    // On a new connection: the addresses of kept connections were not checked.
    return start({ ...options, agent: false, lookup: guardLookup(hostname, allowsAddress) })
  } catch (error) {
    throw explainFailure(error, request.url)
  }
}

/** A flat list, which node:http checks and writes as it is; everything else it would first turn into one. */
function listHeaders({ headers, body, bytes }: PostRequest, { host }: HttpTarget): string[] {
  const list = headers['host'] === undefined ? ['host', host] : []
  for (const name in headers) {
    const value = headers[name]
    // A second length, or a wrong one, would let one request pass for two.
    if (value !== undefined && name !== 'content-length') list.push(name, value)
  }
  // Compression costs more than it saves on most ways, and holds up events.
  if (headers['accept-encoding'] === undefined) list.push('accept-encoding', 'identity')
  if (body !== undefined) list.push('content-length', String(Buffer.byteLength(body)))
  else if (bytes !== undefined) list.push('content-length', String(bytes.length))
  return list
}

/**
 * A server may close an idle connection while a request is sent to it. It is unknown then whether the server has read it, so
 * that only requests that may be repeated are sent again.
 */
function canRepeat(request: PostRequest, { reusedSocket }: ClientRequest): boolean {
  return reusedSocket && REPEATABLE.has(request.method) && !isRequestCancelled(request)
}

/** RFC 9110, 9.2.2: done twice, they do no more than done once. */
const REPEATABLE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE', 'QUERY'])

type AllowsAddress = (address: string) => boolean

/** For the options of one connection. An address is never looked up, and is checked at once: throws `TransportError`. */
function guardLookup(hostname: string, allows: AllowsAddress): LookupFunction {
  if (loadNet().isIP(hostname) !== 0 && !allows(hostname)) throw addressNotAllowed(hostname)
  return (name, options, callback) => {
    loadDns().lookup(name, { ...options, all: true }, (error, found) => {
      if (error !== null) {
        callback(error, [])
        return
      }
      const allowed = found.filter(({ address }) => allows(address))
      const [first] = allowed
      if (first === undefined) callback(addressNotAllowed(name), [])
      else if (options.all) callback(null, allowed)
      else callback(null, first.address, first.family)
    })
  }
}

function addressNotAllowed(hostname: string): TransportError {
  return new TransportError(
    `The connection to ${hostname} is not allowed: none of its addresses may be used for this request.`,
  )
}
