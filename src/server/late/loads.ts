// What a server loads before it runs.

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
