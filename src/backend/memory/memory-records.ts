// Records in memory. Nothing here takes a turn of the event loop, so each method is one atomic step.
import { bytesOf } from '../byte-budget.ts'
import type { Kept, PutOptions, Records } from '../records.ts'
import { checkName, checkRevision, checkTtl, checkValue } from '../rules.ts'
import { type Expiring, ExpiringMap, type Space } from './expiring.ts'

interface KeptRecord extends Kept, Expiring {}

export class MemoryRecords implements Records {
  readonly #space: Space
  readonly #maxValueBytes: number
  readonly #records: ExpiringMap<KeptRecord>
  #revisions = 0

  constructor(space: Space, maxValueBytes: number) {
    this.#space = space
    this.#maxValueBytes = maxValueBytes
    this.#records = new ExpiringMap(space)
  }

  get(key: string, { touchMs }: { readonly touchMs?: number } = {}): Kept | undefined {
    checkName('records.get', key)
    if (touchMs !== undefined) checkTtl('records.get', touchMs)
    this.#space.checkOpen('records.get')
    const kept = this.#records.get(key)
    if (kept === undefined) return undefined
    if (touchMs !== undefined) kept.expiresAt = this.#space.now() + touchMs
    return { value: kept.value, revision: kept.revision }
  }

  put(key: string, value: string, { ttlMs, if: condition, as }: PutOptions): string | undefined {
    checkName('records.put', key)
    checkTtl('records.put', ttlMs)
    checkRevision('records.put', as)
    checkValue('records.put', value, this.#maxValueBytes)
    this.#space.checkOpen('records.put')
    if (condition !== undefined) {
      const known = this.#records.get(key)
      const holds = condition === 'absent' ? known === undefined : known?.revision === condition.revision
      if (!holds) return as !== undefined && known?.revision === as ? as : undefined
    }
    this.#revisions += 1
    const revision = as ?? String(this.#revisions)
    const expiresAt = this.#space.now() + ttlMs
    this.#records.set('records.put', key, { value, revision, expiresAt, bytes: bytesOf(value) })
    return revision
  }

  delete(key: string, { if: condition }: { readonly if?: { readonly revision: string } } = {}): boolean {
    checkName('records.delete', key)
    this.#space.checkOpen('records.delete')
    const known = this.#records.get(key)
    if (known === undefined || (condition !== undefined && known.revision !== condition.revision)) return false
    return this.#records.delete(key)
  }
}
