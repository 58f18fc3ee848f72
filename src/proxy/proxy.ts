// A server that stands in front of another one, whatever that is and wherever it runs.
import { FaultReporter } from '../dispatcher/fault.ts'
import { type Principal, principalKey } from '../http/principal.ts'
import type { Server } from '../server/server.ts'
import type { Source } from '../server/source.ts'
import { checkProxyOptions, type ProxyOptions } from './base/options.ts'
import { Passage } from './base/passage.ts'
import { checkTarget, type ProxyTarget, reportForeignKeys } from './base/targets.ts'
import { createFront } from './front/front.ts'
import { FrontServer } from './front/front-server.ts'
import type { HealthOptions, UpstreamHealth } from './pool/health.ts'
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
export class ProxyServer extends FrontServer {
  readonly #upstream: UpstreamSource
  readonly #asking: SignedInSource

  constructor(target: ProxyTarget, options: ProxyOptions = {}) {
    checkProxyOptions('createProxy()', options)
    const checked = checkTarget(target)
    const faults = new FaultReporter(options.onFault)
    const { name = 'proxy', version, instructions, onFault, start } = options
    const passage = new Passage(name)
    const upstream = new UpstreamSource(checked, options, faults, (request) => request.server === server, passage)
    const asking = new SignedInSource(upstream)
    const tasks = new FrontTasks(options.backend)
    const tasked = new TaskedSource(asking, upstream.upstream, tasks, options.tasks === true)
    const front: { source: Source } = { source: named(tasked, options) }
    const server: Server = createFront(
      name,
      {
        ...(version !== undefined && { version }),
        ...(instructions !== undefined && { instructions }),
        ...(onFault !== undefined && { onFault }),
        ...(start === 'eager' && { lifespan: () => startEagerly(server, front.source) }),
        extensions: [tasks.extension],
      },
      front,
      passage,
      (request) => tasked.isBridged(request),
    )
    super({ server, front, close: () => upstream.close() })
    this.#upstream = upstream
    this.#asking = asking
    this.transform(...(options.transforms ?? []))
    reportForeignKeys(checked, faults)
  }

  override async health(options?: HealthOptions): Promise<UpstreamHealth[]> {
    return [await this.#upstream.upstream.health(options)]
  }

  override async forget(principal: Principal): Promise<void> {
    this.#asking.forget(principalKey(principal))
    await this.#upstream.forget(principal)
  }
}
