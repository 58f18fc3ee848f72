// Operations that wait in this process for their turn in one write.
import { tooLate } from './failures.ts'

export interface Waiting {
  readonly operation: string
  /** The deadline counts from when it came, not from its turn. */
  readonly endsAt: number
  reject(error: unknown): void
}

/** Those whose deadline has not passed while they waited. Rejects the others. */
export function inTime<One extends Waiting>(batch: readonly One[], timeoutMs: number): readonly One[] {
  const now = performance.now()
  return batch.filter(({ operation, endsAt, reject }) => {
    if (endsAt > now) return true
    reject(tooLate(operation, timeoutMs, 'not-done'))
    return false
  })
}
