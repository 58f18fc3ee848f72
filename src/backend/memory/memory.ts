// A backend within one process: for tests, and for servers of one process that share it.
import { checkKeys, checkLimit, type KnownKeys } from '../../primitives/options.ts'
import type { Backend, BackendHealth } from '../backend.ts'
import type { Limits } from '../limits.ts'
import type { Logs } from '../logs.ts'
import { MemoryTaskStore } from '../memory-task-store.ts'
import { registerBackend } from '../parts.ts'
import type { Records } from '../records.ts'
import { MAX_VALUE_BYTES } from '../rules.ts'
import type { TaskStore } from '../task-store.ts'
import type { Topics } from '../topics.ts'
import { Space } from './expiring.ts'
import { MemoryLimits } from './memory-limits.ts'
import { MemoryLogs } from './memory-logs.ts'
import { MemoryRecords } from './memory-records.ts'
import { MemoryTopics } from './memory-topics.ts'

/** Options of `memory()`. */
export interface MemoryBackendOptions {
  /** The clock, in milliseconds (default: that of the system). `fakeClock()` of `mcpwire/testing` is one that tests move. */
  clock?:
    | {
        /** Returns the time in milliseconds. */
        now(): number
      }
    | undefined
  /** What records, logs and limits may take together, and what tasks may take. More is refused (default: 256 MiB each). */
  maxBytes?: number | undefined
  /** What one value may take in UTF-8 (default: 1 MiB). */
  maxValueBytes?: number | undefined
  /** Gets what a listener of a topic, a log or tasks threw (default: dropped). */
  onListenerError?: ((error: unknown) => void) | undefined
}

export const MEMORY_KEYS: KnownKeys<MemoryBackendOptions> = {
  clock: 'object',
  maxBytes: 'number',
  maxValueBytes: 'number',
  onListenerError: 'function',
}

const MAX_BYTES = 256 * 1024 * 1024

/**
 * State in the memory of this process. Several servers can share one; together they behave like nodes on one engine. Methods return
 * values without a promise. What is stored stays as long as the object, also while it is closed.
 */
export function memory(options: MemoryBackendOptions = {}): Backend {
  checkKeys('memory()', options, MEMORY_KEYS)
  return registerBackend(new MemoryBackend(options))
}

class MemoryBackend implements Backend {
  readonly records: Records
  readonly logs: Logs
  readonly topics: Topics
  readonly limits: Limits
  readonly tasks: TaskStore
  readonly #space: Space
  readonly #listeners: { close(): void }[]

  constructor({ clock, maxBytes = MAX_BYTES, maxValueBytes = MAX_VALUE_BYTES, onListenerError }: MemoryBackendOptions) {
    checkLimit('maxBytes', maxBytes)
    checkLimit('maxValueBytes', maxValueBytes)
    const onError = onListenerError ?? (() => {})
    const now = clock === undefined ? () => Date.now() : () => clock.now()
    this.#space = new Space(now, maxBytes)
    const logs = new MemoryLogs(this.#space, maxValueBytes, onError)
    const topics = new MemoryTopics(this.#space, maxValueBytes, onError)
    this.records = new MemoryRecords(this.#space, maxValueBytes)
    this.logs = logs
    this.topics = topics
    this.limits = new MemoryLimits(this.#space)
    const checkOpen = (operation: string) => this.#space.checkOpen(operation)
    const tasks = new MemoryTaskStore({ now, maxBytes, onListenerError: onError, checkOpen })
    this.tasks = tasks
    this.#listeners = [logs, topics, tasks]
  }

  async open(): Promise<void> {
    this.#space.open()
  }

  async close(): Promise<void> {
    this.#space.close()
    for (const part of this.#listeners) part.close()
  }

  async health(): Promise<BackendHealth> {
    if (this.#space.isClosed) return { isReady: false, detail: 'The backend is closed.' }
    return { isReady: true, latencyMs: 0 }
  }
}
