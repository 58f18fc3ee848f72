// Claims of tasks: whichever of the open ones is next, by compare-and-set.
import type { Claim, Journal } from '../../backend/task-store.ts'
import type { Trip } from '../connection/trip.ts'
import type { Engine } from '../engine/engine.ts'
import type { OpenTasks } from './open-tasks.ts'
import type { TaskChanges } from './task-changes.ts'
import type { TaskTexts } from './task-texts.ts'

/** Ended in one claim, at most: the next goes on. */
const MAX_SETTLED = 64

export class TaskClaims {
  readonly #engine: Engine
  readonly #changes: TaskChanges
  readonly #texts: TaskTexts
  readonly #open: OpenTasks
  /** Claims that are on their way from here. */
  readonly #claiming = new Set<string>()

  constructor(engine: Engine, changes: TaskChanges, texts: TaskTexts, open: OpenTasks) {
    this.#engine = engine
    this.#changes = changes
    this.#texts = texts
    this.#open = open
  }

  async claim({
    kinds,
    max,
    leaseMs,
  }: {
    readonly kinds: readonly string[]
    readonly max: number
    readonly leaseMs: number
  }): Promise<readonly Claim[]> {
    const endsAt = performance.now() + this.#engine.link.timeoutMs / 2
    const claims: Claim[] = []
    const wanted = new Set(kinds)
    for (let hasLost = true; hasLost && performance.now() < endsAt; ) {
      await this.#open.refresh('tasks.claim')
      await this.settleOverdue('tasks.claim')
      hasLost = false
      if (max === 0) break
      for (const { id } of this.#open.claimable(wanted, this.#changes.at().earliest)) {
        const claim = await this.#claimAlone(id, leaseMs).catch((error: unknown) => {
          // Those that were claimed are to be run.
          if (claims.length === 0) throw error
        })
        if (claim !== undefined) claims.push(claim)
        // Another was faster. What came meanwhile may be for this one.
        else hasLost = true
        if (claims.length >= max || performance.now() > endsAt) return claims
      }
    }
    return claims
  }

  /** Ends what is overdue, as far as one call goes. */
  async settleOverdue(operation: string): Promise<void> {
    const overdue = this.#open.overdue(this.#changes.at().earliest).slice(0, MAX_SETTLED)
    if (overdue.length === 0) return
    await Promise.all(
      overdue.map(async ({ id }) => {
        const isThere = await this.#changes.found(operation, id, false, () => ({ result: true }))
        if (!isThere) this.#open.remove(id)
      }),
    )
    await this.#open.refresh(operation)
  }

  /** Workers of one process do not stand in each other's way: each tries another task. */
  async #claimAlone(id: string, leaseMs: number): Promise<Claim | undefined> {
    if (this.#claiming.has(id)) return undefined
    this.#claiming.add(id)
    try {
      return await this.#claimOne(id, leaseMs)
    } finally {
      this.#claiming.delete(id)
    }
  }

  async #claimOne(id: string, leaseMs: number): Promise<Claim | undefined> {
    const packed = await this.#changes.found<Claim | 'gone' | undefined>('tasks.claim', id, 'gone', (task, at) => {
      if (task.hasEnded || !task.isClaimable(at.earliest)) return { result: undefined }
      return { result: task.claim(leaseMs, at.latest), save: true }
    })
    if (packed === 'gone') this.#open.remove(id)
    if (packed === 'gone' || packed === undefined) return undefined
    return this.#engine.perform('tasks.claim', (trip) => this.unpack(trip, packed))
  }

  async unpack(trip: Trip, packed: Claim): Promise<Claim> {
    const input = await this.#texts.unpack(trip, packed.id, packed.input)
    return { ...packed, input, ...(await this.unpackJournal(trip, packed)) }
  }

  async unpackJournal(trip: Trip, { id, steps, answers }: Claim): Promise<Journal> {
    return {
      steps: await this.#texts.unpackAll(trip, id, steps),
      answers: await this.#texts.unpackAll(trip, id, answers),
    }
  }
}
