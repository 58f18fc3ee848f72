// The connections to one source: who shares which, when they open and when they end.

import type { Fault, FaultReporter } from '../../dispatcher/fault.ts'
import { listenForAbort } from '../../primitives/async/abort.ts'
import { type Timer, unref } from '../../primitives/async/timer.ts'
import { connectionOfRequest, type ServerRequestContext } from '../../server/context.ts'
import { MCPError } from '../../types/errors/errors.ts'
import type { ClientCapabilities } from '../../types/protocol/capabilities.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import { BackConnection, CHANGES, frontLinkOf } from '../back/back-connection.ts'
import {
  callerOf,
  type Era,
  forwardedHeaders,
  frontClientOf,
  isStateless,
  peerOf,
  principalKeyOf,
} from '../base/caller.ts'
import { connectFailure, isUnauthorized, proxyFailure } from '../base/failures.ts'
import {
  type Credential,
  type Forwarding,
  forwardingOf,
  type ProxyOptions,
  type ProxySessions,
} from '../base/options.ts'
import { Secrets } from '../base/secrets.ts'
import { SignInRequired } from '../base/sign-in-required.ts'
import type { CheckedTarget } from '../base/targets.ts'
import { Breaker } from './breaker.ts'
import { Latencies, type UpstreamHealth } from './health.ts'
import { checkHops } from './hops.ts'
import { declaredCapabilities, keyOf, OneCall } from './keys.ts'
import { offersTasks } from './offers-tasks.ts'
import { reachUpstream } from './reach-upstream.ts'

/** A connection, for as long as it is held. */
export interface Held {
  readonly connection: BackConnection
  release(): void
}

interface Entry {
  readonly key: unknown
  readonly owner: string
  readonly connection: BackConnection
  readonly opening: Promise<void>
  /** The legacy clients that hear what belongs to no call. */
  readonly listening: WeakSet<object>
  users: number
  isOpen: boolean
  usedAt: number
  timer: Timer | undefined
  close(): Promise<void>
}

const IDLE_MS = 300_000
const MAX_CONNECTIONS = 256
const RETIRE_MS = 60_000
const RETIRE_LOOK_MS = 50

export interface UpstreamHost {
  readonly faults: FaultReporter
  changed(method: string, params: JSONObject | undefined): void
  isOwnFront(request: ServerRequestContext): boolean
  /** A connection has opened whose changes a server in front tells of. */
  opened(connection: BackConnection): void
  /** Callers of the other era don't get this. Reported once. */
  lost(what: string): void
  /** Whether a caller asked for this log message of its call. */
  hears(request: ServerRequestContext, params: JSONObject | undefined): boolean
  /** Whether a client that shares a connection gets this message, which belongs to no call. */
  wants(request: ServerRequestContext, method: string, params: JSONObject | undefined): boolean
}

export class Upstream {
  readonly name: string
  readonly forward: Forwarding
  readonly breaker = new Breaker()
  readonly latencies = new Latencies()
  readonly listed: Record<string, number> = {}
  parked = () => 0
  /** Whether it can run tools as tasks, as far as is known. */
  offersTasks = false
  readonly #target: CheckedTarget
  readonly #options: ProxyOptions
  readonly #host: UpstreamHost
  readonly #entries = new Map<unknown, Entry>()
  readonly #reported = new Set<string>()
  readonly #secrets = new Secrets()
  #closing = new AbortController()
  #era: Era | undefined
  #revision: string | undefined
  #state: UpstreamHealth['state'] = 'idle'
  #since = Date.now()
  #lastError: string | undefined

  constructor(target: CheckedTarget, options: ProxyOptions, host: UpstreamHost) {
    this.name = target.name
    this.forward = forwardingOf(options)
    this.#target = target
    this.#options = options
    this.#host = host
  }

  /** The connection of this caller, opened where there is none. Rejects with what the caller may read. */
  async acquire(request: ServerRequestContext): Promise<Held> {
    const { retryAfterMs } = this.breaker
    if (retryAfterMs > 0) {
      throw proxyFailure('G011', this.name, `The source '${this.name}' is not available at present.`, {
        data: { retryAfterMs },
      })
    }
    checkHops(request, this.name)
    const sessions = this.#sessionsFor(request)
    const headers = forwardedHeaders(request, this.#options.forwardHeaders ?? [])
    const known = sessions === 'connection' ? this.#entries.get(peerOf(request)) : undefined
    if (known !== undefined) return this.#use(known, request)
    const credential = await this.#credentialOf(request, headers)
    const key = keyOf({ request, sessions, credential, headers, forward: this.forward })
    const held = await this.#use(this.#entries.get(key) ?? this.#open(key, request, credential, headers), request)
    // Two strangers must not share a session of a legacy source. What this was is known only now.
    if (this.#options.sessions !== undefined || sessions !== 'shared' || held.connection.era === 'modern') return held
    held.release()
    void this.#entries.get(key)?.close()
    return this.acquire(request)
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

  /** The connection of this caller, where it is open; nothing is opened. */
  peek(request: ServerRequestContext): BackConnection | undefined {
    const entry = this.#entries.get(peerOf(request))
    return entry?.isOpen === true ? entry.connection : undefined
  }

  get era(): Era | undefined {
    return this.#era
  }

  /** Settles when no call is under way, at the latest after a minute. */
  async whenUnused(): Promise<void> {
    const giveUpAt = Date.now() + RETIRE_MS
    while ([...this.#entries.values()].some(({ users }) => users > 0) && Date.now() < giveUpAt) {
      await new Promise((resolve) => {
        unref(setTimeout(resolve, RETIRE_LOOK_MS))
      })
    }
  }

  /** Closes what belongs to one verified caller. */
  async forget(owner: string): Promise<void> {
    const theirs = [...this.#entries.values()].filter((entry) => entry.owner === owner)
    await Promise.all(theirs.map((entry) => entry.close()))
  }

  async close(): Promise<void> {
    const closing = this.#closing
    this.#closing = new AbortController()
    closing.abort(new Error('The proxy was closed.'))
    await Promise.all([...this.#entries.values()].map((entry) => entry.close()))
    this.#enter('closed')
  }

  get health(): UpstreamHealth {
    const latencyMs = this.latencies.summary
    return {
      name: this.name,
      state: this.breaker.retryAfterMs > 0 ? 'failed' : this.#state,
      ...(this.#era !== undefined && { era: this.#era }),
      ...(this.#revision !== undefined && { revision: this.#revision }),
      since: this.#since,
      ...(this.#lastError !== undefined && { lastError: this.#lastError }),
      connections: [...this.#entries.values()].filter(({ isOpen }) => isOpen).length,
      parked: this.parked(),
      listed: { ...this.listed },
      ...(latencyMs !== undefined && { latencyMs }),
    }
  }

  /** Once for each text. */
  reportOnce(fault: Fault): void {
    if (this.#reported.has(fault.message) || this.#reported.size > 1_000) return
    this.#reported.add(fault.message)
    this.#report(fault)
  }

  #report(fault: Fault): void {
    this.#host.faults.report(this.#secrets.fault(fault))
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
    this.#makeRoom()
    const sessions = this.#sessionsFor(request)
    const connection = new BackConnection({
      forward: this.forward,
      changed: (method, params) => this.#host.changed(method, params),
      hears: (caller, params) => this.#host.hears(caller, params),
      lost: (what) => this.#host.lost(what),
      isShared: sessions !== 'connection',
      dropped: (message, method) =>
        this.reportOnce({ kind: 'overflow', message: `${message} ('${this.name}').`, method }),
    })
    const abort = new AbortController()
    listenForAbort(this.#closing.signal, () => abort.abort(new Error('The proxy was closed.')))
    const opening = this.#connect(connection, request, credential, forwarded, sessions, abort.signal)
    const entry: Entry = {
      key,
      owner: principalKeyOf(request),
      connection,
      listening: new WeakSet(),
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
          this.#entries.delete(key)
          throw error
        },
      ),
      close: async () => {
        clearTimeout(entry.timer)
        if (this.#entries.get(key) === entry) this.#entries.delete(key)
        abort.abort(new Error('The connection was closed.'))
        if (entry.isOpen) await connection.client.session.close()
      },
    }
    entry.opening.catch(() => {})
    this.#entries.set(key, entry)
    if (sessions === 'connection' && !isStateless(request) && frontClientOf(request).era === 'legacy') {
      connectionOfRequest(request).defer(() => entry.close())
    }
    return entry
  }

  /** A legacy client hears what belongs to no call, from its first request to its end. */
  #attach({ connection, listening }: Entry, request: ServerRequestContext): void {
    const core = connectionOfRequest(request)
    if (frontClientOf(request).era !== 'legacy' || listening.has(core)) return
    const hearsChanges = this.#host.isOwnFront(request)
    const link = frontLinkOf(request, (method, params) => {
      if (!hearsChanges && CHANGES.has(method)) return false
      return !connection.isShared || this.#host.wants(request, method, params)
    })
    listening.add(core)
    connection.fronts.add(link)
    if (connection.isShared) core.defer(() => connection.fronts.delete(link))
  }

  async #connect(
    connection: BackConnection,
    request: ServerRequestContext,
    credential: Credential | undefined,
    forwarded: Readonly<Record<string, string>>,
    sessions: ProxySessions,
    signal: AbortSignal,
  ): Promise<void> {
    this.#enter('connecting')
    try {
      const opened = await reachUpstream(connection, {
        target: this.#target,
        options: this.#options,
        forward: this.forward,
        secrets: this.#secrets,
        request,
        credential,
        forwarded,
        sessions,
        signal,
        onFault: (fault) => this.#report(fault),
      })
      connection.opened(opened.client, opened.era)
      this.#era = opened.era
      this.offersTasks = offersTasks(opened)
      this.#revision = opened.client.protocolVersion
      this.breaker.succeeded()
      this.#enter('ready')
      if (opened.era === 'modern' && !this.#host.isOwnFront(request)) this.#host.opened(connection)
    } catch (error) {
      if (signal.aborted)
        throw proxyFailure('G007', this.name, `The source '${this.name}' was closed.`, { cause: error })
      if (error instanceof MCPError && !error.local && error.data !== undefined) throw error
      if (SignInRequired.find(error) !== undefined) {
        // Nothing is wrong with the source: this caller has no account there yet.
        this.#enter('idle')
        throw connectFailure(this.name, error)
      }
      this.breaker.failed()
      this.#enter('failed', error)
      const message = `The source '${this.name}' can't be reached.`
      this.#report({ kind: 'transport', message, error })
      throw connectFailure(this.name, error)
    }
  }

  #opened(entry: Entry): void {
    const { endSignal } = entry.connection.client
    const ended = () => {
      if (this.#entries.get(entry.key) !== entry) return
      this.#entries.delete(entry.key)
      clearTimeout(entry.timer)
      this.#enter('lost', endSignal.reason)
      const message = `The connection to '${this.name}' was lost.`
      this.#report({ kind: 'transport', message, error: endSignal.reason })
    }
    if (endSignal.aborted) ended()
    else listenForAbort(endSignal, ended)
  }

  async #use(entry: Entry, request: ServerRequestContext): Promise<Held> {
    entry.users += 1
    this.#attach(entry, request)
    clearTimeout(entry.timer)
    try {
      await entry.opening
    } catch (error) {
      entry.users -= 1
      throw error
    }
    let isReleased = false
    return {
      connection: entry.connection,
      release: () => {
        if (isReleased) return
        isReleased = true
        entry.users -= 1
        entry.usedAt = Date.now()
        if (entry.users === 0) this.#idle(entry)
      },
    }
  }

  #idle(entry: Entry): void {
    const { idleMs = IDLE_MS } = this.#options
    if (entry.key instanceof OneCall) {
      void entry.close()
      return
    }
    if (idleMs === 0 || idleMs === Infinity) return
    entry.timer = setTimeout(() => {
      if (entry.users > 0) return
      void entry.close()
      if (this.#entries.size === 0) this.#enter('idle')
    }, idleMs)
    unref(entry.timer)
  }

  #makeRoom(): void {
    const { maxConnections = MAX_CONNECTIONS } = this.#options
    if (this.#entries.size < maxConnections) return
    const idle = [...this.#entries.values()].filter(({ users }) => users === 0).sort((a, b) => a.usedAt - b.usedAt)
    const oldest = idle[0]
    if (oldest === undefined) {
      throw proxyFailure('G012', this.name, `The source '${this.name}' has too many connections. Try again later.`, {
        data: { limit: 'maxConnections', max: maxConnections },
      })
    }
    void oldest.close()
  }

  #enter(state: UpstreamHealth['state'], error?: unknown): void {
    this.#state = state
    this.#since = Date.now()
    if (error !== undefined) {
      this.#lastError = this.#secrets.text(error instanceof Error ? error.message : String(error))
    }
    if (state === 'idle') return
    try {
      const hidden = this.#secrets.error(error)
      this.#options.onUpstream?.({ name: this.name, state, ...(error !== undefined && { error: hidden }) })
    } catch (failure) {
      this.#host.faults.reportCallback({
        kind: 'callback-failed',
        message: 'The onUpstream listener failed.',
        error: failure,
      })
    }
  }
}
