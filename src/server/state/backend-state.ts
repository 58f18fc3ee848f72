// What `requestState` takes from a backend: each state is accepted once over all nodes, and states too large to travel are kept there.
// Loaded with the first of them: `states-on-backend.ts` does that.
import type { Backend } from '../../backend/backend.ts'
import { BackendError } from '../../backend/backend-error.ts'
import { MAX_TTL_MS } from '../../backend/rules.ts'
import { ErrorCode } from '../../types/errors/error-codes.ts'
import { MCPError } from '../../types/errors/errors.ts'
import { LimitError } from '../../types/errors/failures.ts'
import { digestOf, randomName } from '../cluster/digest.ts'
import type { LargeStates } from './states-on-backend.ts'

/** Clocks of two nodes may differ by this much: a record outlives its state. */
const CLOCK_SKEW_MS = 60_000

/** Whether no node has accepted this state before. Rejects with an `MCPError` where the engine does not say. */
export async function redeem({ records }: Backend, id: string, expiresAt: number): Promise<boolean> {
  try {
    // A value that nobody else puts, so that the same put again by another caller is not taken for a repeat.
    const key = `u.${await digestOf(id)}`
    const revision = await records.put(key, randomName(12), { ttlMs: ttlUntil(expiresAt), if: 'absent' })
    return revision !== undefined
  } catch (error) {
    const message = 'The server cannot check this requestState at present. Try again later.'
    throw new MCPError(ErrorCode.InternalError, message, undefined, { cause: error, local: true })
  }
}

/** Ids are our own, and fit into a key. */
export function largeStates({ records }: Backend): LargeStates {
  return {
    get: async (id) => (await records.get(keyOf(id)))?.value,
    async set(id, state, expiresAt) {
      try {
        await records.put(keyOf(id), state, { ttlMs: ttlUntil(expiresAt) })
      } catch (error) {
        if (!(error instanceof BackendError) || error.kind !== 'too-large') throw error
        const max = error.limit?.max ?? 0
        const message = `The answers and steps of a call are larger than ${max} bytes, the limit of the backend.`
        throw new LimitError('maxValueBytes', max, `${message} Return less from steps.`)
      }
    },
    async delete(id) {
      await records.delete(keyOf(id))
    },
  }
}

function keyOf(id: string): string {
  return `i.${id}`
}

function ttlUntil(expiresAt: number): number {
  return Math.min(MAX_TTL_MS, Math.max(1, expiresAt - Date.now()) + CLOCK_SKEW_MS)
}
