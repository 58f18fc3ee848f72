// A source that stands elsewhere: what it offers, what it answers, and what it tells.
import { CANCELLED } from '../../dispatcher/context.ts'
import type { FaultReporter } from '../../dispatcher/fault.ts'
import { type Principal, principalKey } from '../../http/principal.ts'
import type { ServerRequestContext } from '../../server/context.ts'
import type { Source, SourceDescription } from '../../server/source.ts'
import { markSealedElsewhere } from '../../server/state/sealed-elsewhere.ts'
import type { SubscriptionEvent, SubscriptionListener } from '../../server/subscriptions/subscriptions.ts'
import type { JSONObject } from '../../types/protocol/json.ts'
import type { LegacyVersion } from '../../types/protocol/versions.ts'
import type { HeaderAnnotation } from '../../wire/headers/header-annotations.ts'
import { CHANGE_NOTIFICATIONS, isSpecMethod, LIST_CHANGES } from '../../wire/method-rows.ts'
import { frontClientOf, principalKeyOf } from '../base/caller.ts'
import { foreignStateFault } from '../base/failures.ts'
import { listMsOf, maxParkedOf, type ProxyOptions } from '../base/options.ts'
import type { Passage } from '../base/passage.ts'
import type { CheckedTarget } from '../base/targets.ts'
import { LegacyFronts } from '../crossing/legacy-fronts.ts'
import { withoutEnvelope } from '../crossing/shape-results.ts'
import type { SourceTaskIds } from '../gateway/task-ids.ts'
import { ParkedCalls } from '../parked/parked-calls.ts'
import { Upstream } from '../pool/upstream.ts'
import { Annotations } from './annotations.ts'
import { CheckedResults } from './checked-results.ts'
import { Exchange } from './exchange.ts'
import { Levels } from './levels.ts'
import { Listeners } from './listeners.ts'
import { SafeTools } from './safe-tools.ts'
import { SourceCalls } from './source-calls.ts'
import { UpstreamLists } from './upstream-lists.ts'

export class UpstreamSource implements Source {
  readonly upstream: Upstream
  readonly #options: ProxyOptions
  readonly #listeners = new Set<{ readonly notify: SubscriptionListener }>()
  readonly #lists: UpstreamLists
  readonly #annotations = new Annotations()
  readonly #checked: CheckedResults | undefined
  readonly #safeTools: SafeTools | undefined
  readonly #parked: ParkedCalls
  readonly #held: Listeners
  readonly #legacyFronts = new LegacyFronts()
  readonly #levels: Levels
  readonly #exchange: Exchange
  readonly isOwnFront: (request: ServerRequestContext) => boolean

  /**
   * `isOwnFront` says whether a request came to the proxy itself, and not to a server that this source is a part of; `taskIds` knows the
   * ids of its tasks where other sources have tasks too.
   */
  constructor(
    target: CheckedTarget,
    options: ProxyOptions,
    faults: FaultReporter,
    isOwnFront: (request: ServerRequestContext) => boolean,
    passage: Passage,
    taskIds?: SourceTaskIds,
  ) {
    this.#options = options
    this.isOwnFront = isOwnFront
    this.upstream = new Upstream(target, options, {
      faults,
      passage,
      isOwnFront,
      taskIds,
      changed: (method, params) => this.#changed(method, params),
      attached: (client, connection) => this.#legacyFronts.resume(client, connection),
      returned: () => this.#returned(),
      opened: (connection) => this.#legacyFronts.listenFor(connection),
      hears: (caller, params) => this.#levels.wants(caller, params, this.upstream.era),
      wantsLogs: (caller) => frontClientOf(caller).era === 'modern' && this.#levels.of(caller) !== undefined,
      lost: (what) => this.#lost(what),
      wants: (client, method, params) => this.#legacyFronts.wants(client, method, params),
    })
    this.#held = new Listeners(this.upstream)
    this.#levels = new Levels(this.#legacyFronts, this.upstream.forward.logging)
    if (options.validate === 'results') {
      const report = (message: string) => this.upstream.condition.reportOnce({ kind: 'invalid-message', message })
      this.#checked = new CheckedResults(target.name, report)
    }
    const calls = new SourceCalls({
      options,
      upstream: this.upstream,
      annotations: this.#annotations,
      levels: this.#levels,
      checked: this.#checked,
      list: (list, request, cursor) => this.list(list, request, cursor),
    })
    const { parkMs, maxParkedPerPrincipal } = options
    const ask = (...args: Parameters<Exchange['answer']>) => this.#exchange.answer(...args)
    const safeTools = options.client?.repeatSafeTools === true ? new SafeTools() : undefined
    const readers = [this.#annotations, this.#checked, safeTools].filter((one) => one !== undefined)
    this.#safeTools = safeTools
    const host = {
      counts: this.upstream.listed,
      onStale: (error: unknown) => {
        const message = `The source '${target.name}' is away. Its lists are those that it gave at last.`
        this.upstream.condition.report({ kind: 'transport', message, error })
      },
    }
    this.#lists = new UpstreamLists(ask, readers, host, listMsOf(options))
    const onForeignState = (method: string) => this.upstream.condition.report(foreignStateFault(target.name, method))
    this.#parked = new ParkedCalls({
      parkMs,
      maxParked: maxParkedOf(options),
      maxParkedPerPrincipal,
      source: target.name,
      onForeignState,
    })
    this.upstream.parked = () => this.#parked.size
    this.#exchange = new Exchange({
      onForeignState,
      options,
      upstream: this.upstream,
      calls,
      parked: this.#parked,
      levels: this.#levels,
      safeTools,
      legacyFronts: this.#legacyFronts,
      taskIds,
      isOwnFront,
      lost: (what) => this.#lost(what),
    })
  }

  async describe(request: ServerRequestContext): Promise<SourceDescription> {
    const held = await this.upstream.acquire(request)
    try {
      const { session } = held.connection.client
      const result = (session.initializeResult ?? session.discoverResult) as unknown as JSONObject
      const front = frontClientOf(request).era
      const isSame = front === held.connection.era
      const {
        capabilities,
        instructions,
        serverInfo: _info,
        protocolVersion,
        supportedVersions: _all,
        ...further
      } = result
      if (!isSame && front === 'legacy' && this.isOwnFront(request)) this.#legacyFronts.listen(request, held.connection)
      return {
        capabilities: this.#offered(capabilities as JSONObject | undefined, isSame),
        ...(typeof instructions === 'string' && { instructions }),
        ...(session.serverInfo !== undefined && { info: session.serverInfo }),
        ...(isSame && { further }),
        ...(isSame && front === 'legacy' && { protocolVersion: protocolVersion as LegacyVersion }),
      }
    } finally {
      held.release()
    }
  }

  list(...args: Parameters<Source['list']>) {
    return this.#lists.page(...args)
  }

  async handle(request: ServerRequestContext, method: string, params: JSONObject): Promise<JSONObject> {
    const result = await this.#exchange.answer(request, method, params)
    markSealedElsewhere(result)
    return result
  }

  async notify(request: ServerRequestContext, method: string, params: JSONObject): Promise<void> {
    // Its id is that of the front. The call itself is cancelled, and tells the source under its own id.
    if (method === CANCELLED) return
    const connection = this.upstream.peek(request)
    if (connection === undefined || (!isSpecMethod(method) && !this.upstream.forward.vendor)) return
    const front = frontClientOf(request).era
    // Modern sources take no notifications of the specification: they ask anew, and progress of clients has no form there.
    if (connection.era === 'modern' && isSpecMethod(method) && front === 'legacy') return
    await connection.notify(
      method,
      front === 'modern' && connection.era === 'legacy' ? withoutEnvelope(params) : params,
    )
  }

  mirrored(tool: string, request: ServerRequestContext): readonly HeaderAnnotation[] | undefined {
    return this.#annotations.find(principalKeyOf(request), tool)
  }

  watch(notify: SubscriptionListener): () => void {
    const listener = { notify }
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /** For a server in front: it listens for its clients, who hear of changes only while a connection is open. */
  hold(request: ServerRequestContext): Promise<() => void> {
    return this.#held.hold(request)
  }

  /** Passes a log level on, where a connection of the caller is open that keeps one. */
  async setLevel(request: ServerRequestContext, params: JSONObject): Promise<void> {
    await this.#levels.pass(this.upstream.peek(request), params)
  }

  /** Takes no new calls; those under way go on to their end, or until the proxy closes. */
  async retire(): Promise<void> {
    this.#held.releaseAll()
    await this.upstream.whenUnused()
    await this.close()
  }

  async forget(principal: Principal): Promise<void> {
    const owner = principalKey(principal)
    // `perUser()` and `tokenExchange()` keep something for their callers.
    const { credentials } = this.#options as { credentials?: { forget?: (principal: Principal) => void } }
    credentials?.forget?.(principal)
    const told = this.#parked.close(owner)
    this.#annotations.forget(owner)
    this.#checked?.forget(owner)
    this.#safeTools?.forget(owner)
    this.#lists.forget(owner)
    await told
    await this.upstream.forget(owner)
  }

  async close(): Promise<void> {
    this.#lists.clear()
    await this.#parked.close()
    await this.upstream.close()
  }

  /** In the other era without what only works raw. */
  #offered(capabilities: JSONObject = {}, isSame: boolean): JSONObject {
    const { tasks, extensions, ...rest } = capabilities
    if (!isSame) return rest
    return {
      ...rest,
      ...(tasks !== undefined && this.upstream.forward.tasks && { tasks }),
      ...(extensions !== undefined && { extensions }),
    }
  }

  #lost(what: string): void {
    const message = `Callers of the other era don't get ${what} of '${this.upstream.name}'.`
    this.upstream.condition.reportOnce({ kind: 'lossy-crossing', message })
  }

  /** Tells those who watch. */
  announce(event: SubscriptionEvent): void {
    for (const { notify } of [...this.#listeners]) notify(event)
  }

  #returned(): void {
    this.#lists.clear()
    this.#checked?.clear()
    for (const type of LIST_CHANGES) this.announce({ type })
  }

  #changed(method: string, params: JSONObject | undefined): void {
    this.#lists.clear()
    if (method === CHANGE_NOTIFICATIONS.toolsListChanged.method) this.#checked?.clear()
    const change = Object.entries(CHANGE_NOTIFICATIONS).find(([, row]) => row.method === method)?.[0]
    if (change === undefined) return
    const event = (
      change === 'resourceUpdated' ? { type: change, uri: String(params?.['uri']) } : { type: change }
    ) as SubscriptionEvent
    this.announce(event)
  }
}
