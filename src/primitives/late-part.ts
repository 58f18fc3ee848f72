// A part of a program that is loaded once it is needed, as a place that stands below everything that uses it.

import { loading } from './loading.ts'

export class LatePart<Part> {
  #part: Part | undefined
  #loading: Promise<Part> | undefined

  /** `undefined` before it is loaded. */
  get now(): Part | undefined {
    return this.#part
  }

  /** For what runs after a start only. */
  get loaded(): Part {
    if (this.#part === undefined) throw new Error('A part of this package is used before it is loaded')
    return this.#part
  }

  /** `undefined` where it is loaded. What could not be loaded is tried again by the next who asks. */
  load(get: () => Promise<Part>): Promise<Part> | undefined {
    if (this.#part !== undefined) return undefined
    this.#loading ??= this.#keep(get)
    return this.#loading
  }

  async #keep(get: () => Promise<Part>): Promise<Part> {
    try {
      this.#part = await loading(get())
      return this.#part
    } catch (error) {
      this.#loading = undefined
      throw error
    }
  }
}
