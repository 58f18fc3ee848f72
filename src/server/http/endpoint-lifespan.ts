// The lease of an HTTP endpoint: it keeps the server running from the first request until the endpoint has closed.
import type { ServerCore } from '../core.ts'
import type { Lease } from '../lifespan/lifespan.ts'
import { giveBack } from '../serve.ts'

export class EndpointLifespan {
  readonly #server: ServerCore
  #starting: Promise<Lease> | undefined
  #isRunning = false

  constructor(server: ServerCore) {
    this.#server = server
  }

  /** Whether this keeps the server running. */
  get isHeld(): boolean {
    return this.#starting !== undefined
  }

  /** `undefined` once the server runs. Rejects with what its lifespan threw; the next request tries again. */
  start(): Promise<void> | undefined {
    return this.#isRunning ? undefined : this.#start()
  }

  async stop(): Promise<void> {
    const starting = this.#starting
    this.#starting = undefined
    this.#isRunning = false
    const lease = await starting?.catch(() => undefined)
    if (lease !== undefined) await giveBack(this.#server, lease)
  }

  async #start(): Promise<void> {
    this.#starting ??= this.#server.start()
    const starting = this.#starting
    try {
      await starting
      this.#isRunning = this.#starting === starting
    } catch (error) {
      this.#starting = undefined
      throw error
    }
  }
}
