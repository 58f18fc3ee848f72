// Where tasks are kept. Neutral: owner, kind, dialect, input and outcome are text, so an engine needs no knowledge of MCP.

/** The owner of tasks whose creator nobody has verified: any number of callers. */
export const NOBODY = 'nobody'

/** While a run goes on, `ttlMs` grows by `keepMs`, and by this at least: a change with every renewal would be news for nobody. */
export const TTL_STEP_MS = 60_000

/** The states of a task. The last three are final. */
export type TaskStatus = 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled'

/** A task to create. */
export interface NewTask {
  /** 32 random bytes in base64url. */
  readonly id: string
  /** A digest of the principal; `nobody` where there is none. */
  readonly owner: string
  /** The tool. */
  readonly kind: string
  /** The flow in which the task was created (core tasks or the extension). The other flow does not find it. */
  readonly dialect: string
  /** Arguments, protocol version, client capabilities, principal, trace context; never the token. */
  readonly input: string
  /** From creation, by the engine's clock. `null`: no limit on the wire, kept 400 days. */
  readonly ttlMs: number | null
  /** The task is kept at least this long after its end, in milliseconds. */
  readonly keepMs: number
  /** How often clients should poll, in milliseconds. */
  readonly pollIntervalMs: number
  /** How often a run may be started anew after its worker was lost, the first run included. */
  readonly maxAttempts: number
  /** Not to be run before so many milliseconds have passed. */
  readonly notBeforeMs?: number
}

/** What a run has behind it: steps by name, answers by question key. */
export interface Journal {
  /** The results of `ctx.step()` in earlier attempts, by name, as JSON. */
  readonly steps: Readonly<Record<string, string>>
  /** The answers of the client to questions of the task, by key, as JSON. */
  readonly answers: Readonly<Record<string, string>>
}

/** A task as a store keeps it. */
export interface Task {
  /** The id of the task. */
  readonly id: string
  /** Who created the task. */
  readonly owner: string
  /** What runs the task, such as the name of a tool. */
  readonly kind: string
  /** The protocol that created the task: the extension or revision 2025-11-25. */
  readonly dialect: string
  /** How far the task is. */
  readonly status: TaskStatus
  /** What the task is doing, for people. */
  readonly statusMessage?: string
  /** When the task was created, in milliseconds since 1970. */
  readonly createdAt: number
  /** When the task last changed, in milliseconds since 1970. */
  readonly updatedAt: number
  /** How long the task is kept after its creation, in milliseconds. `null` for no limit. */
  readonly ttlMs: number | null
  /** How often clients should poll, in milliseconds. */
  readonly pollIntervalMs: number
  /** Which attempt is running, counted from 1. */
  readonly attempt: number
  /** Grows with every change of what is here. */
  readonly revision: number
  /** A cancel was asked for, and the run that goes on may still end by itself. */
  readonly isCancelling?: true
  /** The open ones. */
  readonly questions: Readonly<Record<string, string>>
  /** Result or error of a task that has ended. Absent where the store ended it; `statusMessage` says why. */
  readonly outcome?: string
}

/**
 * The right to run one attempt; plain JSON. `attempt` is the fence: it grows with every claim. What was parked or released does
 * not count against `maxAttempts`.
 */
export interface Claim extends Journal {
  /** The id of the task. */
  readonly id: string
  /** What runs the task, such as the name of a tool. */
  readonly kind: string
  /** The arguments of the task, as JSON. */
  readonly input: string
  /** Which attempt this is, counted from 1. */
  readonly attempt: number
}

/** How a task ended. */
export interface TaskOutcome {
  /** The final state of the task. */
  readonly status: 'completed' | 'failed' | 'cancelled'
  /** The result or the error, as JSON. */
  readonly text: string
}

/** A part of the tasks of one owner in one dialect, oldest first. */
export interface TaskPage {
  /** Only tasks of this protocol are listed. */
  readonly dialect: string
  /** How many tasks a page has at most. */
  readonly limit: number
  /** The id of the last one seen. The page is empty where that one is gone, or belongs to others. */
  readonly after?: string
  /** Leaves out those that were created before. */
  readonly createdFrom?: number
}

/** Hints about tasks. They may come late, twice, in another order or never, so whoever listens also looks from time to time. */
export interface TaskListener {
  /** A task has changed. Read it to see how. */
  changed(id: string): void
  /** There may be something to claim. */
  work(): void
  /** Hints were lost for a while. */
  missed(): void
}

/**
 * What may be kept: an operation that would pass a limit changes nothing and rejects with `BackendError`, with the limit in it. A limit
 * that is not given does not count. Nobody (`NOBODY`) is many callers: `perOwner` and `maxBytesPerOwner` do not count for it.
 */
export interface TaskStoreLimits {
  /** Maximum number of tasks of the owner that have not ended (default: no limit). */
  readonly perOwner?: number
  /** Maximum number of tasks of all owners that have not ended (default: no limit). */
  readonly total?: number
  /**
   * How many bytes the tasks of the owner may take (default: no limit). Those that have ended count too: 2 KiB each, and their texts
   * as they are stored.
   */
  readonly maxBytesPerOwner?: number
  /** How many bytes the tasks of all owners may take (default: no limit). */
  readonly maxBytes?: number
}

/** Options of `create()` of a task store. */
export interface CreateTaskOptions {
  /** Claims the task in the same step (default: the task waits for a worker). */
  readonly claimFor?: {
    /** The name of the worker that gets the claim. */
    readonly worker: string
    /** How long the claim is valid without a renewal, in milliseconds. */
    readonly leaseMs: number
  }
  /** Limits that the engine checks in the same step, over all nodes (default: none). */
  readonly limits?: TaskStoreLimits
}

/** Every transition is one atomic step in the engine. Every method can be repeated after an unknown outcome. */
export interface TaskStore {
  /**
   * Every node can read the task once this resolves. With `claimFor` it is claimed in the same step, so that no worker sees it
   * as ready, and the claim is returned. The same id with the same content again returns the same, whatever the limits.
   */
  create(task: NewTask & Partial<Journal>, options?: CreateTaskOptions): Promise<Claim | undefined>
  /** Takes back a task that was created with `claimFor` and whose id nobody knows yet. False: the claim is lost. */
  discard(claim: Claim): Promise<boolean>
  /** Returns a task, or `undefined` if there is none. */
  get(id: string): Promise<Task | undefined>
  /** Tasks of one owner. The work is bounded by the page, not by how many tasks the owner has of the other dialect. */
  list(owner: string, options: TaskPage): Promise<readonly Task[]>
  /** How many have not ended, of one owner or of all. */
  countOpen(owner?: string): Promise<number>
  /**
   * Those whose worker was lost come first. Then owners take turns, however many tasks one of them has, and the tasks of one owner come in
   * the order in which they became ready. Also ends what is overdue, and only that with 0 as `max`.
   */
  claim(worker: string, options: { kinds: readonly string[]; max: number; leaseMs: number }): Promise<readonly Claim[]>
  /**
   * `lost`: somebody else has it, or it is over; stop at once. Where less than `keepMs` of `ttlMs` is left, `ttlMs` grows, by so much
   * that most renewals change nothing.
   */
  renew(claim: Claim, leaseMs: number, statusMessage?: string): Promise<'held' | 'cancelling' | 'lost'>
  /** Never below what was promised already. */
  extend(claim: Claim, change: { ttlMs?: number | null; pollIntervalMs?: number }): Promise<boolean>
  /** The first value of a step stays. */
  keepStep(claim: Claim, name: string, value: string, limits?: TaskStoreLimits): Promise<boolean>
  /** What the run has behind it by now, answers that came meanwhile too. `undefined`: the claim is lost. */
  journal(claim: Claim): Promise<Journal | undefined>
  /** A key that was asked before is ignored, open or answered. */
  ask(claim: Claim, questions: Readonly<Record<string, string>>, limits?: TaskStoreLimits): Promise<boolean>
  /** From any node. Unknown and answered keys are ignored; the first answer to a key stays. */
  answer(
    id: string,
    answers: Readonly<Record<string, string>>,
    limits?: TaskStoreLimits,
  ): Promise<'taken' | 'ended' | 'unknown'>
  /** Gives the run up until an answer comes, or puts it back at once where one came since `ask`; counts as no attempt. */
  park(claim: Claim): Promise<boolean>
  /** Gives the run back to the queue, as a draining node does; counts as no attempt. */
  release(claim: Claim): Promise<boolean>
  /**
   * Exactly one call ever gets `finished` for a task. `ttlMs` grows where less than `keepMs` of it is left. An outcome of up to 1 KiB is
   * taken whatever the limits: a task must be able to end.
   */
  finish(claim: Claim, outcome: TaskOutcome, limits?: TaskStoreLimits): Promise<'finished' | 'already' | 'lost'>
  /**
   * Not begun: cancelled at once. Begun: `cancelling`, which readers see as `isCancelling`, and cancelled for good after `graceMs`
   * whatever the worker does.
   */
  cancel(id: string, graceMs: number): Promise<'cancelled' | 'cancelling' | 'ended' | 'unknown'>
  /** Calls the listener when tasks change. Returns a function that stops it. */
  watch(listener: TaskListener): () => void
}

/** Runs tasks elsewhere. `start` may be called again with the same claim and must then do nothing. */
export interface TaskExecutor {
  /** How long a job may wait in its queue before it begins: the first lease (default: 10 minutes). */
  readonly startWithinMs?: number
  /** Has the task run somewhere, such as in a job queue. Resolves once that is certain. */
  start(task: Task, claim: Claim): Promise<void>
  /** Removes a task that has not begun. Does nothing if it runs already. */
  cancel(id: string): Promise<void>
}
