// Tells a fetch whether what it fetches was declared stale while it was under way.

const MAX_REMEMBERED = 4_096

/**
 * A number per slot that changes with each invalidation. Only so many slots are remembered; when one is forgotten, all
 * forgotten slots change together, which costs a store but never serves anything stale.
 */
export class Generations {
  readonly #bySlot = new Map<string, number>()
  #last = 0
  /** The generation of every slot that is not in the map. */
  #floor = 0

  of(slot: string): number {
    return this.#bySlot.get(slot) ?? this.#floor
  }

  advance(slot: string): void {
    this.#last += 1
    this.#bySlot.delete(slot)
    this.#bySlot.set(slot, this.#last)
    if (this.#bySlot.size > MAX_REMEMBERED) this.#forgetOldest()
  }

  #forgetOldest(): void {
    for (const [slot, generation] of this.#bySlot) {
      this.#bySlot.delete(slot)
      this.#floor = generation
      break
    }
  }
}
