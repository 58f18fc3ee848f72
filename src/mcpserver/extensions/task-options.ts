// What authors write about tasks on a tool.

/**
 * When a call of a tool becomes a task, for clients that take tasks: `true` when it takes long, `'always'` at once, `'required'`
 * at once and for other clients not at all, `'manual'` when the handler calls `ctx.background()`.
 */
export type TaskMode = 'optional' | 'always' | 'required' | 'manual'

/** The option `task` of a tool in full. */
export interface TaskOptions {
  /** When a call becomes a task (default: `optional`, which `true` stands for too). */
  mode?: TaskMode | true | undefined
  /** A call that takes longer becomes a task (default: 2 s, or 80 % of the time that the caller waits, if that is less). */
  promoteAfterMs?: number | undefined
  /** How long the task is kept, from its creation (default: 1 h; `null`: `limits.maxTtlMs` of `tasks()`, 7 days). Work that takes longer goes on, and the time grows. */
  ttlMs?: number | null | undefined
  /** How long the result is kept at least, from the end of the work (default: 10 minutes). */
  keepMs?: number | undefined
  /** How often clients are asked to look (default: 200 ms to 15 s, longer with age). */
  pollIntervalMs?: number | undefined
  /** Stops the work after this many milliseconds (default: no limit). */
  maxRuntimeMs?: number | undefined
  /** How often the work may be started, the first time included (default: 1; 3 for read-only and idempotent tools). */
  attempts?: number | undefined
  /** How long a lost process holds the work (default: 30 s). */
  leaseMs?: number | undefined
  /** Keeps the run in memory while it waits for an answer, instead of replaying it (default: `false`). */
  holds?: boolean | undefined
}

/** The option `task` of a tool. */
export type TaskOption = boolean | Exclude<TaskMode, 'optional'> | TaskOptions
