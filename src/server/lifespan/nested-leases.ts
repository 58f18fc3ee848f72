// The servers that are mounted in another one run as long as that one does, from the first request to each.
import type { Lease } from './lifespan.ts'

/** What can be kept running. */
interface Startable {
  start(): Promise<Lease>
}

export class NestedLeases {
  readonly #leases = new Map<Startable, Promise<Lease>>()
  readonly #running = new Set<Startable>()

  /** `undefined` where the server runs already. Rejects where its lifespan fails to start; the next request tries again. */
  hold(child: Startable): Promise<void> | undefined {
    return this.#running.has(child) ? undefined : this.#start(child)
  }

  async #start(child: Startable): Promise<void> {
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
