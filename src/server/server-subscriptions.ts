// Announces the changes of a server to clients of both eras, from one bus.
import { loading } from '../primitives/loading.ts'
import type { ClusterNode } from './cluster/cluster-node.ts'
import type { ConnectionCore } from './connection.ts'
import type { ServerCore } from './core.ts'
import type { RequestHandlers } from './handlers.ts'
import { running } from './late/running.ts'
import type { ServingSubscriptions } from './serving-subscriptions.ts'
import type { NodeBus } from './subscriptions/node-bus.ts'
import {
  createKeyedBus,
  createLocalBus,
  type KeyedBus,
  type SubscriptionBus,
  type SubscriptionEvent,
} from './subscriptions/subscriptions.ts'

export interface ServerSubscriptions {
  readonly bus: SubscriptionBus
  /** Whether what is announced on one node is announced on all: over the backend, or by a bus of the author's. */
  readonly isShared: boolean
  /** Shares changes with the other nodes until that is closed. `undefined` for a bus of the author's. */
  share(node: ClusterNode): Promise<{ close(): Promise<void> } | undefined>
  /** Announces a change that every node finds out by itself. */
  announceHere(event: SubscriptionEvent): Promise<void>
  /** The handlers that a server with a bus has. */
  readonly handlers: RequestHandlers
  /** Announces changes to a legacy client, until the returned function is called. */
  attach(connection: ConnectionCore): () => void
  /** A legacy client watches these uris and no others, as another node has kept them. */
  restore(connection: ConnectionCore, uris: readonly string[]): void
  /** A legacy client hears once of everything that may have changed while no node announced it. */
  catchUp(connection: ConnectionCore): void
  /** Ends all subscriptions in good order, or those of one connection, known by what its requests share. */
  close(peer?: object): Promise<unknown> | undefined
}

export function createServerSubscriptions(
  server: ServerCore,
  option: boolean | SubscriptionBus,
  maxSubscriptions?: number,
): ServerSubscriptions | undefined {
  if (option === false) return undefined
  const onError = (error: unknown) =>
    server.faults.report({ kind: 'notification-failed', message: 'A listener for changes failed', error })
  const local = option === true ? createLocalBus({ onError }) : createKeyedBus(option, onError)
  const isShared = option === true && server.backend !== undefined
  /** From the first start on: nobody listens before that. */
  let nodeBus: NodeBus | undefined
  const bus: KeyedBus = isShared
    ? {
        publish: (event) => (nodeBus ?? local).publish(event),
        subscribe: (listener, keys) => (nodeBus ?? local).subscribe(listener, keys),
      }
    : local
  const watch = (changes: readonly SubscriptionEvent[]) => nodeBus?.watch(changes)
  let serving: ServingSubscriptions | undefined
  const serve = () => {
    serving ??= running.loaded.serveSubscriptions(server, bus, {
      maxSubscriptions,
      watch: isShared ? watch : undefined,
    })
    return serving
  }

  return {
    bus,
    isShared: isShared || option !== true,
    async share({ id: node, backend: { topics } }) {
      if (!isShared) return undefined
      const { createNodeBus, startSharedChanges } = await loading(import('./subscriptions/shared-changes.ts'))
      nodeBus ??= createNodeBus(local, onError)
      return startSharedChanges({
        topics,
        bus: nodeBus,
        node,
        server: server.info.name,
        clock: () => server.clock,
        faults: server.faults,
      })
    },
    announceHere: (event) => nodeBus?.publishHere(event) ?? bus.publish(event),
    handlers: {
      'subscriptions/listen': (ctx, params) => serve().handlers['subscriptions/listen'](ctx, params),
      'resources/subscribe': (ctx, params) => serve().handlers['resources/subscribe'](ctx, params),
      'resources/unsubscribe': (ctx, params) => serve().handlers['resources/unsubscribe'](ctx, params),
    },
    attach: (connection) => serve().attach(connection),
    restore: (connection, uris) => serving?.restore(connection, uris),
    catchUp: (connection) => serving?.catchUp(connection),
    close: (peer) => serving?.close(peer),
  }
}
