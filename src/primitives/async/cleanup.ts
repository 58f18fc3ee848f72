// Things to undo, in reverse order, each bounded in time and contained; stands in for `AsyncDisposableStack`.
import { settlesWithin } from './timer.ts'

type Cleanup = () => unknown

interface CleanupOptions {
  /** How long one cleanup may take before the next one starts. */
  timeoutMs?: number
  /** Told of a cleanup that threw or took too long. */
  onError?: (error: unknown) => void
}

/** Collects cleanups; `close()` runs each exactly once, last first, however often it is called. */
export class CleanupStack implements AsyncDisposable {
  readonly #cleanups: Cleanup[] = []
  readonly #timeoutMs: number
  readonly #onError: (error: unknown) => void
  #closing: Promise<void> | undefined

  constructor(options: CleanupOptions = {}) {
    this.#timeoutMs = options.timeoutMs ?? 5_000
    this.#onError = options.onError ?? (() => {})
  }

  /** Adds a cleanup. After `close()` it runs at once, so that what was opened late is closed too. */
  defer(cleanup: Cleanup): void {
    if (this.#closing === undefined) this.#cleanups.push(cleanup)
    else void this.#runOne(cleanup)
  }

  close(): Promise<void> {
    this.#closing ??= this.#runAll()
    return this.#closing
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #runAll(): Promise<void> {
    for (let cleanup = this.#cleanups.pop(); cleanup !== undefined; cleanup = this.#cleanups.pop()) {
      await this.#runOne(cleanup)
    }
  }

  async #runOne(cleanup: Cleanup): Promise<void> {
    const work = (async () => cleanup())().catch((error: unknown) => this.#report(error))
    const inTime = await settlesWithin(work, this.#timeoutMs)
    if (!inTime) this.#report(new Error(`A cleanup took longer than ${this.#timeoutMs} ms and was left behind`))
  }

  #report(error: unknown): void {
    try {
      this.#onError(error)
    } catch {
      // Whoever listens for errors of cleanups must not become one.
    }
  }
}
