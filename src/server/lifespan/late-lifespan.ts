// The lifespan of a server that may never run: it is there from the first start on.
import { running } from '../late/running.ts'
import type { Lease, LifespanHolder } from './lifespan.ts'

export class LateLifespan {
  readonly #parts: ConstructorParameters<typeof LifespanHolder<unknown>>
  #holder: LifespanHolder<unknown> | undefined

  constructor(...parts: ConstructorParameters<typeof LifespanHolder<unknown>>) {
    this.#parts = parts
  }

  get value(): unknown {
    return this.#holder?.value
  }

  get leaseCount(): number {
    return this.#holder?.leaseCount ?? 0
  }

  /** Expects that the parts of a running server are loaded. */
  acquire(): Promise<Lease> {
    this.#holder ??= new running.loaded.LifespanHolder(...this.#parts)
    return this.#holder.acquire()
  }
}
