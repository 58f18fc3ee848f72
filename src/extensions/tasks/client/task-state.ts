// States of tasks as a server sends them: checked, bounded, and compared.
import { isPlainObject } from '../../../primitives/json/objects.ts'
import { InvalidResultError } from '../../../types/errors/failures.ts'
import { isFinal } from '../../../types/extensions/task-status.ts'
import type { TaskState } from '../../../types/extensions/tasks.ts'
import type { InputRequests } from '../../../types/features/input-required.ts'
import type { JSONObject } from '../../../types/protocol/json.ts'

/** The id goes into a header of every request about the task, and into files. */
const MAX_ID_LENGTH = 1_024
const CONTROL_CHARACTER = /\p{Cc}/u
const MAX_STATUS_LENGTH = 64
/** A text for people. What waits to be read must stay small. */
const MAX_MESSAGE_LENGTH = 4_096
/** Characters of members that this package does not know, together. With more of them none is kept. */
const MAX_UNKNOWN_LENGTH = 65_536

/**
 * A state of the task. Throws `InvalidResultError` for one that cannot be read, or that is of another task. Times that mean
 * nothing are left out, and so are the envelope, a result before the end, and unknown members that are too long.
 */
export function readTaskState(value: unknown, taskId?: string): TaskState {
  if (!isPlainObject(value)) throw invalid('')
  const members = value as JSONObject
  const { taskId: id, status, statusMessage, createdAt, lastUpdatedAt, ttlMs, pollIntervalMs, inputRequests } = members
  if (!isShort(id, MAX_ID_LENGTH) || CONTROL_CHARACTER.test(id)) throw invalid('taskId')
  if (taskId !== undefined && id !== taskId) throw invalid('taskId')
  if (!isShort(status, MAX_STATUS_LENGTH)) throw invalid('status')
  const state: TaskState = {
    taskId: id,
    status,
    createdAt: textOf(createdAt),
    lastUpdatedAt: textOf(lastUpdatedAt),
    ttlMs: typeof ttlMs === 'number' && ttlMs >= 0 ? ttlMs : null,
  }
  if (isFinal(state)) {
    const { result, error } = members as Partial<TaskState>
    if (result !== undefined) state.result = result
    if (error !== undefined) state.error = error
  }
  if (typeof statusMessage === 'string') state.statusMessage = shorten(statusMessage)
  if (typeof pollIntervalMs === 'number') state.pollIntervalMs = pollIntervalMs
  if (status === 'input_required' && inputRequests !== undefined) state.inputRequests = checkQuestions(inputRequests)
  const unknown = unknownMembers(members)
  return unknown === undefined ? state : { ...unknown, ...state }
}

const KNOWN: ReadonlySet<string> = new Set([
  'taskId',
  'status',
  'statusMessage',
  'createdAt',
  'lastUpdatedAt',
  'ttlMs',
  'pollIntervalMs',
  'inputRequests',
  'result',
  'error',
  'resultType',
  '_meta',
])

/** The members that this package does not know; none of them where they are too long together. Most states have none. */
function unknownMembers(members: JSONObject): JSONObject | undefined {
  let unknown: JSONObject | undefined
  for (const key in members) {
    if (KNOWN.has(key)) continue
    // The object has no prototype, so that a member named `__proto__` is one like any other.
    unknown ??= Object.create(null) as JSONObject
    unknown[key] = members[key]
  }
  return unknown !== undefined && leftAfter(unknown, MAX_UNKNOWN_LENGTH) >= 0 ? unknown : undefined
}

/** What is left of a number of characters after a value; less than 0 as soon as it is too long. Its depth was checked. */
function leftAfter(value: unknown, length: number): number {
  if (typeof value === 'string') return length - value.length
  let left = length - 1
  if (typeof value !== 'object' || value === null) return left
  for (const key in value) {
    left = leftAfter((value as Record<string, unknown>)[key], left - key.length)
    if (left < 0) break
  }
  return left
}

function checkQuestions(value: unknown): InputRequests {
  if (!isPlainObject(value)) throw invalid('inputRequests')
  for (const question of Object.values(value)) {
    if (isPlainObject(question) && typeof question['method'] === 'string') continue
    throw invalid('inputRequests')
  }
  return value as unknown as InputRequests
}

/** Whether nothing changed that a reader of states would notice. The specification has every change move `lastUpdatedAt`. */
export function isSameState(before: TaskState, after: TaskState): boolean {
  return (
    before.status === after.status &&
    before.statusMessage === after.statusMessage &&
    before.lastUpdatedAt === after.lastUpdatedAt &&
    before.ttlMs === after.ttlMs &&
    questionKeys(before) === questionKeys(after)
  )
}

/** Whether the state was made before the other one. Only for states that came on two ways. */
export function isOlderState(state: TaskState, than: TaskState): boolean {
  return Date.parse(state.lastUpdatedAt) < Date.parse(than.lastUpdatedAt)
}

function questionKeys({ inputRequests }: TaskState): string {
  return inputRequests === undefined ? '' : JSON.stringify(Object.keys(inputRequests).sort())
}

function isShort(value: unknown, maxLength: number): value is string {
  return typeof value === 'string' && value !== '' && value.length <= maxLength
}

function textOf(value: unknown): string {
  return typeof value === 'string' && value.length <= MAX_STATUS_LENGTH ? value : ''
}

/** Through JSON, because engines may keep the whole text for the sake of a part of it. */
function shorten(text: string): string {
  if (text.length <= MAX_MESSAGE_LENGTH) return text
  return JSON.parse(JSON.stringify(`${text.slice(0, MAX_MESSAGE_LENGTH)}…`)) as string
}

function invalid(path: string): InvalidResultError {
  return new InvalidResultError(
    `The server sent a state of a task that cannot be right${path && `: see ${path}`}.`,
    path,
  )
}
