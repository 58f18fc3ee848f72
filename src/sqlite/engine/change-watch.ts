// Notices that something was written, by this process or by another one.
import type { SQLiteDatabase } from './database.ts'

/** How often the file is looked at while somebody listens. */
const LOOK_EVERY_MS = 25

/** Several backends on one connection do not see each other's writes in `data_version`. */
const onSameDatabase = new WeakMap<SQLiteDatabase, Set<ChangeWatch>>()

export class ChangeWatch {
  readonly #database: SQLiteDatabase
  readonly #others: Set<ChangeWatch>
  readonly #lookers = new Set<() => void>()
  /** Grows with every commit of another connection. */
  readonly #version: () => unknown
  #seen: unknown
  #timer: ReturnType<typeof setInterval> | undefined
  #isLookDue = false

  constructor(database: SQLiteDatabase) {
    this.#database = database
    this.#others = onSameDatabase.get(database) ?? new Set()
    onSameDatabase.set(database, this.#others)
    this.#others.add(this)
    const statement = database.prepare('PRAGMA data_version')
    this.#version = () => (statement.get() as { data_version: number }).data_version
  }

  /** `look` is called after every change, never inside the call that made it. Returns how to stop that. */
  add(look: () => void): () => void {
    this.#lookers.add(look)
    if (this.#timer === undefined) {
      this.#seen = this.#version()
      this.#timer = setInterval(() => this.#lookForOthers(), LOOK_EVERY_MS)
      // Whoever listens keeps the process alive by what it serves, not by listening.
      this.#timer.unref()
    }
    return () => {
      this.#lookers.delete(look)
      if (this.#lookers.size === 0) this.#stop()
    }
  }

  /** This process has written. */
  wrote(): void {
    for (const watch of this.#others) watch.#lookSoon()
  }

  end(): void {
    this.#stop()
    this.#lookers.clear()
    this.#others.delete(this)
    if (this.#others.size === 0) onSameDatabase.delete(this.#database)
  }

  #stop(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  #lookSoon(): void {
    if (this.#isLookDue || this.#lookers.size === 0) return
    this.#isLookDue = true
    queueMicrotask(() => {
      this.#isLookDue = false
      this.#look()
    })
  }

  #lookForOthers(): void {
    try {
      const version = this.#version()
      if (version === this.#seen) return
      this.#seen = version
    } catch {
      // Another process recovers the file just now; the next look comes soon.
      return
    }
    this.#look()
  }

  #look(): void {
    for (const look of [...this.#lookers]) {
      try {
        look()
      } catch {
        // As above. What was not seen now is seen then, since nothing was marked as seen.
        this.#seen = undefined
      }
    }
  }
}
