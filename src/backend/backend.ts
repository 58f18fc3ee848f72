// What a server shares with the other nodes that serve it: five small interfaces, and the engine behind them.
import type { Limits } from './limits.ts'
import type { Logs } from './logs.ts'
import type { Records } from './records.ts'
import type { TaskStore } from './task-store.ts'
import type { Topics } from './topics.ts'

/** Whether an engine can be used now. */
export interface BackendHealth {
  /** True if the engine answered. */
  readonly isReady: boolean
  /** How long the engine took to answer, in milliseconds. */
  readonly latencyMs?: number
  /** Why it is not ready, or what limits it. Names no key, no value and no password. */
  readonly detail?: string
}

/** What whoever opens a backend says about itself. */
export interface BackendUse {
  /** The namespace for an engine that was given none: the name of the server. The first one counts. */
  readonly namespace?: string
  /** Gets, once each, the settings of the engine that put data at risk: an eviction policy, no encryption. */
  report?(warning: string): void
}

/**
 * One engine, or several that `combine` has put together. Methods of its parts reject only with `BackendError` (those that
 * return no promise throw it), and settle within `timeoutMs` of the engine (default: 2 s). Every one of them can be repeated with the same arguments after an unknown outcome.
 * Time is the clock of the engine. An operation on a backend that is not open opens it; after `close` it is rejected until the
 * next `open`.
 */
export interface Backend {
  /** Values by key, each with a revision and a time to live. */
  readonly records: Records
  /** Ordered entries, for streams that can be resumed. */
  readonly logs: Logs
  /** Messages to all processes that listen. None is kept. */
  readonly topics: Topics
  /** Rates and places that all processes share. */
  readonly limits: Limits
  /** Absent where the engine keeps no tasks. */
  readonly tasks?: TaskStore
  /** Connects, checks the version of what is stored, loads scripts. Any number of times. */
  open(use?: BackendUse): Promise<void>
  /** Ends what `open` began, and nothing that the user passed in. Idempotent. */
  close(): Promise<void>
  /** Never rejects. `isReady` is what `/ready` answers. */
  health(): Promise<BackendHealth>
}
