// `ctx.session.shared`: JSON values of an author that belong to a session, wherever its requests are served.
import { loading } from '../primitives/loading.ts'
import type { JSONValue } from '../types/protocol/json.ts'

/** Where the values of one session are kept, all in one text. */
export interface KeptValues {
  read(): Promise<{ readonly text: string; readonly revision: string } | undefined>
  /** False where the values are no longer those of this revision; `undefined` stands for none. */
  write(text: string, revision: string | undefined): Promise<boolean>
}

/** Values of a session, by key. Each value is JSON, and a copy: changes to it count only when it is set again. */
export interface SharedValues {
  /** Returns the value of a key, or `undefined`. */
  get(key: string): Promise<JSONValue | undefined>
  /** Throws `LimitError` when the values of the session would take more than 64 KiB. */
  set(key: string, value: JSONValue): Promise<void>
  /**
   * Replaces a value by what `change` makes of it, as one step: no change of another request is lost. `change` may be called
   * several times; `undefined` deletes the value. Resolves with the new one.
   */
  update(key: string, change: (value: JSONValue | undefined) => JSONValue | undefined): Promise<JSONValue | undefined>
  /** Whether there was something to delete. */
  delete(key: string): Promise<boolean>
}

/** Values in `kept`, or in memory. What it takes is loaded with the first use: most servers keep none. */
export function createSharedValues(kept?: KeptValues): SharedValues {
  let values: Promise<SharedValues> | undefined
  const load = () => {
    values ??= loading(import('./cluster/session-values.ts')).then(({ sessionValues }) => sessionValues(kept))
    return values
  }
  return {
    get: async (key) => (await load()).get(key),
    set: async (key, value) => (await load()).set(key, value),
    update: async (key, change) => (await load()).update(key, change),
    delete: async (key) => (await load()).delete(key),
  }
}
