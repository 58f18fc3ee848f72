// What a proxy and a gateway are to those who run them: a server like any other, in front of something else.

import { putInFront } from '../../compose/sources/transform.ts'
import type { Channel, Connectable, ConnectOptions, Transport } from '../../dispatcher/channel.ts'
import type { Dispatcher } from '../../dispatcher/dispatcher.ts'
import type { OnFault } from '../../dispatcher/fault.ts'
import type { Principal } from '../../http/principal.ts'
import {
  type RunOptions,
  type RunOptionsOf,
  type RunOutcome,
  type RunTransport,
  runServer,
} from '../../mcpserver/run.ts'
import type { Middleware } from '../../server/handlers.ts'
import { coreOf } from '../../server/internals.ts'
import type { ServedConnection } from '../../server/serve.ts'
import type { Server } from '../../server/server.ts'
import type { Source } from '../../server/source.ts'
import type { HealthOptions, UpstreamHealth } from '../pool/health.ts'
import type { FrontSource } from './front.ts'

/** The means of a front that stands before its sources. */
export interface FrontParts {
  readonly server: Server
  readonly front: { -readonly [Member in keyof FrontSource]: FrontSource[Member] }
  /** Settles when the sources are known; `undefined` where they are. */
  readonly whenReady?: () => Promise<void> | undefined
  /** Ends what is open at the back. */
  readonly close: () => Promise<void>
}

/** What `createProxy()` and `createGateway()` return has this in common. */
export abstract class FrontServer implements Connectable, AsyncDisposable {
  /** The low-level server, for `createHandler()`. */
  readonly server: Server
  readonly #parts: FrontParts

  constructor(parts: FrontParts) {
    this.server = parts.server
    this.#parts = parts
  }

  /** What it offers, as a server sees it that this one is mounted in. */
  get source(): Source {
    return this.#parts.front.source
  }

  /** How each source is doing. What is open is asked, all at once; what is not is `idle`, and is not started by a look. */
  abstract health(options?: HealthOptions): Promise<UpstreamHealth[]>

  /** Ends what is open for a verified caller: its connections, its calls that wait for an answer, and what was cached for it. */
  abstract forget(principal: Principal): Promise<void>

  /** Adds a middleware, outside of what passes requests on. */
  use(middleware: Middleware): this {
    this.server.use(middleware)
    return this
  }

  /** Changes the components on their way to the front; the last transform is outermost. */
  transform(...transforms: readonly ((source: Source) => Source)[]): this {
    const { front } = this.#parts
    for (const transform of transforms) front.source = putInFront(coreOf(this.server), front.source, transform)
    return this
  }

  /** Runs the server. Over stdio this resolves when the client has disconnected, over HTTP as soon as it listens. */
  run<Transport extends RunTransport = 'stdio'>(options?: RunOptionsOf<Transport>): Promise<RunOutcome<Transport>>
  async run(options: RunOptions = {}): Promise<unknown> {
    await this.#parts.whenReady?.()
    const outcome = await runServer(this.server, options)
    if (options.transport !== 'http') await this.close()
    return outcome
  }

  /** Serves one client over a channel or transport, legacy or modern. */
  connect(target: Channel | Transport, onFault?: OnFault): Promise<ServedConnection> {
    return this.server.connect(target, onFault)
  }

  /** Connects a dispatcher to this server without a transport. `Client.connect()` does this for you. */
  connectInProcess(options?: ConnectOptions): Promise<Dispatcher> {
    return this.server.connectInProcess(options)
  }

  /** Closes all connections at both sides, and ends child processes. Running requests get `drainMs` to finish. */
  async close(options?: { drainMs?: number }): Promise<void> {
    await this.server.close(options)
    await this.#parts.close()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }
}
