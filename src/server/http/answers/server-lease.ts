// Keeps a server running while an endpoint serves it: from the first request on, until the endpoint is closed.
import type { Lease } from '../../lifespan.ts'
import { giveBack } from '../../serve.ts'
import type { Server } from '../../server.ts'

export class ServerLease {
  readonly #server: Server
  #taking: Promise<Lease> | undefined
  #isHeld = false

  constructor(server: Server) {
    this.#server = server
  }

  /** `undefined` once the server runs. Rejects with what its lifespan threw; the next request tries again. */
  take(): Promise<void> | undefined {
    return this.#isHeld ? undefined : this.#take()
  }

  async giveBack(): Promise<void> {
    const taking = this.#taking
    this.#taking = undefined
    this.#isHeld = false
    const lease = await taking?.catch(() => undefined)
    if (lease !== undefined) await giveBack(this.#server, lease)
  }

  async #take(): Promise<void> {
    this.#taking ??= this.#server.start()
    const taking = this.#taking
    try {
      await taking
      this.#isHeld = this.#taking === taking
    } catch (error) {
      this.#taking = undefined
      throw error
    }
  }
}
