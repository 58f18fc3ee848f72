// A task with everything that decides what may happen to it, as plain JSON.
import type { NewTask, TaskStatus } from './task-store.ts'

/** `ready`: to be claimed; `leased`: somebody runs it; `parked`: waits for an answer; `ended`: nothing changes any more. */
export type TaskPlace = 'ready' | 'leased' | 'parked' | 'ended'

type Texts = Readonly<Record<string, string>>

export interface TaskState {
  readonly given: NewTask
  readonly createdAt: number
  readonly place: TaskPlace
  readonly status: TaskStatus
  readonly statusMessage?: string
  readonly attempt: number
  readonly leaseEndsAt: number
  /** `null`: nobody has asked for it. */
  readonly cancelledAt: number | null
  readonly revision: number
  readonly updatedAt: number
  readonly endedAt: number
  readonly ttlMs: number | null
  readonly pollIntervalMs: number
  /** Runs that were begun and neither parked nor released. */
  readonly tries: number
  readonly steps?: Texts
  readonly answers?: Texts
  readonly questions?: Texts
  readonly wasAnswered: boolean
  readonly outcome?: string
}
