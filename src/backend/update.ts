// Changes a record that others change too.
import { BackendError } from './backend-error.ts'
import type { Kept, Records } from './records.ts'

const MAX_TRIES = 8
/** The longest wait before the second try; each further one may be twice as long. */
const FIRST_WAIT_MS = 2

/** A new value for a key, as the function that `update()` calls returns it. */
export interface Change {
  /** The new value. */
  readonly value: string
  /** How long it is kept, in milliseconds. */
  readonly ttlMs: number
}

/**
 * Reads the record, changes it, and puts it where nobody else has changed it meanwhile; else once more with what is there by then, at
 * most 8 times. `change` gets the present value, `undefined` where there is none, and returns `undefined` to leave it as it
 * is. Resolves to what is stored then. `BackendError` of kind `refused` where another process changed the value each time.
 */
export async function update(
  records: Records,
  key: string,
  change: (value: string | undefined) => Change | undefined,
): Promise<Kept | undefined> {
  for (let tries = 1; tries <= MAX_TRIES; tries += 1) {
    const kept = await records.get(key)
    const changed = change(kept?.value)
    if (changed === undefined) return kept
    const { value, ttlMs } = changed
    const condition = kept === undefined ? 'absent' : { revision: kept.revision }
    const revision = await records.put(key, value, { ttlMs, if: condition })
    if (revision !== undefined) return { value, revision }
    if (tries < MAX_TRIES) await pause(Math.random() * FIRST_WAIT_MS * 2 ** tries)
  }
  const message = `A record was changed by others in each of ${MAX_TRIES} tries to update it.`
  throw new BackendError(message, { kind: 'refused', operation: 'records.put' })
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms))
}
