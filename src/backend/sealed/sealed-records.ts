// Records whose values are sealed under their keys.
import { type MaybePromise, whenDone } from '../../primitives/async/promises.ts'
import type { Kept, PutOptions, Records } from '../records.ts'
import { SEALING, type Sealing } from '../sealing.ts'
import type { Seal } from './seal.ts'

/**
 * A value that cannot be opened is absent for `get`. It is not absent for `put`: another node may be able to open it, so only a put
 * without a condition replaces it.
 */
export class SealedRecords implements Records {
  readonly #records: Records
  readonly #seal: Seal

  constructor(records: Records, seal: Seal) {
    this.#records = records
    this.#seal = seal
  }

  get [SEALING](): Sealing {
    return { records: this.#records, namespace: this.#seal.namespace, keyIds: () => this.#seal.keyIds() }
  }

  get(key: string, options?: { readonly touchMs?: number }): MaybePromise<Kept | undefined> {
    return whenDone(this.#records.get(key, options), (kept) => {
      if (kept === undefined) return undefined
      return whenDone(this.#seal.open('records.get', key, kept.value), (value) =>
        value === undefined ? undefined : { value, revision: kept.revision },
      )
    })
  }

  put(key: string, value: string, options: PutOptions): MaybePromise<string | undefined> {
    return whenDone(this.#seal.seal(key, value), (sealed) => this.#records.put(key, sealed, options))
  }

  delete(key: string, options?: { readonly if?: { readonly revision: string } }): MaybePromise<boolean> {
    return this.#records.delete(key, options)
  }
}
