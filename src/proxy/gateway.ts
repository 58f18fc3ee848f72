// Several servers behind one: their components under their names, from one address.

import { readConfiguredServers, type ServerEntries } from '../client/group/configured-servers.ts'
import { CompositeSource } from '../compose/composite/composite-source.ts'
import { checkNamespace, type NamingOptions, readNaming } from '../compose/composite/names.ts'
import type { Part } from '../compose/composite/part.ts'
import type { Channel, Connectable, ConnectOptions, Transport } from '../dispatcher/channel.ts'
import type { Dispatcher } from '../dispatcher/dispatcher.ts'
import { FaultReporter, type OnFault } from '../dispatcher/fault.ts'
import { type Principal, principalKey } from '../http/principal.ts'
import { type RunOptions, type RunOptionsOf, type RunOutcome, type RunTransport, runServer } from '../mcpserver/run.ts'
import { rangeError, typeError } from '../primitives/help.ts'
import { isPlainObject } from '../primitives/json/objects.ts'
import { assertDuration, checkKeys, type KnownKeys } from '../primitives/options.ts'
import type { ServerRequestContext } from '../server/context.ts'
import type { Middleware } from '../server/handlers.ts'
import type { ServedConnection } from '../server/serve.ts'
import type { Server } from '../server/server.ts'
import type { Source } from '../server/source.ts'
import type { JSONObject } from '../types/protocol/json.ts'
import { callerOf, type ProxyCaller } from './base/caller.ts'
import { proxyFailure } from './base/failures.ts'
import { checkProxyOptions, PROXY_KEYS, type ProxyOptions } from './base/options.ts'
import { type CheckedTarget, checkEntry, checkTarget, type ProxyTarget } from './base/targets.ts'
import { createFront } from './front/front.ts'
import type { UpstreamHealth } from './pool/health.ts'
import { SignedInSource } from './sign-in/signed-in-source.ts'
import { FrontTasks } from './tasks/front-tasks.ts'
import { TaskedSource } from './tasks/tasked-source.ts'
import { UpstreamSource } from './upstream/upstream-source.ts'
import { withinTime } from './upstream/within-time.ts'

/** One source of a gateway with options of its own. */
export interface GatewaySource extends ProxyOptions {
  /** Where it is. */
  target: ProxyTarget
  /** The namespace of its components (default: its name in the gateway; `''` for none). */
  as?: string
}

/** The sources of a gateway: by name, or as configurations of hosts have them, or the path of such a file. */
export type GatewayTargets =
  | Readonly<Record<string, ProxyTarget | GatewaySource>>
  | ReadonlyMap<string, ProxyTarget | GatewaySource>
  | ServerEntries
  | string

/** Options of `createGateway()`: those of each of its proxies, and what they have in common. */
export interface GatewayOptions extends ProxyOptions {
  /** How components are named: `files_read` for the tool `read` of `files`. */
  naming?: NamingOptions
  /** What becomes of a source that cannot be listed: `omit` leaves it out and reports it (default), `fail` fails the list. */
  onFailure?: 'omit' | 'fail'
  /** How long each source may take for a list, in milliseconds (default: 10,000). All are asked at once. */
  listTimeoutMs?: number
  /** The name of the source that answers a method which names no component. `undefined` for none. */
  route?: (method: string, params: JSONObject, caller: ProxyCaller) => string | undefined
}

const LIST_TIMEOUT_MS = 10_000

export const GATEWAY_KEYS: KnownKeys<GatewayOptions> = {
  ...PROXY_KEYS,
  naming: 'object',
  onFailure: true,
  listTimeoutMs: 'number',
  route: 'function',
}

/**
 * Several servers behind one. Each source has a name, which stands before the names of its tools and prompts. Opens nothing until the
 * first request, unless `start` is `eager`. Throws for what is no target, and for names that cannot be.
 *
 * @example
 * ```ts
 * import { createGateway } from 'mcpwire/proxy'
 * const gateway = createGateway({ files: { command: 'files-server' }, search: 'https://search.example.com/mcp' })
 * await gateway.run({ transport: 'http', port: 3000 })
 * ```
 */
export function createGateway(targets: GatewayTargets, options: GatewayOptions = {}): GatewayServer {
  return new GatewayServer(targets, options)
}

interface Member {
  readonly source: UpstreamSource
  readonly asking: SignedInSource
  readonly part: Part
}

/** What `createGateway()` returns: a server like any other, whose sources come and go. */
export class GatewayServer implements Connectable, AsyncDisposable {
  /** The low-level server, for `createHandler()`. */
  readonly server: Server
  readonly #options: GatewayOptions
  readonly #faults: FaultReporter
  readonly #composite: CompositeSource
  readonly #members = new Map<string, Member>()
  readonly #front: { source: Source }
  readonly #tasks: FrontTasks
  #reading: Promise<void> | undefined

  constructor(targets: GatewayTargets, options: GatewayOptions = {}) {
    checkKeys('createGateway()', options, GATEWAY_KEYS)
    const { naming, onFailure = 'omit', listTimeoutMs, route, ...shared } = options
    checkProxyOptions('createGateway()', shared)
    if (onFailure !== 'omit' && onFailure !== 'fail')
      throw rangeError('wrong-option', `onFailure is ${JSON.stringify(onFailure)}. Use 'omit' or 'fail'.`)
    if (listTimeoutMs !== undefined) assertDuration('listTimeoutMs', listTimeoutMs)
    this.#options = options
    this.#tasks = new FrontTasks(options.backend)
    this.#faults = new FaultReporter(options.onFault)
    this.#composite = new CompositeSource({
      naming: readNaming('createGateway()', naming),
      report: (fault) => this.#faults.report(fault),
      onListFailure: (name, error) => this.#listFailed(name, error),
      route: route && ((method, params, request) => route(method, params, callerOf(request, '', {}))),
    })
    this.#front = {
      source: (options.transforms ?? []).reduce<Source>((inner, transform) => transform(inner), this.#composite),
    }
    const { name = 'gateway', version, instructions, onFault } = options
    this.server = createFront(
      name,
      {
        subscriptions: true,
        logging: true,
        extensions: [this.#tasks.extension],
        ...(version !== undefined && { version }),
        ...(instructions !== undefined && { instructions }),
        ...(onFault !== undefined && { onFault }),
      },
      this.#front,
      {
        setLevel: (request, params) => this.#setLevel(request, params),
        whenReady: () => this.#reading,
        sourceOfTask: (id) => [...this.#members.values()].find(({ source }) => source.hasTask(id))?.source,
      },
    )
    this.#addAll(targets)
  }

  /** What it offers, as a server sees it that this one is mounted in. */
  get source(): Source {
    return this.#front.source
  }

  /** The names of its sources, in the order of their components. */
  get sources(): readonly string[] {
    return [...this.#members.keys()]
  }

  /** Adds a source after the others, and announces the change. Throws `RangeError` for a name that is taken. */
  add(name: string, target: ProxyTarget | GatewaySource): void {
    if (this.#members.has(name)) throw rangeError('duplicate-name', `The gateway has a source '${name}' already.`)
    checkNamespace('createGateway()', name)
    const own = isSource(target) ? target : { target }
    const { target: where, as = name, ...further } = own
    const {
      naming: _naming,
      onFailure: _failure,
      listTimeoutMs = LIST_TIMEOUT_MS,
      route: _route,
      ...shared
    } = this.#options
    const { transforms: _transforms, name: _name, version: _version, instructions: _text, ...inherited } = shared
    const proxyOptions: ProxyOptions = { ...inherited, ...further }
    checkProxyOptions(`createGateway(): '${name}'`, proxyOptions)
    if (as !== '') checkNamespace('createGateway()', as)
    const source = new UpstreamSource(checkSource(where, name), proxyOptions, this.#faults, () => false)
    const asking = new SignedInSource(source)
    const { tasks = this.#options.tasks } = further
    const tasked = new TaskedSource(asking, source.upstream, this.#tasks, tasks === true)
    const limited = withinTime(tasked, listTimeoutMs)
    const shown = (further.transforms ?? []).reduce<Source>((inner, transform) => transform(inner), limited)
    const part = this.#composite.add({ name, source: shown, namespace: as === '' ? undefined : as })
    this.#members.set(name, { source, asking, part })
  }

  /** Removes a source, and announces the change. Calls under way go on to their end within `drainMs` of `close()`. */
  async remove(name: string): Promise<void> {
    const member = this.#members.get(name)
    if (member === undefined) return
    this.#members.delete(name)
    this.#composite.remove(member.part)
    await member.source.retire()
  }

  /** Adds a middleware, outside of what passes requests on. */
  use(middleware: Middleware): this {
    this.server.use(middleware)
    return this
  }

  /** Changes the components on their way to the front; the last transform is outermost. */
  transform(...transforms: readonly ((source: Source) => Source)[]): this {
    for (const transform of transforms) this.#front.source = transform(this.#front.source)
    return this
  }

  /** Runs the gateway. Over stdio this resolves when the client has disconnected, over HTTP as soon as it listens. */
  run<Transport extends RunTransport = 'stdio'>(options?: RunOptionsOf<Transport>): Promise<RunOutcome<Transport>>
  async run(options: RunOptions = {}): Promise<unknown> {
    await this.#reading
    const outcome = await runServer(this.server, options)
    if (options.transport !== 'http') await this.close()
    return outcome
  }

  /** Serves one client over a channel or transport, legacy or modern. */
  connect(target: Channel | Transport, onFault?: OnFault): Promise<ServedConnection> {
    return this.server.connect(target, onFault)
  }

  /** Connects a dispatcher to this server without a transport. `Client.connect(gateway)` does this for you. */
  connectInProcess(options?: ConnectOptions): Promise<Dispatcher> {
    return this.server.connectInProcess(options)
  }

  /** How each source is doing. Opens nothing. */
  async health(): Promise<UpstreamHealth[]> {
    return [...this.#members.values()].map(({ source }) => source.upstream.health)
  }

  /** Ends what is open for a verified caller: its connections, its calls that wait for an answer, and what was cached for it. */
  async forget(principal: Principal): Promise<void> {
    const owner = principalKey(principal)
    const forgetting = [...this.#members.values()].map(async ({ source, asking }) => {
      asking.forget(owner)
      await source.forget(principal)
    })
    await Promise.all(forgetting)
  }

  /** Closes all connections at both sides, and ends child processes. Running requests get `drainMs` to finish. */
  async close(options?: { drainMs?: number }): Promise<void> {
    await this.server.close(options)
    await Promise.all([...this.#members.values()].map(({ source }) => source.close()))
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  #addAll(targets: GatewayTargets): void {
    if (typeof targets === 'string') {
      this.#reading = this.#readFile(targets)
      this.#reading.catch(() => {})
      return
    }
    if (targets instanceof Map) {
      for (const [name, target] of targets) this.add(name, target)
      return
    }
    if (!isPlainObject(targets)) {
      throw typeError(
        'bad-target',
        'createGateway() takes an object of targets by name, an mcpServers object or the path of a file.',
      )
    }
    const given = targets as Record<string, unknown>
    const entries = isPlainObject(given['mcpServers']) ? given['mcpServers'] : given
    for (const [name, target] of Object.entries(entries)) this.add(name, target as ProxyTarget)
  }

  async #readFile(path: string): Promise<void> {
    const { servers, warnings } = await readConfiguredServers(path)
    for (const message of warnings) this.#faults.report({ kind: 'configuration-warning', message })
    for (const { label, target, options } of servers) {
      this.add(label, { target, ...(options.headers !== undefined && { client: { headers: options.headers } }) })
    }
  }

  #listFailed(name: string, error: unknown): void {
    const message = `The source '${name}' can't be listed. What it offers is left out until it can.`
    this.#faults.report({ kind: 'transport', message, error })
    if (this.#options.onFailure === 'fail') {
      throw proxyFailure('G010', name, `The source '${name}' can't be listed.`, { cause: error })
    }
  }

  /** Each source that is open for the caller gets its level. */
  async #setLevel(request: ServerRequestContext, params: JSONObject): Promise<void> {
    const setting = [...this.#members.values()].map(({ source }) => source.setLevel(request, params))
    await Promise.all(setting)
  }
}

function isSource(target: ProxyTarget | GatewaySource): target is GatewaySource {
  return (
    isPlainObject(target) &&
    (target as { target?: unknown }).target !== undefined &&
    !('connectInProcess' in target) &&
    !('open' in target)
  )
}

function checkSource(target: ProxyTarget, name: string): CheckedTarget {
  const isEntry =
    isPlainObject(target) && ('url' in target || ('command' in target && typeof target['command'] === 'string'))
  return isEntry ? checkEntry(target, name) : checkTarget(target, name)
}
