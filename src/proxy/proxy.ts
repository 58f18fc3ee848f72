// A server that stands in front of another one, whatever that is and wherever it runs.
import type { Channel, Connectable, ConnectOptions, Transport } from '../dispatcher/channel.ts'
import type { Dispatcher } from '../dispatcher/dispatcher.ts'
import { FaultReporter, type OnFault } from '../dispatcher/fault.ts'
import { type Principal, principalKey } from '../http/principal.ts'
import { type RunOptions, type RunOptionsOf, type RunOutcome, type RunTransport, runServer } from '../mcpserver/run.ts'
import type { Middleware } from '../server/handlers.ts'
import type { ServedConnection } from '../server/serve.ts'
import type { Server } from '../server/server.ts'
import type { Source } from '../server/source.ts'
import { checkProxyOptions, type ProxyOptions } from './base/options.ts'
import { checkTarget, type ProxyTarget } from './base/targets.ts'
import { createFront } from './front/front.ts'
import type { UpstreamHealth } from './pool/health.ts'
import { SignedInSource } from './sign-in/signed-in-source.ts'
import { FrontTasks } from './tasks/front-tasks.ts'
import { TaskedSource } from './tasks/tasked-source.ts'
import { startEagerly } from './upstream/eager-start.ts'
import { named } from './upstream/named-source.ts'
import { UpstreamSource } from './upstream/upstream-source.ts'

/**
 * Stands in front of a server: every primitive, both eras on either side. Opens nothing until the first request, unless `start` is
 * `eager`. Throws `TypeError` for what is no target.
 *
 * @example
 * ```ts
 * import { createProxy } from 'mcpwire/proxy'
 * await createProxy('https://search.example.com/mcp').run()
 * ```
 */
export function createProxy(target: ProxyTarget, options: ProxyOptions = {}): ProxyServer {
  return new ProxyServer(target, options)
}

/** What `createProxy()` returns: a server like any other, to run, to connect to in process, or to mount in another one. */
export class ProxyServer implements Connectable, AsyncDisposable {
  /** The low-level server, for `createHandler()`. */
  readonly server: Server
  readonly #upstream: UpstreamSource
  readonly #asking: SignedInSource
  readonly #front: { source: Source }

  constructor(target: ProxyTarget, options: ProxyOptions = {}) {
    checkProxyOptions('createProxy()', options)
    const checked = checkTarget(target)
    const faults = new FaultReporter(options.onFault)
    this.#upstream = new UpstreamSource(checked, options, faults, ({ server }) => server === this.server)
    this.#asking = new SignedInSource(this.#upstream)
    const tasks = new FrontTasks(options.backend)
    const tasked = new TaskedSource(this.#asking, this.#upstream.upstream, tasks, options.tasks === true)
    const source = named(tasked, options)
    this.#front = { source: (options.transforms ?? []).reduce((inner, transform) => transform(inner), source) }
    const { name = 'proxy', version, instructions, onFault, start } = options
    this.server = createFront(
      name,
      {
        ...(version !== undefined && { version }),
        ...(instructions !== undefined && { instructions }),
        ...(onFault !== undefined && { onFault }),
        ...(start === 'eager' && { lifespan: () => startEagerly(this.server, this.#front.source) }),
        extensions: [tasks.extension],
      },
      this.#front,
      (request) => tasked.isBridged(request),
    )
    if (checked.foreign.length > 0) {
      const keys = checked.foreign.map((key) => `'${key.slice(0, 64)}'`).join(', ')
      faults.report({
        kind: 'configuration-warning',
        message: `mcpServers: '${checked.name}' has ${keys}, which mcpwire ignores`,
      })
    }
  }

  /** What it offers, as a server sees it that this one is mounted in. */
  get source(): Source {
    return this.#front.source
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

  /** Runs the proxy. Over stdio this resolves when the client has disconnected, over HTTP as soon as it listens. */
  run<Transport extends RunTransport = 'stdio'>(options?: RunOptionsOf<Transport>): Promise<RunOutcome<Transport>>
  async run(options: RunOptions = {}): Promise<unknown> {
    const outcome = await runServer(this.server, options)
    if (options.transport !== 'http') await this.close()
    return outcome
  }

  /** Serves one client over a channel or transport, legacy or modern. */
  connect(target: Channel | Transport, onFault?: OnFault): Promise<ServedConnection> {
    return this.server.connect(target, onFault)
  }

  /** Connects a dispatcher to this server without a transport. `Client.connect(proxy)` does this for you. */
  connectInProcess(options?: ConnectOptions): Promise<Dispatcher> {
    return this.server.connectInProcess(options)
  }

  /** How the source is doing. Opens nothing. */
  async health(): Promise<UpstreamHealth[]> {
    return [this.#upstream.upstream.health]
  }

  /** Ends what is open for a verified caller: its connections, its calls that wait for an answer, and what was cached for it. */
  async forget(principal: Principal): Promise<void> {
    this.#asking.forget(principalKey(principal))
    await this.#upstream.forget(principal)
  }

  /** Closes all connections at both sides, and ends child processes. Running requests get `drainMs` to finish. */
  async close(options?: { drainMs?: number }): Promise<void> {
    await this.server.close(options)
    await this.#upstream.close()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }
}
