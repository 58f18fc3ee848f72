// A task as a message: its state is the value, and what whoever looks for work has to know is in the header.
import { TASK_BYTES } from '../../backend/byte-budget.ts'
import { type MemoryTask, restoreTask } from '../../backend/memory-task.ts'
import { MAX_TTL_MS } from '../../backend/rules.ts'
import type { TaskPlace, TaskState } from '../../backend/task-state.ts'
import type { Stored, Write } from '../engine/stream.ts'
import { sizeOfAllPacked, sizeOfPacked } from './task-texts.ts'

/** `gone`: taken back before anybody knew of it. */
type Place = TaskPlace | 'gone'

export interface TaskHeader {
  readonly id: string
  readonly owner: string
  readonly kind: string
  readonly dialect: string
  readonly place: Place
  /** That of its creation. */
  readonly order: number
  /** Not to be claimed before. */
  readonly from: number
  readonly leaseEndsAt: number
  /** When the store ends it by itself. */
  readonly overdueAt: number
  /** What it takes, about. */
  readonly bytes: number
  /** When a task that has ended is unknown. */
  readonly goneAt: number
  /** Ready tasks are claimed by their turns. */
  readonly turn: number
}

/** Where a task stands. */
export interface TaskOrder {
  readonly order: number
  readonly turn: number
}

interface StoredState {
  readonly order: number
  readonly turn?: number
  readonly task: TaskState
}

export interface FoundTask extends TaskOrder {
  readonly seq: number
  /** Of the write. */
  readonly writeId: string
  readonly task: MemoryTask
}

/** Nothing of a task that goes on may be removed. */
const OPEN_TTL_MS = MAX_TTL_MS + 86_400_000
/** Longer than a node goes without a look at what has changed. */
const GONE_TTL_MS = 7 * 86_400_000

/** `undefined`: there is none, or it was taken back, or its time is over. */
export function readTask(stored: Stored | undefined): FoundTask | undefined {
  if (stored === undefined || stored.data === '') return undefined
  const { order, turn = 0, task } = JSON.parse(stored.data) as StoredState
  return { seq: stored.seq, writeId: stored.id, order, turn, task: restoreTask(task) }
}

export function writeOf(
  task: MemoryTask,
  { order, turn }: TaskOrder,
  now: number,
): Omit<Write, 'id' | 'expected'> & { readonly about: string } {
  const state: StoredState = { order, turn, task: task.toState() }
  const ttlMs = task.hasEnded ? Math.max(1, task.goneAt - now) : OPEN_TTL_MS
  return { ttlMs, data: JSON.stringify(state), about: headerOf(task, { order, turn }, task.place) }
}

export function goneWriteOf(task: MemoryTask, order: TaskOrder): Omit<Write, 'id' | 'expected'> {
  return { ttlMs: GONE_TTL_MS, data: '', about: headerOf(task, order, 'gone') }
}

function headerOf(task: MemoryTask, { order, turn }: TaskOrder, place: Place): string {
  const { id, owner, kind, dialect } = task.given
  const times = [order, task.beginsAt, task.leaseEndsAt, finite(task.overdueAt)]
  const rest = [place === 'gone' ? 0 : weightOf(task), task.hasEnded ? task.goneAt : null, turn]
  // Headers are ASCII; the names may be any text.
  return JSON.stringify([id, owner, kind, dialect, place, ...times, ...rest]).replace(
    /[\u007f-\uffff]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

export function readTaskHeader(about: string): TaskHeader | undefined {
  let fields: [
    string,
    string,
    string,
    string,
    Place,
    number,
    number,
    number,
    number | null,
    number?,
    (number | null)?,
    number?,
  ]
  try {
    fields = JSON.parse(about) as typeof fields
  } catch {
    return undefined
  }
  const [id, owner, kind, dialect, place, order, from, leaseEndsAt, overdueAt, ...rest] = fields
  const [bytes = TASK_BYTES, goneAt, turn = 0] = rest
  const end = { overdueAt: overdueAt ?? Number.POSITIVE_INFINITY, goneAt: goneAt ?? 0 }
  return { id, owner, kind, dialect, place, order, from, leaseEndsAt, bytes, turn, ...end }
}

/** With what is stored apart. */
export function weightOf(task: MemoryTask): number {
  const { given, steps, answers, questions, outcome = '' } = task.toState()
  const texts = [steps, answers, questions].reduce((sum, all) => sum + sizeOfAllPacked(all), 0)
  return TASK_BYTES + sizeOfPacked(given.input) + sizeOfPacked(outcome) + texts
}

function finite(time: number): number | null {
  return Number.isFinite(time) ? time : null
}
