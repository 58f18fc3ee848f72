// What a server loads before it runs, and its lifespan, which is there from its first start on.
import type { Lease, LifespanHolder } from '../lifespan.ts'
import { running } from './running.ts'

/** `undefined` where it is loaded. */
export type Load = () => Promise<unknown> | undefined

export class Loads {
  #loads: readonly Load[]

  constructor(load: Load) {
    this.#loads = [load]
  }

  add(load: Load): void {
    this.#loads = [...this.#loads, load]
  }

  /** `undefined` where all of it is loaded. */
  load(): Promise<unknown> | undefined {
    const loading = this.#loads.map((load) => load()).filter((part) => part !== undefined)
    if (loading.length > 0) return Promise.all(loading)
    this.#loads = []
    return undefined
  }
}

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
