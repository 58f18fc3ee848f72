// Questions of a run that stays in memory until they are answered.
import type { Claim, TaskStore } from '../../../../backend/task-store.ts'
import type { Clock } from '../../../../primitives/async/clock.ts'
import { unref } from '../../../../primitives/async/timer.ts'
import type { InputRequests } from '../../../../types/features/input-required.ts'
import { toTexts } from './run-end.ts'
import type { WorkerSlot } from './worker-slots.ts'

/** How often to look for answers, where no hint comes. */
const LOOK_MS = 2_000

export interface HeldQuestionsOptions {
  /** Does something on the store, also after its engine was away for a while. */
  write<T>(change: (store: TaskStore) => Promise<T>): Promise<T>
  readonly clock: Clock
  readonly claim: Claim
  /** What waits for an answer takes no place of a worker. */
  readonly slot: WorkerSlot | undefined
  /** How long to wait. */
  readonly parkAfterMs: number
  /** Whether the run is to stop. */
  isAborted(): boolean
  /** Never resolves: the run has lost its task. */
  lose(): Promise<never>
}

export class HeldQuestions {
  /** The keys of all that were asked. */
  readonly asked = new Set<string>()
  readonly #options: HeldQuestionsOptions
  readonly #waiting = new Set<() => void>()

  constructor(options: HeldQuestionsOptions) {
    this.#options = options
  }

  /** There may be an answer. */
  wake(): void {
    for (const wake of [...this.#waiting]) wake()
  }

  /** Resolves to true when all are answered, to false when the run is to be given up. */
  async ask(requests: InputRequests, onAnswer: (key: string, answer: unknown) => void): Promise<boolean> {
    const { clock, claim, slot, parkAfterMs } = this.#options
    const open = new Set(Object.keys(requests))
    const isAsked = await this.#options.write((store) => store.ask(claim, toTexts(Object.entries(requests))))
    if (!isAsked) return this.#options.lose()
    for (const key of open) this.asked.add(key)
    const endsAt = clock.monotonic() + parkAfterMs
    slot?.leave()
    for (;;) {
      const journal = await this.#options.write((store) => store.journal(claim))
      if (journal === undefined) return this.#options.lose()
      const answered = [...open].filter((key) => journal.answers[key] !== undefined)
      if (answered.length > 0) {
        await slot?.enter()
        for (const key of answered) if (open.delete(key)) onAnswer(key, JSON.parse(journal.answers[key] as string))
        if (open.size === 0) return true
        slot?.leave()
      }
      const leftMs = endsAt - clock.monotonic()
      if (leftMs <= 0 || this.#options.isAborted()) return false
      await this.#wokenWithin(Math.min(LOOK_MS, leftMs))
    }
  }

  #wokenWithin(ms: number): Promise<void> {
    const { clock } = this.#options
    return new Promise((resolve) => {
      const wake = () => {
        this.#waiting.delete(wake)
        clock.clearTimer(timer)
        resolve()
      }
      const timer = clock.setTimer(wake, ms)
      unref(timer)
      this.#waiting.add(wake)
    })
  }
}
