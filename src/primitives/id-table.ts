// A map by id for what comes and goes all the time. A `Map` makes a new table for each so many entries, and V8 keeps the old ones,
// with all that was in them, until the next major collection.

const FIRST_SLOTS = 4
const MAX_SLOTS = 1_024

const NO_SLOTS: never[] = []

export class IdTable<V extends NonNullable<unknown>> {
  #keys: (number | undefined)[] = NO_SLOTS
  #values: (V | undefined)[] = NO_SLOTS
  /** What is no small integer, or found its place taken. */
  #others: Map<number | string, V> | undefined
  #size = 0

  get size(): number {
    return this.#size
  }

  get(key: number | string): V | undefined {
    if (typeof key === 'number') {
      const slot = key & (this.#keys.length - 1)
      if (this.#keys[slot] === key) return this.#values[slot]
    }
    return this.#others?.get(key)
  }

  has(key: number | string): boolean {
    return this.get(key) !== undefined
  }

  set(key: number | string, value: V): void {
    if (typeof key === 'number' && this.#others === undefined) {
      // Where nothing stands beside the slots, one look says whether the place is free.
      const slot = key & (this.#keys.length - 1)
      if (this.#size < this.#keys.length && this.#keys[slot] === undefined) {
        this.#keys[slot] = key
        this.#values[slot] = value
        this.#size += 1
        return
      }
    }
    this.delete(key)
    this.#size += 1
    if (this.#size > this.#keys.length && this.#keys.length < MAX_SLOTS) this.#grow()
    this.#place(key, value)
  }

  delete(key: number | string): boolean {
    if (typeof key === 'number') {
      const slot = key & (this.#keys.length - 1)
      if (this.#keys[slot] === key) {
        this.#keys[slot] = undefined
        this.#values[slot] = undefined
        this.#size -= 1
        return true
      }
    }
    if (this.#others?.delete(key) !== true) return false
    this.#size -= 1
    if (this.#others.size === 0) this.#others = undefined
    return true
  }

  /** In no order that means anything. */
  values(): V[] {
    return [...(this.#values.filter((value) => value !== undefined) as V[]), ...(this.#others?.values() ?? [])]
  }

  #place(key: number | string, value: V): void {
    if (typeof key === 'number') {
      const slot = key & (this.#keys.length - 1)
      if (this.#keys[slot] === undefined) {
        this.#keys[slot] = key
        this.#values[slot] = value
        return
      }
    }
    this.#others ??= new Map()
    this.#others.set(key, value)
  }

  #grow(): void {
    const slots = Math.max(this.#keys.length * 2, FIRST_SLOTS)
    const [keys, values] = [this.#keys, this.#values]
    this.#keys = new Array<number | undefined>(slots).fill(undefined)
    this.#values = new Array<V | undefined>(slots).fill(undefined)
    for (const [slot, key] of keys.entries()) if (key !== undefined) this.#place(key, values[slot] as V)
  }
}
