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
  /** Each entry is a list of one, so that a cleanup can be there twice. */
  readonly #cleanups = new Set<readonly [Cleanup]>()
  readonly #timeoutMs: number
  readonly #onError: (error: unknown) => void
  #closing: Promise<void> | undefined

  constructor(options: CleanupOptions = {}) {
    this.#timeoutMs = options.timeoutMs ?? 5_000
    this.#onError = options.onError ?? (() => {})
  }

  /** Adds a cleanup; returns what takes it out again. After `close()` it runs at once, so that what was opened late is closed too. */
  defer(cleanup: Cleanup): () => void {
    const entry = [cleanup] as const
    if (this.#closing === undefined) this.#cleanups.add(entry)
    else void this.#runOne(cleanup)
    return () => void this.#cleanups.delete(entry)
  }

  close(): Promise<void> {
    this.#closing ??= this.#runAll()
    return this.#closing
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #runAll(): Promise<void> {
    for (const entry of [...this.#cleanups].reverse()) if (this.#cleanups.delete(entry)) await this.#runOne(entry[0])
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
