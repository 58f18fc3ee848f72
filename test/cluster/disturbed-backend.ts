// A backend in memory whose operations go through the hands of a test: delayed, refused, or lost.
import type { Backend } from '../../src/backend/backend.ts'
import { BackendError } from '../../src/backend/backend-error.ts'
import type { LogEntry } from '../../src/backend/logs.ts'
import { memory } from '../../src/backend/memory/memory.ts'
import type { MaybePromise } from '../../src/primitives/async/promises.ts'

export interface DisturbedBackend extends Backend {
  /** Called before each operation, such as `logs.append`. It may wait, and it may throw. */
  before: (operation: string, name: string) => MaybePromise<void>
  /** Whether a hint or a message on a topic is lost. */
  loses: (what: 'hint' | 'message', name: string) => boolean
  /** Everything that was done, such as `logs.append`, with its log, key or topic. */
  readonly trips: { operation: string; name: string }[]
}

export function engineDown(operation: string): BackendError {
  return new BackendError('The engine is down.', { kind: 'unavailable', operation })
}

/** `isAsync`: every operation takes a turn, as one over a network does. */
export function disturbedBackend({
  isAsync = false,
  shared = memory(),
}: {
  isAsync?: boolean
  shared?: Backend
} = {}): DisturbedBackend {
  const trips: { operation: string; name: string }[] = []

  function trip<T>(operation: string, name: string, run: () => MaybePromise<T>): MaybePromise<T> {
    trips.push({ operation, name })
    const waiting = backend.before(operation, name)
    if (waiting !== undefined) return waiting.then(run)
    return isAsync ? Promise.resolve().then(run) : run()
  }

  const { records, logs, topics, limits } = shared
  const backend: DisturbedBackend = {
    before: () => undefined,
    loses: () => false,
    trips,
    records: {
      get: (key, options) => trip('records.get', key, () => records.get(key, options)),
      put: (key, value, options) => trip('records.put', key, () => records.put(key, value, options)),
      delete: (key, options) => trip('records.delete', key, () => records.delete(key, options)),
    },
    logs: {
      append: (log, entry, options) => trip('logs.append', log, () => logs.append(log, entry, options)),
      post: (log, data, options) => trip('logs.post', log, () => logs.post(log, data, options)),
      read: (log, afterSeq, options) => trip('logs.read', log, () => logs.read(log, afterSeq, options)),
      follow: (log, onMore) => logs.follow(log, (entry?: LogEntry) => backend.loses('hint', log) || onMore(entry)),
      drop: (log) => trip('logs.drop', log, () => logs.drop(log)),
    },
    topics: {
      publish: (topic, message) =>
        trip('topics.publish', topic, () =>
          backend.loses('message', topic) ? undefined : topics.publish(topic, message),
        ),
      subscribe: (topic, listener) => topics.subscribe(topic, listener),
    },
    limits,
    open: (use) => shared.open(use),
    close: () => shared.close(),
    health: () => shared.health(),
  }
  return backend
}
