// Work that is asked for more often than it can be done: once at a time, and once more for all who asked meanwhile.

/** Runs `work` soon after each `request()`, but never twice at the same time and never more than once in advance. */
export class RepeatedTask {
  readonly #work: () => Promise<void>
  #running: Promise<void> | undefined
  #next: Promise<void> | undefined

  /** `work` must not reject. */
  constructor(work: () => Promise<void>) {
    this.#work = work
  }

  /** Resolves when a run is over that began after this call. */
  request(): Promise<void> {
    if (this.#running === undefined) return this.#start()
    this.#next ??= this.#running.then(() => {
      this.#next = undefined
      return this.#start()
    })
    return this.#next
  }

  #start(): Promise<void> {
    const running = this.#work().finally(() => {
      if (this.#running === running) this.#running = undefined
    })
    this.#running = running
    return running
  }
}
