// A server that is mounted in another one: it runs along with it, and answers requests of its clients.
import { isThenable, type MaybePromise } from '../primitives/async/promises.ts'
import { typeError } from '../primitives/help.ts'
import type { JSONObject } from '../types/protocol/json.ts'
import { extrasOf, type ServerRequestContext, serverOfRequest } from './context.ts'
import type { ServerCore } from './core.ts'
import type { Lease } from './lifespan.ts'

/** Runs `nested` through the middleware and the handler of its server. `request` is the one that it is answered for. */
export function runNested(request: ServerRequestContext, nested: ServerRequestContext): MaybePromise<JSONObject> {
  const outcome = serverOfRequest(nested).chain.request(nested)
  return isThenable(outcome)
    ? Promise.resolve(outcome).then((result) => keepFinished(request, nested, result))
    : keepFinished(request, nested, outcome)
}

function keepFinished(
  request: ServerRequestContext,
  { method }: ServerRequestContext,
  result: JSONObject | undefined,
): JSONObject {
  if (result === undefined) throw typeError('wrong-result', `Middleware answered '${method}' with nothing`)
  extrasOf(request).finished = result
  return result
}

/** Keeps the servers running that are mounted in another one, from the first request to each until that one ends. */
export class NestedLeases {
  readonly #leases = new Map<ServerCore, Promise<Lease>>()
  readonly #running = new Set<ServerCore>()

  /** `undefined` where the server runs already. Rejects where its lifespan fails to start; the next request tries again. */
  hold(child: ServerCore): Promise<void> | undefined {
    return this.#running.has(child) ? undefined : this.#start(child)
  }

  async #start(child: ServerCore): Promise<void> {
    let starting = this.#leases.get(child)
    if (starting === undefined) {
      starting = child.start()
      this.#leases.set(child, starting)
    }
    try {
      await starting
      if (this.#leases.get(child) === starting) this.#running.add(child)
    } catch (error) {
      if (this.#leases.get(child) === starting) this.#leases.delete(child)
      throw error
    }
  }

  /** The server that they are mounted in has ended. */
  async release(): Promise<void> {
    const leases = [...this.#leases.values()]
    this.#leases.clear()
    this.#running.clear()
    const releasing = leases.map(async (starting) => {
      const lease = await starting.catch(() => undefined)
      await lease?.release()
    })
    await Promise.all(releasing)
  }
}
