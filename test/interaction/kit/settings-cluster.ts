// The server of a test on three nodes that share a backend, behind a balancer that sends each request to the next of them.
import { onTestFinished } from 'vitest'
import { memory } from '../../../src/backend/memory/memory.ts'
import { streamableHttp } from '../../../src/client/transports/streamable-http.ts'
import { toFetch } from '../../../src/http/to-fetch.ts'
import { startNode } from '../../../src/server/cluster/cluster-node.ts'
import type { ConnectionCore, ConnectionKeeper } from '../../../src/server/connection.ts'
import type { ServerCore } from '../../../src/server/core.ts'
import { HttpEndpoint } from '../../../src/server/http/endpoint.ts'
import { serverOf } from '../../../src/server/http/handler.ts'
import type { ServerSubscriptions } from '../../../src/server/server-subscriptions.ts'
import type { RequirementId } from '../requirements/index.ts'
import { type Endpoint, shareEndpoints, withLength } from './settings-http.ts'

const SIZE = 3

/** What one node changes holds on the others with the next request. */
const AT_ONCE = { checkMs: 0 }

/** Entries about the memory of one process, which several nodes do not share. */
const OF_ONE_PROCESS: ReadonlySet<RequirementId> = new Set<RequirementId>([
  // `connection.state` belongs to the object of a node; `ctx.session.shared` is what travels.
  'connection:state:lives-with-the-connection',
  'lifespan:connection:state',
  // Objects and waiting requests are counted on each node.
  'changes:nobody-left-behind',
  'tasks L-08: a bound',
])

export function holdsOnNodes(id: RequirementId): boolean {
  return !OF_ONE_PROCESS.has(id)
}

/** Three nodes in this process. Handlers are those of one server; sessions, streams and ids are each node's own. */
export function clusterEndpoint(): Endpoint {
  return shareEndpoints(async (target) => {
    const core = serverOf(target)
    const backend = memory()
    await backend.open()
    const nodes = await Promise.all(Array.from({ length: SIZE }, () => startNode(backend, core.faults)))
    const endpoints = nodes.map((node, index) => {
      const own = { backend, cluster: node, subscriptions: index === 0 ? core.subscriptions : fromElsewhere(core) }
      return new HttpEndpoint(asNode(core, own), { sessions: AT_ONCE })
    })
    const answers = endpoints.map((endpoint) => toFetch((exchange) => endpoint.handle(exchange)))
    onTestFinished(async () => {
      await Promise.all(endpoints.map((endpoint) => endpoint.close({ drainMs: 0 })))
      await Promise.all(nodes.map((node) => node.close()))
      await backend.close()
    })
    let requests = 0
    return streamableHttp('http://localhost/mcp', {
      fetch: (input, init) => {
        requests += 1
        const answer = answers[requests % SIZE] as (request: Request) => Promise<Response>
        return answer(withLength(new Request(input, init), init))
      },
    })
  })
}

/** The server as one of its nodes sees it. */
function asNode(core: ServerCore, own: Partial<ServerCore>): ServerCore {
  return new Proxy(core, {
    get(target, key) {
      if (Object.hasOwn(own, key)) return own[key as keyof ServerCore]
      return memberOf(target, key)
    },
  })
}

/** All nodes hear the changes of this one server. For all but one they come from another node. */
function fromElsewhere({ subscriptions }: ServerCore): ServerSubscriptions | undefined {
  if (subscriptions === undefined) return undefined
  const attach = (connection: ConnectionCore) => {
    let keeper: ConnectionKeeper | undefined
    Object.defineProperty(connection, 'keeper', {
      get: () => keeper,
      set: (given: ConnectionKeeper) => {
        const isAnnouncer = () => given.isAnnouncer(true)
        keeper = new Proxy(given, {
          get: (target, key) => (key === 'isAnnouncer' ? isAnnouncer : memberOf(target, key)),
        })
      },
    })
    return subscriptions.attach(connection)
  }
  return { ...subscriptions, attach }
}

function memberOf(target: object, key: string | symbol): unknown {
  const value: unknown = Reflect.get(target, key, target)
  return typeof value === 'function' ? (value as () => unknown).bind(target) : value
}
