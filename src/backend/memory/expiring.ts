// Values in memory that end by themselves, within one budget of bytes. No timer: what has ended is removed by the writes that follow.
import { BackendError } from '../backend-error.ts'

/** What an entry takes beside its texts, about. */
const ENTRY_BYTES = 128
/** How many entries each write looks at, so that what nobody reads any more goes, in steps that are never long. */
const LOOKS_PER_WRITE = 4
/** A full budget is looked over as a whole at most so often. */
const FULL_SWEEP_MS = 1_000

export interface Expiring {
  /** By the clock of the space. */
  expiresAt: number
  /** What it takes beside `ENTRY_BYTES`, as counted. */
  bytes: number
}

/** The clock and the bytes that all parts of one backend share. */
export class Space {
  readonly now: () => number
  readonly #maxBytes: number
  readonly #maps: ExpiringMap<Expiring>[] = []
  #bytes = 0
  #sweptAt = Number.NEGATIVE_INFINITY
  #isClosed = false

  constructor(now: () => number, maxBytes: number) {
    this.now = now
    this.#maxBytes = maxBytes
  }

  get bytes(): number {
    return this.#bytes
  }

  open(): void {
    this.#isClosed = false
  }

  close(): void {
    this.#isClosed = true
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  checkOpen(operation: string): void {
    if (!this.#isClosed) return
    const message = `${operation} was called on a backend that is closed. Open it again first.`
    throw new BackendError(message, { kind: 'unavailable', operation })
  }

  add(map: ExpiringMap<Expiring>): void {
    this.#maps.push(map)
  }

  /** Throws where so many bytes more would be too many, after everything that has ended is gone. Nothing else is ever removed. */
  check(operation: string, bytes: number): void {
    if (bytes <= 0 || this.#bytes + bytes <= this.#maxBytes) return
    const now = this.now()
    if (now - this.#sweptAt >= FULL_SWEEP_MS || now < this.#sweptAt) {
      this.#sweptAt = now
      for (const map of this.#maps) map.removeEnded(now)
      if (this.#bytes + bytes <= this.#maxBytes) return
    }
    const max = this.#maxBytes
    const message = `${operation} would take the backend in memory beyond ${max} bytes (maxBytes).`
    throw new BackendError(message, { kind: 'refused', operation, limit: { name: 'maxBytes', max } })
  }

  change(bytes: number): void {
    this.#bytes += bytes
  }
}

export class ExpiringMap<T extends Expiring> {
  readonly #space: Space
  readonly #entries = new Map<string, T>()
  /** Goes round the entries, also those that are added meanwhile. */
  #round: IterableIterator<[string, T]> = this.#entries.entries()

  constructor(space: Space) {
    this.#space = space
    space.add(this as unknown as ExpiringMap<Expiring>)
  }

  get size(): number {
    return this.#entries.size
  }

  get(key: string): T | undefined {
    const entry = this.#entries.get(key)
    if (entry === undefined || entry.expiresAt > this.#space.now()) return entry
    this.delete(key)
    return undefined
  }

  /** `entry.bytes` is what it takes now. Throws, and changes nothing, where the budget has no place for it. */
  set(operation: string, key: string, entry: T): void {
    const known = this.#entries.get(key)
    const more = known === undefined ? sizeOf(key, entry) : entry.bytes - known.bytes
    this.#space.check(operation, more)
    // The check may have removed what has ended, the known one too.
    this.#space.change(this.#entries.has(key) ? more : sizeOf(key, entry))
    this.#entries.set(key, entry)
    this.#removeSomeEnded()
  }

  /** Counts what an entry that is in the map takes from now on. Throws, and changes nothing, where that is too much. */
  resize(operation: string, entry: T, bytes: number): void {
    this.#space.check(operation, bytes - entry.bytes)
    this.#space.change(bytes - entry.bytes)
    entry.bytes = bytes
    this.#removeSomeEnded()
  }

  delete(key: string): boolean {
    const entry = this.#entries.get(key)
    if (entry === undefined) return false
    this.#entries.delete(key)
    this.#space.change(-sizeOf(key, entry))
    return true
  }

  removeEnded(now: number): void {
    for (const [key, { expiresAt }] of this.#entries) if (expiresAt <= now) this.delete(key)
  }

  #removeSomeEnded(): void {
    const now = this.#space.now()
    for (let looks = 0; looks < LOOKS_PER_WRITE; looks += 1) {
      const next = this.#round.next()
      if (next.done === true) {
        this.#round = this.#entries.entries()
        return
      }
      const [key, { expiresAt }] = next.value
      if (expiresAt <= now) this.delete(key)
    }
  }
}

function sizeOf(key: string, { bytes }: Expiring): number {
  return ENTRY_BYTES + key.length + bytes
}
