// `ctx.task` of a run.

import type { Claim } from '../../../../backend/task-store.ts'
import { rangeError, typeError } from '../../../../primitives/help.ts'
import { describeKind } from '../../../../primitives/options.ts'
import type { TaskContext } from '../../../../server/task-run.ts'

export interface TaskContextOptions {
  readonly claim: Claim
  readonly isResumed: boolean
  readonly maxTtlMs: number
  setStatus(message: string): void
  extend(change: { ttlMs?: number | null; pollIntervalMs?: number }): Promise<void>
}

export function createTaskContext(options: TaskContextOptions): TaskContext {
  const { claim, isResumed, maxTtlMs } = options
  return {
    id: claim.id,
    attempt: claim.attempt,
    isResumed,
    setStatus: (message) => {
      checkStatus(message)
      options.setStatus(message)
    },
    extend: async (ttlMs) => {
      checkTtl(ttlMs)
      await options.extend({ ttlMs: ttlMs === null ? maxTtlMs : Math.min(ttlMs, maxTtlMs) })
    },
    setPollInterval: async (ms) => {
      checkPollInterval(ms)
      await options.extend({ pollIntervalMs: ms })
    },
  }
}

function checkStatus(message: unknown): void {
  if (typeof message === 'string') return
  throw typeError('wrong-argument', `ctx.task.setStatus() takes a string, not ${describeKind(message)}.`)
}

function checkTtl(ttlMs: unknown): void {
  if (ttlMs === null || (Number.isSafeInteger(ttlMs) && (ttlMs as number) > 0)) return
  throw rangeError('wrong-argument', `ctx.task.extend() takes an integer above 0 or null, not ${String(ttlMs)}.`)
}

function checkPollInterval(ms: unknown): void {
  if (Number.isSafeInteger(ms) && (ms as number) >= 100 && (ms as number) <= 60_000) return
  throw rangeError(
    'wrong-argument',
    `ctx.task.setPollInterval() takes an integer from 100 to 60000, not ${String(ms)}.`,
  )
}
