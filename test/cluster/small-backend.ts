// Records, topics and places in memory, with faults on request: what the nodes of a test share.

import type { Backend } from '../../src/backend/backend.ts'
import { BackendError } from '../../src/backend/backend-error.ts'
import type { Kept, Records } from '../../src/backend/records.ts'
import type { TopicListener } from '../../src/backend/topics.ts'

export interface SmallBackend extends Backend {
  /** While it is set, every operation is rejected, as those of an engine that is down. */
  isDown: boolean
  /** Everything that was done, such as `records.get s.…`. */
  readonly trips: string[]
  readonly values: Map<string, Kept>
  /** Publishes a text as a stranger who can write to the engine. */
  inject(topic: string, text: string): void
  /** As after a break of the connection of every listener. */
  breakTopics(): void
}

export function smallBackend(): SmallBackend {
  const values = new Map<string, Kept>()
  const places = new Map<string, Set<string>>()
  const listeners = new Map<string, Set<TopicListener>>()
  const trips: string[] = []
  let revision = 0

  async function trip(operation: string, name: string): Promise<void> {
    trips.push(`${operation} ${name}`)
    await Promise.resolve()
    if (!backend.isDown) return
    throw new BackendError('The engine is down.', { kind: 'unavailable', operation })
  }

  const records: Records = {
    async get(key) {
      await trip('records.get', key)
      return values.get(key)
    },
    async put(key, value, { if: condition }) {
      await trip('records.put', key)
      const kept = values.get(key)
      if (condition === 'absent' && kept !== undefined) return undefined
      if (typeof condition === 'object' && kept?.revision !== condition.revision) return undefined
      revision += 1
      values.set(key, { value, revision: String(revision) })
      return String(revision)
    },
    async delete(key) {
      await trip('records.delete', key)
      return values.delete(key)
    },
  }

  function deliver(topic: string, text: string): void {
    for (const listener of listeners.get(topic) ?? []) queueMicrotask(() => listener.message(text))
  }

  const backend: SmallBackend = {
    isDown: false,
    trips,
    values,
    records,
    logs: {} as never,
    topics: {
      async publish(topic, message) {
        await trip('topics.publish', topic)
        deliver(topic, message)
      },
      subscribe(topic, listener) {
        const all = listeners.get(topic) ?? new Set()
        listeners.set(topic, all.add(listener))
        return { ready: Promise.resolve(), close: () => void all.delete(listener) }
      },
    },
    limits: {
      take: () => 0,
      async hold(key, holder, { max }) {
        await trip('limits.hold', key)
        const held = places.get(key) ?? new Set()
        places.set(key, held)
        if (!held.has(holder) && held.size >= max) return false
        held.add(holder)
        return true
      },
      async release(key, holder) {
        await trip('limits.release', key)
        places.get(key)?.delete(holder)
      },
    },
    open: async () => {},
    close: async () => {},
    health: async () => ({ isReady: !backend.isDown }),
    inject: deliver,
    breakTopics() {
      for (const all of listeners.values()) for (const listener of all) listener.missed()
    },
  }
  return backend
}
