// A backend in one case of the contract suite, and how the case lets time pass.
import type { Backend } from '../../backend/backend.ts'
import { MAX_VALUE_BYTES } from '../../backend/rules.ts'
import type { TaskStore } from '../../backend/task-store.ts'
import { monotonicNow } from '../../primitives/async/timer.ts'
import { fail, present } from './check.ts'

/** What the author of an engine gives for each case: a backend that is empty. */
export interface BackendUnderTest {
  /** With a namespace of its own, so that no case sees what another has stored. It need not be open yet. */
  readonly backend: Backend
  /** A second client on the same data, as another node has (default: the same one). The suite closes it. */
  another?(): Backend | Promise<Backend>
  /** Moves the engine's clock, where that can be done. Without it the cases use short times and wait. */
  advance?(ms: number): void | Promise<void>
  /** The shortest time to live that the engine can keep (default: 50 ms). */
  readonly shortestTtlMs?: number
  /** A value of so many bytes is taken, one of twice as many is refused (default: 1 MiB). */
  readonly maxValueBytes?: number
  /** Frees what the case has used. The suite has closed the backends by then. */
  close?(): void | Promise<void>
}

/** Ends what hangs. Far above what anything takes. */
const PATIENCE_MS = 30_000
const POLL_MS = 5
const SHORT_MS = 50
/** Of a clock that can be moved. */
const MOVED_MS = 5_000

/** Something with a time to live. `begin` is called again where the machine was too slow. */
export interface Living {
  begin(ttlMs: number): unknown
  renew(ttlMs: number): unknown
  isAlive(): unknown
}

export class Case {
  readonly backend: Backend
  /** Another client, of the same data. */
  readonly other: Backend
  readonly maxValueBytes: number
  /** A time to live that a case can wait for. */
  readonly shortMs: number
  /** A time that does not pass within a case. */
  readonly longMs = 3_600_000
  readonly #advance: ((ms: number) => void | Promise<void>) | undefined

  constructor(under: BackendUnderTest, other: Backend) {
    this.backend = under.backend
    this.other = other
    this.maxValueBytes = under.maxValueBytes ?? MAX_VALUE_BYTES
    this.#advance = under.advance?.bind(under)
    this.shortMs = this.#advance === undefined ? Math.max(SHORT_MS, under.shortestTtlMs ?? SHORT_MS) : MOVED_MS
  }

  get tasks(): TaskStore {
    return present('backend.tasks', this.backend.tasks)
  }

  get otherTasks(): TaskStore {
    return present('backend.tasks', this.other.tasks)
  }

  /** Lets so much time pass, and then as much as it takes until the condition holds. */
  async passes(ms: number, what: string, condition: () => unknown): Promise<void> {
    await this.#advance?.(ms)
    await this.until(what, condition)
  }

  /** Waits for what is already under way. */
  async until(what: string, condition: () => unknown): Promise<void> {
    const end = monotonicNow() + PATIENCE_MS
    while ((await condition()) !== true) {
      if (monotonicNow() > end) fail(`waited ${PATIENCE_MS} ms in vain: ${what}`)
      await pause(POLL_MS)
    }
  }

  /** What is renewed often enough lives for longer than its time to live. A machine that stalls makes the times longer. */
  async staysAlive(what: string, { begin, renew, isAlive }: Living): Promise<void> {
    for (let ttlMs = this.#advance === undefined ? this.shortMs * 8 : MOVED_MS; ; ttlMs *= 2) {
      await begin(ttlMs)
      const stalled = await this.#renewFor(ttlMs, renew)
      if ((await isAlive()) === true) return
      if (!stalled) fail(`${what}: gone, although it was renewed in time`)
      if (ttlMs > PATIENCE_MS) fail(`${what}: the machine is too slow for this case`)
    }
  }

  /** Whether a renewal came so late that nothing is said about the engine. */
  async #renewFor(ttlMs: number, renew: (ttlMs: number) => unknown): Promise<boolean> {
    let longest = 0
    for (let turn = 0; turn < 6; turn += 1) {
      const before = monotonicNow()
      if (this.#advance === undefined) await pause(ttlMs / 4)
      else await this.#advance(ttlMs / 4)
      await renew(ttlMs)
      longest = Math.max(longest, monotonicNow() - before)
    }
    return this.#advance === undefined && longest > ttlMs * 0.6
  }
}

/** Texts in the order in which they came, and a wait for them. */
export class Heard {
  readonly all: string[] = []
  readonly #case: Case

  constructor(of: Case) {
    this.#case = of
  }

  readonly listener = { message: (text: string) => void this.all.push(text), missed: () => {} }

  async until(text: string): Promise<void> {
    await this.#case.until(`"${text}" to arrive`, () => this.all.includes(text))
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms))
}
