// How a connection to one source is opened, and what becomes of it.
import { SignInRequired } from '../../auth/client/sign-in-required.ts'
import { listenForAbort } from '../../primitives/async/abort.ts'
import { connectionOfRequest, type ServerRequestContext } from '../../server/context.ts'
import { ErrorCode } from '../../types/errors/error-codes.ts'
import { MCPError } from '../../types/errors/errors.ts'
import { BackConnection } from '../back/back-connection.ts'
import { type Era, frontClientOf, isStateless, principalKeyOf } from '../base/caller.ts'
import { closedFailure, connectFailure, isLoop } from '../base/failures.ts'
import type { Credential, Forwarding, ProxyOptions, ProxySessions } from '../base/options.ts'
import type { CheckedTarget } from '../base/targets.ts'
import type { Condition } from './condition.ts'
import type { Connections, Entry } from './connections.ts'
import { offersTasks } from './offers-tasks.ts'
import { reachUpstream } from './reach-upstream.ts'
import type { UpstreamHost } from './upstream-host.ts'

/** A connection that is not there yet: for whom, and with what. */
export interface Wanted {
  readonly key: unknown
  readonly request: ServerRequestContext
  readonly sessions: ProxySessions
  readonly credential: Credential | undefined
  /** Headers of the caller that go along. */
  readonly forwarded: Readonly<Record<string, string>>
}

export interface OpeningsOptions {
  readonly target: CheckedTarget
  readonly options: ProxyOptions
  readonly forward: Forwarding
  readonly host: UpstreamHost
  readonly condition: Condition
  readonly connections: Connections
}

export class Openings {
  /** Whether the source can run tools as tasks, as far as is known. */
  offersTasks = false
  /** `undefined` until a connection has opened. */
  era: Era | undefined
  revision: string | undefined
  readonly #target: CheckedTarget
  readonly #options: ProxyOptions
  readonly #forward: Forwarding
  readonly #host: UpstreamHost
  readonly #condition: Condition
  readonly #connections: Connections

  constructor({ target, options, forward, host, condition, connections }: OpeningsOptions) {
    this.#target = target
    this.#options = options
    this.#forward = forward
    this.#host = host
    this.#condition = condition
    this.#connections = connections
  }

  /** The connection is among those that are open, or about to be, from here on. */
  open(wanted: Wanted): Entry {
    this.#connections.makeRoom()
    const { key, request, sessions } = wanted
    const connection = new BackConnection({
      forward: this.#forward,
      middleware: this.#options.client?.middleware ?? [],
      taskIds: this.#host.taskIds,
      changed: (method, params) => this.#host.changed(method, params),
      hears: (caller, params) => this.#host.hears(caller, params),
      wantsLogs: (caller) => this.#host.wantsLogs(caller),
      lost: (what) => this.#host.lost(what),
      isShared: sessions !== 'connection',
      dropped: (message, method) =>
        this.#condition.reportOnce({ kind: 'overflow', message: `${message} ('${this.#target.name}').`, method }),
    })
    const abort = new AbortController()
    const opening = this.#connect(connection, wanted, abort.signal)
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
        this.#condition.closed(this.#connections.open.length)
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

  async #connect(
    connection: BackConnection,
    { request, sessions, credential, forwarded }: Wanted,
    signal: AbortSignal,
  ): Promise<void> {
    this.#condition.enter('connecting')
    try {
      const opened = await reachUpstream(connection, {
        target: this.#target,
        options: this.#options,
        forward: this.#forward,
        secrets: this.#condition.secrets,
        request,
        credential,
        forwarded,
        sessions,
        marks: this.#host.passage.marksFor(request),
        signal,
        onFault: (fault) => this.#condition.report(fault),
      })
      connection.opened(opened.client, opened.era)
      this.era = opened.era
      this.offersTasks = offersTasks(opened)
      this.revision = opened.client.protocolVersion
      this.#condition.opened()
      if (opened.era === 'modern' && !this.#host.isOwnFront(request)) this.#host.opened(connection)
    } catch (error) {
      if (signal.aborted) throw closedFailure(this.#target.name, error)
      if (isForCaller(error)) throw error
      if (isLoop(error)) {
        // Other callers may come another way.
        this.#settle()
        throw this.#condition.inLoop(error)
      }
      if (SignInRequired.find(error) !== undefined) {
        // Nothing is wrong with the source: this caller has no account there yet.
        this.#settle()
        throw connectFailure(this.#target.name, error)
      }
      this.#condition.failedToOpen(error)
      throw connectFailure(this.#target.name, error)
    }
  }

  /** A connection did not open, for a reason that is not that of the source. */
  #settle(): void {
    this.#condition.enter(this.#connections.open.length > 0 ? 'ready' : 'idle')
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
      this.#condition.lost(endSignal.reason)
    }
    if (endSignal.aborted) ended()
    else listenForAbort(endSignal, ended)
  }
}

/** What the source says about the handshake is for the caller, but for revisions: the caller has agreed on one with the proxy. */
function isForCaller(error: unknown): boolean {
  if (!(error instanceof MCPError) || error.local || error.data === undefined) return false
  return error.code !== ErrorCode.UnsupportedProtocolVersion
}
