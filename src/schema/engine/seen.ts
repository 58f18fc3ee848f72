// Remembers which parts of one object or array some keyword has looked at: what `unevaluated…` asks for.
import type { Run } from './run.ts'
import { ENTRY } from './steps.ts'

/** The evaluated members of one value. Kept only below a schema that has an `unevaluated…` keyword. */
export class Seen {
  hasAllProperties = false
  hasAllItems = false
  /** Every item before this index is evaluated. */
  leadingItems = 0
  readonly #properties = new Set<string>()
  readonly #items = new Set<number>()

  addProperty(name: string, run: Run): void {
    run.spend(ENTRY)
    this.#properties.add(name)
  }

  addItem(index: number, run: Run): void {
    run.spend(ENTRY)
    this.#items.add(index)
  }

  hasProperty(name: string): boolean {
    return this.hasAllProperties || this.#properties.has(name)
  }

  hasItem(index: number): boolean {
    return this.hasAllItems || index < this.leadingItems || this.#items.has(index)
  }

  /** Takes over what a schema applied to the same value has evaluated. */
  merge(other: Seen, run: Run): void {
    run.spend((other.#properties.size + other.#items.size) * ENTRY)
    this.hasAllProperties ||= other.hasAllProperties
    this.hasAllItems ||= other.hasAllItems
    this.leadingItems = Math.max(this.leadingItems, other.leadingItems)
    for (const name of other.#properties) this.#properties.add(name)
    for (const index of other.#items) this.#items.add(index)
  }
}
