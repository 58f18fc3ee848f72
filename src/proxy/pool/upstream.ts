// The connections to one source: who shares which, when they open and when they end.

import { SignInRequired } from '../../auth/client/sign-in-required.ts'
import { listenForAbort } from '../../primitives/async/abort.ts'
import { connectionOfRequest, type ServerRequestContext } from '../../server/context.ts'
import { ErrorCode } from '../../types/errors/error-codes.ts'
import { MCPError } from '../../types/errors/errors.ts'
import type { ClientCapabilities } from '../../types/protocol/capabilities.ts'
import { frontLinkOf } from '../back/back-call.ts'
import { BackConnection, CHANGES } from '../back/back-connection.ts'
import {
  callerOf,
  type Era,
  forwardedHeaders,
  frontClientOf,
  isStateless,
  peerOf,
  principalKeyOf,
} from '../base/caller.ts'
import { closedFailure, connectFailure, isLoop, isUnauthorized, proxyFailure } from '../base/failures.ts'
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
import { offersTasks } from './offers-tasks.ts'
import { PING_MS, Pings } from './pings.ts'
import { reachUpstream } from './reach-upstream.ts'
import type { UpstreamHost } from './upstream-host.ts'

export class Upstream {
  readonly name: string
  readonly forward: Forwarding
  readonly condition: Condition
  readonly latencies = new Latencies()
  readonly listed: Record<string, number> = {}
  parked = () => 0
  /** Whether it can run tools as tasks, as far as is known. */
  offersTasks = false
  readonly #target: CheckedTarget
  readonly #options: ProxyOptions
  readonly #host: UpstreamHost
  readonly #connections: Connections
  /** Of requests that stay open. */
  readonly #byRequest = new WeakMap<object, Entry>()
  readonly #pings = new Pings()
  #era: Era | undefined
  #revision: string | undefined

  constructor(target: CheckedTarget, options: ProxyOptions, host: UpstreamHost) {
    this.name = target.name
    this.forward = forwardingOf(options)
    this.#target = target
    this.#options = options
    this.#host = host
    this.condition = new Condition(target.name, host.faults, options.onUpstream, () => host.returned())
    this.#connections = new Connections(target.name, options)
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
    const held = await this.#use(this.#connections.find(key) ?? this.#open(key, request, credential, headers), request)
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
      throw this.inLoop(error)
    }
  }

  /** What the caller reads of a source that leads back to a proxy which the request has passed. */
  inLoop(cause: unknown): MCPError {
    const message = `The source '${this.name}' leads back to where the request came from: the proxies form a loop.`
    const failure = proxyFailure('G031', this.name, message, { cause })
    const remedy = 'Take one of the proxies out of the loop.'
    this.condition.reportOnce({ kind: 'configuration-warning', message, error: failure, remedy })
    return failure
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
    return this.#era
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

  get #openOnes(): Entry[] {
    return this.#connections.all.filter(({ isOpen }) => isOpen)
  }

  /** Asks what is open, and opens nothing. */
  async health({ timeoutMs = PING_MS }: HealthOptions = {}): Promise<UpstreamHealth> {
    const open = this.#openOnes.sort((a, b) => b.usedAt - a.usedAt)
    const asked = await this.#pings.ask(open, timeoutMs)
    const { state, since } = this.condition
    const isSilent = asked?.ping.answered === 0
    const lastError = asked?.error === undefined ? this.condition.lastError : this.condition.textOf(asked.error)
    const latencyMs = this.latencies.summary
    return {
      name: this.name,
      state: state === 'ready' && isSilent ? 'lost' : state,
      ...(this.#era !== undefined && { era: this.#era }),
      ...(this.#revision !== undefined && { revision: this.#revision }),
      since,
      ...(lastError !== undefined && { lastError }),
      connections: this.#openOnes.length,
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
    return this.#era === 'legacy' ? 'call' : 'shared'
  }

  /** The capabilities that a request of this caller declares at the back. */
  capabilitiesOf(request: ServerRequestContext): ClientCapabilities {
    return declaredCapabilities(this.forward, frontClientOf(request).capabilities)
  }

  #open(
    key: unknown,
    request: ServerRequestContext,
    credential: Credential | undefined,
    forwarded: Readonly<Record<string, string>>,
  ): Entry {
    this.#connections.makeRoom()
    const sessions = this.#sessionsFor(request)
    const connection = new BackConnection({
      forward: this.forward,
      middleware: this.#options.client?.middleware ?? [],
      taskIds: this.#host.taskIds,
      changed: (method, params) => this.#host.changed(method, params),
      hears: (caller, params) => this.#host.hears(caller, params),
      wantsLogs: (caller) => this.#host.wantsLogs(caller),
      lost: (what) => this.#host.lost(what),
      isShared: sessions !== 'connection',
      dropped: (message, method) =>
        this.condition.reportOnce({ kind: 'overflow', message: `${message} ('${this.name}').`, method }),
    })
    const abort = new AbortController()
    const opening = this.#connect(connection, request, credential, forwarded, sessions, abort.signal)
    const entry: Entry = {
      key,
      owner: principalKeyOf(request),
      connection,
      listening: new WeakSet(),
      undo: new Set(),
      users: 0,
      isOpen: false,
      usedAt: Date.now(),
      timer: undefined,
      opening: opening.then(
        () => {
          entry.isOpen = true
          this.#opened(entry)
        },
        (error: unknown) => {
          this.#connections.remove(entry)
          throw error
        },
      ),
      close: async () => {
        this.#connections.remove(entry)
        if (entry.users > 0) connection.isCutOff = true
        abort.abort(new Error('The connection was closed.'))
        if (!entry.isOpen) return
        entry.isOpen = false
        this.condition.closed(this.#openOnes.length)
        await this.#connections.endsBy(connection.client.session.close())
      },
    }
    entry.opening.catch(() => {})
    this.#connections.add(entry)
    if (sessions === 'connection' && !isStateless(request) && frontClientOf(request).era === 'legacy') {
      entry.undo.add(connectionOfRequest(request).defer(() => entry.close()))
    }
    return entry
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

  async #connect(
    connection: BackConnection,
    request: ServerRequestContext,
    credential: Credential | undefined,
    forwarded: Readonly<Record<string, string>>,
    sessions: ProxySessions,
    signal: AbortSignal,
  ): Promise<void> {
    this.condition.enter('connecting')
    try {
      const opened = await reachUpstream(connection, {
        target: this.#target,
        options: this.#options,
        forward: this.forward,
        secrets: this.condition.secrets,
        request,
        credential,
        forwarded,
        sessions,
        marks: this.passage.marksFor(request),
        signal,
        onFault: (fault) => this.condition.report(fault),
      })
      connection.opened(opened.client, opened.era)
      this.#era = opened.era
      this.offersTasks = offersTasks(opened)
      this.#revision = opened.client.protocolVersion
      this.condition.opened()
      if (opened.era === 'modern' && !this.#host.isOwnFront(request)) this.#host.opened(connection)
    } catch (error) {
      if (signal.aborted) throw closedFailure(this.name, error)
      if (isForCaller(error)) throw error
      if (isLoop(error)) {
        // Other callers may come another way.
        this.#settle()
        throw this.inLoop(error)
      }
      if (SignInRequired.find(error) !== undefined) {
        // Nothing is wrong with the source: this caller has no account there yet.
        this.#settle()
        throw connectFailure(this.name, error)
      }
      this.condition.failedToOpen(error)
      throw connectFailure(this.name, error)
    }
  }

  /** A connection did not open, for a reason that is not that of the source. */
  #settle(): void {
    this.condition.enter(this.#connections.all.some(({ isOpen }) => isOpen) ? 'ready' : 'idle')
  }

  #opened(entry: Entry): void {
    const { endSignal, session } = entry.connection.client
    const kept = this.#connections.missed.take(entry.key)
    if (kept !== undefined) entry.connection.restore(kept)
    const ended = () => {
      if (!this.#connections.remove(entry)) return
      entry.isOpen = false
      void this.#connections.endsBy(session.close())
      this.#connections.missed.add(entry.key, entry.connection.kept)
      this.condition.lost(endSignal.reason)
    }
    if (endSignal.aborted) ended()
    else listenForAbort(endSignal, ended)
  }

  #use(entry: Entry, request: ServerRequestContext): Promise<Held> {
    this.#attach(entry, request)
    return this.#connections.use(entry)
  }
}

/** What the source says about the handshake is for the caller, but for revisions: the caller has agreed on one with the proxy. */
function isForCaller(error: unknown): boolean {
  if (!(error instanceof MCPError) || error.local || error.data === undefined) return false
  return error.code !== ErrorCode.UnsupportedProtocolVersion
}
