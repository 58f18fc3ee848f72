// Sets and maps that most of their owners leave empty, thousands of them at a time: the table of one, about 200 bytes, is made for the
// first entry and dropped with the last.

export class LazySet<T> {
  #set: Set<T> | undefined

  get size(): number {
    return this.#set?.size ?? 0
  }

  has(value: T): boolean {
    return this.#set?.has(value) === true
  }

  add(value: T): void {
    this.#set ??= new Set()
    this.#set.add(value)
  }

  delete(value: T): boolean {
    if (this.#set?.delete(value) !== true) return false
    if (this.#set.size === 0) this.#set = undefined
    return true
  }

  clear(): void {
    this.#set = undefined
  }

  [Symbol.iterator](): Iterator<T> {
    return (this.#set ?? NOTHING)[Symbol.iterator]()
  }
}

export class LazyMap<K, V> {
  #map: Map<K, V> | undefined

  get size(): number {
    return this.#map?.size ?? 0
  }

  get(key: K): V | undefined {
    return this.#map?.get(key)
  }

  has(key: K): boolean {
    return this.#map?.has(key) === true
  }

  set(key: K, value: V): void {
    this.#map ??= new Map()
    this.#map.set(key, value)
  }

  delete(key: K): boolean {
    if (this.#map?.delete(key) !== true) return false
    if (this.#map.size === 0) this.#map = undefined
    return true
  }

  clear(): void {
    this.#map = undefined
  }

  values(): Iterable<V> {
    return this.#map?.values() ?? NOTHING
  }
}

const NOTHING: readonly never[] = []
