// A backend of this process whose trips are recorded and can be made to fail, as those to an engine that is away.
import type { Backend } from '../../src/backend/backend.ts'
import { BackendError } from '../../src/backend/backend-error.ts'
import { type MemoryBackendOptions, memory } from '../../src/backend/memory/memory.ts'
import type { Kept } from '../../src/backend/records.ts'
import type { TopicListener } from '../../src/backend/topics.ts'

export interface FaultyBackend extends Backend {
  /** While it is set, every operation is rejected. */
  isDown: boolean
  /** While it is set, these operations are rejected, such as `topics.publish`. */
  failing: string | undefined
  /** How many of the next publications reach nobody, as with a listener that has lost its connection. */
  unheard: number
  /** Everything that was done, such as `records.get s.…`. */
  readonly trips: string[]
  /** The keys of all records that are there. */
  keys(): string[]
  /** A record, past all faults. */
  peek(key: string): Kept | undefined
  /** Writes a record as a stranger who can write to the engine. */
  plant(key: string, value: string): void
  /** Publishes a text as a stranger. */
  inject(topic: string, text: string): void
  /** Ends a session, or all of them, as an engine that was restarted without its data. */
  wipe(): void
  /** What every listener hears after a break of its connection. */
  breakTopics(): void
}

export function faultyBackend(options: MemoryBackendOptions = {}): FaultyBackend {
  const inner = memory(options)
  const trips: string[] = []
  const known = new Set<string>()
  const listeners = new Set<TopicListener>()

  /** A turn of its own, as every trip has. */
  async function trip<T>(operation: string, name: string, work: () => T | Promise<T>): Promise<T> {
    trips.push(`${operation} ${name}`)
    await Promise.resolve()
    if (!backend.isDown && backend.failing !== operation) return work()
    throw new BackendError('The engine is down.', { kind: 'unavailable', operation })
  }

  /** In the same turn where it does not fail, as in memory. */
  function failable<T>(operation: string, work: () => T): T {
    if (backend.failing !== operation) return work()
    throw new BackendError('The engine is down.', { kind: 'unavailable', operation })
  }

  const backend: FaultyBackend = {
    isDown: false,
    failing: undefined,
    unheard: 0,
    trips,
    records: {
      get: (key, given) => trip('records.get', key, () => inner.records.get(key, given)),
      put: (key, value, given) =>
        trip('records.put', key, () => {
          known.add(key)
          return inner.records.put(key, value, given)
        }),
      delete: (key, given) => trip('records.delete', key, () => inner.records.delete(key, given)),
    },
    logs: {
      append: (log, entry, given) => failable('logs.append', () => inner.logs.append(log, entry, given)),
      post: (log, data, given) => failable('logs.post', () => inner.logs.post(log, data, given)),
      read: (log, afterSeq, given) => failable('logs.read', () => inner.logs.read(log, afterSeq, given)),
      follow: (log, onMore) => inner.logs.follow(log, onMore),
      drop: (log) => inner.logs.drop(log),
    },
    topics: {
      publish: (topic, message) =>
        trip('topics.publish', topic, () => {
          if (backend.unheard === 0) return inner.topics.publish(topic, message)
          backend.unheard -= 1
        }),
      subscribe(topic, listener) {
        listeners.add(listener)
        const subscription = inner.topics.subscribe(topic, listener)
        const close = () => {
          listeners.delete(listener)
          subscription.close()
        }
        return { ready: subscription.ready, close }
      },
    },
    limits: {
      take: (key, given) => trip('limits.take', key, () => inner.limits.take(key, given)),
      hold: (key, holder, given) => trip('limits.hold', key, () => inner.limits.hold(key, holder, given)),
      release: (key, holder) => trip('limits.release', key, () => inner.limits.release(key, holder)),
    },
    open: () => inner.open(),
    close: () => inner.close(),
    health: () => inner.health(),
    keys: () => [...known].filter((key) => inner.records.get(key) !== undefined),
    peek: (key) => inner.records.get(key) as Kept | undefined,
    plant: (key, value) => void inner.records.put(key, value, { ttlMs: 60_000 }),
    inject: (topic, text) => void inner.topics.publish(topic, text),
    wipe() {
      for (const key of known) void inner.records.delete(key)
    },
    breakTopics() {
      for (const listener of listeners) listener.missed()
    },
  }
  return backend
}
