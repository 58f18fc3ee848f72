// A map by id for what comes and goes all the time. A `Map` makes a new table for each so many entries, and V8 keeps the old ones,
// with all that was in them, until the next major collection.
import { LazyMap } from './lazy-collections.ts'

const FIRST_SLOTS = 4
const MAX_SLOTS = 1_024

const NO_SLOTS: never[] = []

export class IdTable<V> {
  #keys: (number | undefined)[] = NO_SLOTS
  #values: (V | undefined)[] = NO_SLOTS
  /** What is no small integer, or found its place taken. */
  readonly #others = new LazyMap<number | string, V>()
  #size = 0

  get size(): number {
    return this.#size
  }

  get(key: number | string): V | undefined {
    const slot = this.#slotOf(key)
    if (slot !== -1 && this.#keys[slot] === key) return this.#values[slot]
    return this.#others.size === 0 ? undefined : this.#others.get(key)
  }

  has(key: number | string): boolean {
    const slot = this.#slotOf(key)
    return (slot !== -1 && this.#keys[slot] === key) || (this.#others.size > 0 && this.#others.has(key))
  }

  set(key: number | string, value: V): void {
    if (this.has(key)) this.delete(key)
    this.#size += 1
    if (this.#keys.length === 0) this.#resize(FIRST_SLOTS)
    else if (this.#size > this.#keys.length && this.#keys.length < MAX_SLOTS) this.#resize(this.#keys.length * 2)
    this.#place(key, value)
  }

  delete(key: number | string): boolean {
    const slot = this.#slotOf(key)
    const isHere = slot !== -1 && this.#keys[slot] === key
    if (isHere) {
      this.#keys[slot] = undefined
      this.#values[slot] = undefined
    } else if (this.#others.size === 0 || !this.#others.delete(key)) {
      return false
    }
    this.#size -= 1
    return true
  }

  /** In no order that means anything. */
  values(): V[] {
    return [...(this.#values.filter((value) => value !== undefined) as V[]), ...this.#others.values()]
  }

  #place(key: number | string, value: V): void {
    const slot = this.#slotOf(key)
    if (slot === -1 || this.#keys[slot] !== undefined) {
      this.#others.set(key, value)
      return
    }
    this.#keys[slot] = key as number
    this.#values[slot] = value
  }

  #slotOf(key: number | string): number {
    return typeof key === 'number' ? key & (this.#keys.length - 1) : -1
  }

  #resize(slots: number): void {
    const [keys, values] = [this.#keys, this.#values]
    this.#keys = new Array<number | undefined>(slots).fill(undefined)
    this.#values = new Array<V | undefined>(slots).fill(undefined)
    for (const [slot, key] of keys.entries()) if (key !== undefined) this.#place(key, values[slot] as V)
  }
}
