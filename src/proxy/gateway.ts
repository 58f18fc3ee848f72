// Several servers behind one: their components under their names, from one address.
import { FaultReporter } from '../dispatcher/fault.ts'
import type { Principal } from '../http/principal.ts'
import type { MountHandle, ServerMountOptions } from '../mcpserver/mounting/mount-options.ts'
import type { Mountable } from '../mcpserver/mounting/mountable.ts'
import type { Source } from '../server/source.ts'
import { Passage } from './base/passage.ts'
import type { ProxyTarget } from './base/targets.ts'
import { createFront } from './front/front.ts'
import { FrontServer } from './front/front-server.ts'
import { GatewayMounts } from './gateway/gateway-mounts.ts'
import { checkGatewayOptions, type GatewayOptions } from './gateway/gateway-options.ts'
import { GatewaySources } from './gateway/gateway-sources.ts'
import {
  type GatewaySource,
  type GatewayTargets,
  readTargetFile,
  readTargets,
  startsEagerly,
} from './gateway/gateway-targets.ts'
import type { HealthOptions, UpstreamHealth } from './pool/health.ts'
import { FrontTasks } from './tasks/front-tasks.ts'

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

/** What `createGateway()` returns: a server like any other, whose sources come and go. */
export class GatewayServer extends FrontServer {
  readonly #sources: GatewaySources
  readonly #mounts: GatewayMounts

  constructor(targets: GatewayTargets, options: GatewayOptions = {}) {
    checkGatewayOptions(options)
    const faults = new FaultReporter(options.onFault)
    const tasks = new FrontTasks(options.backend)
    const { name = 'gateway', version, instructions, onFault } = options
    const passage = new Passage(name)
    const sources = new GatewaySources(options, faults, tasks, passage)
    const front: { source: Source } = { source: sources.composite }
    let reading: Promise<void> | undefined
    const server = createFront(
      name,
      {
        subscriptions: true,
        logging: true,
        extensions: [tasks.extension],
        ...(startsEagerly(targets, options) && {
          lifespan: async () => {
            await reading
            await sources.start()
          },
        }),
        ...(version !== undefined && { version }),
        ...(instructions !== undefined && { instructions }),
        ...(onFault !== undefined && { onFault }),
      },
      front,
      passage,
      {
        setLevel: (request, params) => sources.setLevel(request, params),
        whenReady: () => reading,
        sourceOfTask: (id) => sources.sourceOfTask(id),
      },
    )
    sources.servedBy(server)
    super({ server, front, whenReady: () => reading, close: () => sources.close() })
    this.#sources = sources
    this.#mounts = new GatewayMounts(sources.composite, server)
    this.transform(...(options.transforms ?? []))
    if (typeof targets !== 'string') {
      sources.addAll(readTargets(targets))
      return
    }
    reading = readTargetFile(targets).then(({ targets: named, warnings }) => {
      for (const message of warnings) faults.report({ kind: 'configuration-warning', message })
      sources.addAll(named)
    })
    reading.catch(() => {})
  }

  /** The names of its sources, in the order of their components. */
  get sources(): readonly string[] {
    return this.#sources.names
  }

  /** Adds a source after the others, and announces the change. Throws `RangeError` for a name that is taken. */
  add(name: string, target: ProxyTarget | GatewaySource): void {
    this.#sources.add(name, target)
  }

  /** Removes a source, and announces the change. Calls under way go on to their end within `drainMs` of `close()`. */
  remove(name: string): Promise<void> {
    return this.#sources.remove(name)
  }

  /**
   * Shows what a server of this process has beside the sources: `gateway.mount(weather, { as: 'weather' })`. Live in both directions,
   * and without a connection between. Throws if a name is taken, and if the gateway would be mounted in itself.
   */
  mount(source: Mountable, options: ServerMountOptions = {}): MountHandle {
    return this.#mounts.mount(source, options)
  }

  override health(options?: HealthOptions): Promise<UpstreamHealth[]> {
    return this.#sources.health(options)
  }

  override forget(principal: Principal): Promise<void> {
    return this.#sources.forget(principal)
  }
}
