// One source: which of its connections a caller gets, and how it is.
import { connectionOfRequest, type ServerRequestContext } from '../../server/context.ts'
import type { ClientCapabilities } from '../../types/protocol/capabilities.ts'
import { frontLinkOf } from '../back/back-call.ts'
import type { BackConnection } from '../back/back-connection.ts'
import { CHANGES } from '../back/from-source.ts'
import { callerOf, type Era, forwardedHeaders, frontClientOf, isStateless, peerOf } from '../base/caller.ts'
import { connectFailure, isUnauthorized, proxyFailure } from '../base/failures.ts'
import {
  type Credential,
  type Forwarding,
  forwardingOf,
  type ProxyOptions,
  type ProxySessions,
} from '../base/options.ts'
import type { Passage } from '../base/passage.ts'
import { declaredCapabilities } from '../base/questions.ts'
import type { CheckedTarget } from '../base/targets.ts'
import { Condition } from './condition.ts'
import { Connections, type Entry, type Held } from './connections.ts'
import { type HealthOptions, Latencies, type UpstreamHealth } from './health.ts'
import { keyOf } from './keys.ts'
import { Openings } from './openings.ts'
import { PING_MS, Pings } from './pings.ts'
import type { UpstreamHost } from './upstream-host.ts'

export class Upstream {
  readonly name: string
  readonly forward: Forwarding
  readonly condition: Condition
  readonly latencies = new Latencies()
  readonly listed: Record<string, number> = {}
  parked = () => 0
  readonly #options: ProxyOptions
  readonly #host: UpstreamHost
  readonly #connections: Connections
  /** Of requests that stay open. */
  readonly #byRequest = new WeakMap<object, Entry>()
  readonly #pings = new Pings()
  readonly #openings: Openings

  constructor(target: CheckedTarget, options: ProxyOptions, host: UpstreamHost) {
    this.name = target.name
    this.forward = forwardingOf(options)
    this.#options = options
    this.#host = host
    this.condition = new Condition(target.name, host.faults, options.onUpstream, () => host.returned())
    this.#connections = new Connections(target.name, options)
    const { forward, condition } = this
    this.#openings = new Openings({ target, options, forward, host, condition, connections: this.#connections })
  }

  /** The connection of this caller, opened where there is none. Rejects with what the caller may read. */
  async acquire(request: ServerRequestContext): Promise<Held> {
    try {
      return await this.#acquire(request)
    } catch (error) {
      throw this.condition.leaving(error)
    }
  }

  async #acquire(request: ServerRequestContext): Promise<Held> {
    const { retryAfterMs } = this.condition.breaker
    if (retryAfterMs > 0) {
      throw proxyFailure('G011', this.name, `The source '${this.name}' is not available at present.`, {
        data: { retryAfterMs },
      })
    }
    this.#checkWay(request)
    const own = this.#ownEntry(request)
    if (own !== undefined) return this.#use(own, request)
    const sessions = this.#sessionsFor(request)
    const headers = forwardedHeaders(request, this.#options.forwardHeaders ?? [])
    const known = sessions === 'connection' ? this.#connections.find(peerOf(request)) : undefined
    if (known !== undefined) return this.#use(known, request)
    const credential = await this.#credentialOf(request, headers)
    const key = keyOf({ request, sessions, credential, headers, forward: this.forward })
    const entry =
      this.#connections.find(key) ?? this.#openings.open({ key, request, sessions, credential, forwarded: headers })
    const held = await this.#use(entry, request)
    // Two strangers must not share a session of a legacy source. What this was is known only now.
    if (this.#options.sessions !== undefined || sessions !== 'shared' || held.connection.era === 'modern') return held
    held.release()
    void this.#connections.find(key)?.close()
    return this.#acquire(request)
  }

  /** As `acquire`, for a request that stays open: all else that it asks of the source goes over this connection. */
  async hold(request: ServerRequestContext): Promise<Held> {
    const held = await this.acquire(request)
    const entry = this.#connections.all.find(({ connection }) => connection === held.connection)
    if (entry !== undefined) this.#byRequest.set(request.dispatch, entry)
    return held
  }

  /** Takes a connection out of use that the source knows nothing of any more: the next request opens another one. */
  async dropIfStale(connection: BackConnection): Promise<boolean> {
    const entry = this.#connections.all.find((one) => one.connection === connection)
    if (entry === undefined || !(await this.#pings.isStale(connection))) return false
    this.#connections.missed.add(entry.key, connection.kept)
    this.#connections.retire(entry)
    return true
  }

  #ownEntry({ dispatch }: ServerRequestContext): Entry | undefined {
    const entry = this.#byRequest.get(dispatch)
    return entry !== undefined && this.#connections.find(entry.key) === entry ? entry : undefined
  }

  #checkWay(request: ServerRequestContext): void {
    try {
      this.passage.check(request)
    } catch (error) {
      throw this.condition.inLoop(error)
    }
  }

  async #credentialOf(
    request: ServerRequestContext,
    headers: Readonly<Record<string, string>>,
  ): Promise<Credential | undefined> {
    try {
      return await this.#options.credentials?.(callerOf(request, this.name, headers))
    } catch (error) {
      throw isUnauthorized(error) ? connectFailure(this.name, error) : error
    }
  }

  /** Settles when no call is under way, at the latest after a minute. */
  whenUnused(): Promise<void> {
    return this.#connections.whenUnused()
  }

  /** The connection of this caller, where it is open; nothing is opened. */
  peek(request: ServerRequestContext): BackConnection | undefined {
    const entry = this.#connections.find(peerOf(request))
    return entry?.isOpen === true ? entry.connection : undefined
  }

  /** The proxy that it stands behind. */
  get passage(): Passage {
    return this.#host.passage
  }

  get era(): Era | undefined {
    return this.#openings.era
  }

  /** Whether it can run tools as tasks, as far as is known. */
  get offersTasks(): boolean {
    return this.#openings.offersTasks
  }

  /** Closes what belongs to one verified caller. */
  async forget(owner: string): Promise<void> {
    const theirs = this.#connections.all.filter((entry) => entry.owner === owner)
    await Promise.all(theirs.map((entry) => entry.close()))
  }

  async close(): Promise<void> {
    await Promise.all(this.#connections.all.map((entry) => entry.close()))
    await this.#connections.whenEnded()
    this.condition.end()
  }

  /** Asks what is open, and opens nothing. */
  async health({ timeoutMs = PING_MS }: HealthOptions = {}): Promise<UpstreamHealth> {
    const open = this.#connections.open.sort((a, b) => b.usedAt - a.usedAt)
    const asked = await this.#pings.ask(open, timeoutMs)
    const { state, since } = this.condition
    const { era, revision } = this.#openings
    const isSilent = asked?.ping.answered === 0
    const lastError = asked?.error === undefined ? this.condition.lastError : this.condition.textOf(asked.error)
    const latencyMs = this.latencies.summary
    return {
      name: this.name,
      state: state === 'ready' && isSilent ? 'lost' : state,
      ...(era !== undefined && { era }),
      ...(revision !== undefined && { revision }),
      since,
      ...(lastError !== undefined && { lastError }),
      connections: this.#connections.open.length,
      parked: this.parked(),
      listed: { ...this.listed },
      ...(asked !== undefined && { ping: asked.ping }),
      ...(latencyMs !== undefined && { latencyMs }),
    }
  }

  #sessionsFor(request: ServerRequestContext): ProxySessions {
    if (this.#options.sessions !== undefined) return this.#options.sessions
    if (!isStateless(request)) return 'connection'
    if (request.auth !== undefined) return 'principal'
    return this.era === 'legacy' ? 'call' : 'shared'
  }

  /** The capabilities that a request of this caller declares at the back. */
  capabilitiesOf(request: ServerRequestContext): ClientCapabilities {
    return declaredCapabilities(this.forward, frontClientOf(request).capabilities)
  }

  /** A legacy client hears what belongs to no call, from its first request to its end. */
  #attach({ connection, listening, opening, undo }: Entry, request: ServerRequestContext): void {
    const core = connectionOfRequest(request)
    if (frontClientOf(request).era !== 'legacy' || listening.has(core)) return
    opening.then(
      () => this.#host.attached(core, connection),
      () => {},
    )
    const hearsChanges = this.#host.isOwnFront(request)
    // Not the request: it would be kept as long as the connection.
    const link = frontLinkOf(core, (method, params) => {
      if (!hearsChanges && CHANGES.has(method)) return false
      return !connection.isShared || this.#host.wants(core, method, params)
    })
    listening.add(core)
    connection.fronts.add(link)
    if (!connection.isShared) return
    const forget = core.defer(() => {
      connection.fronts.delete(link)
      undo.delete(forget)
    })
    undo.add(forget)
  }

  #use(entry: Entry, request: ServerRequestContext): Promise<Held> {
    this.#attach(entry, request)
    return this.#connections.use(entry)
  }
}
