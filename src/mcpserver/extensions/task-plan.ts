// The option `task` of a tool, checked, with its defaults. Here and not in the extension, so that no client loads it.

import { MAX_TIMER_MS } from '../../primitives/async/timer.ts'
import { rangeError, typeError } from '../../primitives/help.ts'
import { checkKeys, describeKind, type KnownKeys } from '../../primitives/options.ts'
import type { ToolAnnotations } from '../../types/features/tools.ts'
import type { TaskMode, TaskOption, TaskOptions } from './task-options.ts'

/** How a tool becomes a task. */
export interface TaskPlan {
  readonly mode: TaskMode
  readonly promoteAfterMs: number
  readonly ttlMs: number | null
  readonly keepMs: number
  /** 0: by the age of the task. */
  readonly pollIntervalMs: number
  readonly maxRuntimeMs: number | undefined
  readonly attempts: number
  readonly leaseMs: number
  readonly holds: boolean
}

export const TASK_KEYS: KnownKeys<TaskOptions> = {
  mode: true,
  promoteAfterMs: true,
  ttlMs: true,
  keepMs: true,
  pollIntervalMs: true,
  maxRuntimeMs: true,
  attempts: true,
  leaseMs: true,
  holds: 'boolean',
}

const MODES: readonly TaskMode[] = ['optional', 'always', 'required', 'manual']

const DAY_MS = 86_400_000

/** The range of each number, both ends included. */
const RANGES = {
  promoteAfterMs: [0, 25_000],
  ttlMs: [1, 400 * DAY_MS],
  keepMs: [0, 400 * DAY_MS],
  pollIntervalMs: [100, 60_000],
  maxRuntimeMs: [1, MAX_TIMER_MS],
  attempts: [1, 100],
  leaseMs: [1_000, DAY_MS],
} as const satisfies Partial<Record<keyof TaskOptions, readonly [number, number]>>

/** Throws `TypeError` or `RangeError` for a value that can't be used. `owner` is as in `tool "add"`. */
export function planTask(
  owner: string,
  value: Exclude<TaskOption, false>,
  annotations: ToolAnnotations | undefined,
): TaskPlan {
  const options = readOptions(owner, value)
  for (const [name, [min, max]] of Object.entries(RANGES)) {
    checkRange(owner, name, options[name as keyof TaskOptions], min, max)
  }
  const isRepeatable = annotations?.readOnlyHint === true || annotations?.idempotentHint === true
  const { mode = 'optional', promoteAfterMs = 2_000, ttlMs = 3_600_000, keepMs = 600_000, pollIntervalMs = 0 } = options
  const { maxRuntimeMs, attempts = isRepeatable ? 3 : 1, leaseMs = 30_000, holds = false } = options
  return { mode, promoteAfterMs, ttlMs, keepMs, pollIntervalMs, maxRuntimeMs, attempts, leaseMs, holds }
}

interface ReadOptions extends TaskOptions {
  mode?: TaskMode
}

function readOptions(owner: string, value: TaskOption): ReadOptions {
  if (value === true) return {}
  if (typeof value === 'string') return { mode: checkMode(owner, value) }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw typeError(
      'wrong-option',
      `The option task of ${owner} must be true, ${listModes()} or an object, not ${describeKind(value)}.`,
    )
  }
  checkKeys(`task of ${owner}`, value, TASK_KEYS)
  const { mode = 'optional' } = value
  if (mode === true) return { ...value, mode: 'optional' }
  if (MODES.includes(mode)) return { ...value, mode }
  throw rangeError('wrong-option', `task.mode of ${owner} must be true or ${listModes()}, not ${JSON.stringify(mode)}.`)
}

function checkMode(owner: string, mode: unknown): TaskMode {
  if (MODES.includes(mode as TaskMode)) return mode as TaskMode
  throw rangeError(
    'wrong-option',
    `The option task of ${owner} must be true or ${listModes()}, not ${JSON.stringify(mode)}.`,
  )
}

function listModes(): string {
  return MODES.map((mode) => `'${mode}'`).join(', ')
}

function checkRange(owner: string, name: string, value: unknown, min: number, max: number): void {
  if (value === undefined || (name === 'ttlMs' && value === null)) return
  if (Number.isSafeInteger(value) && (value as number) >= min && (value as number) <= max) return
  const shown = typeof value === 'number' ? value : describeKind(value)
  const days = max % DAY_MS === 0 ? ` (${max / DAY_MS} days)` : ''
  throw rangeError(
    'wrong-option',
    `${name} in the option task of ${owner} must be an integer from ${min} to ${max}${days}, not ${shown}.`,
  )
}
