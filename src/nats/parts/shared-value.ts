// A small value that many nodes change at once: read, changed, and written where nobody else has written meanwhile. What waits here for
// the same value goes along in one write.
import { BackendError } from '../../backend/backend-error.ts'
import type { Trip } from '../connection/trip.ts'
import { inTime, type Waiting } from '../connection/waiting.ts'
import type { Engine } from '../engine/engine.ts'

export interface Changed<T> {
  readonly result: T
  /** The value from now on (default: as it was). */
  readonly value?: { readonly text: string; readonly ttlMs: number }
}

export type Change<T> = (text: string | undefined, now: number) => Changed<T>

interface WaitingChange extends Waiting {
  readonly change: Change<unknown>
  resolve(result: unknown): void
}

/** A longer line waits for the next write. */
const MAX_AT_ONCE = 256
/** The longest wait before the second try; each further one may be twice as long. */
const FIRST_WAIT_MS = 2

export class SharedValues {
  readonly #engine: Engine
  readonly #maxTries: number
  readonly #lines = new Map<string, WaitingChange[]>()

  constructor(engine: Engine, maxTries: number) {
    this.#engine = engine
    this.#maxTries = maxTries
  }

  /** `BackendError` of kind `refused` where others were faster each time. */
  change<T>(operation: string, subject: string, change: Change<T>): Promise<T> {
    return new Promise<unknown>((resolve, reject) => {
      const endsAt = performance.now() + this.#engine.link.timeoutMs
      const waiting = { operation, change, endsAt, resolve, reject }
      const line = this.#lines.get(subject)
      if (line !== undefined) return void line.push(waiting)
      this.#lines.set(subject, [waiting])
      void this.#serve(subject)
    }) as Promise<T>
  }

  async #serve(subject: string): Promise<void> {
    const line = this.#lines.get(subject) as WaitingChange[]
    // In one turn of the event loop many may come.
    await undefined
    while (line.length > 0) {
      const batch = inTime(line.splice(0, MAX_AT_ONCE), this.#engine.link.timeoutMs)
      const [first] = batch
      if (first === undefined) continue
      const { operation } = first
      const id = this.#engine.newId()
      let results: unknown[] = []
      try {
        results = await this.#engine.perform(operation, (trip) => this.#changeAll(trip, subject, batch, id, results))
        for (const [index, { resolve }] of batch.entries()) resolve(results[index])
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
    }
    this.#lines.delete(subject)
  }

  async #changeAll(
    trip: Trip,
    subject: string,
    batch: readonly WaitingChange[],
    id: string,
    results: unknown[],
  ): Promise<unknown[]> {
    const { state, clock } = this.#engine
    for (let tries = 1; tries <= this.#maxTries; tries += 1) {
      const found = await state.last(trip, subject)
      // Written before the connection broke.
      if (found?.id === id && results.length > 0) return results
      let text = found !== undefined && (await state.isLive(trip, found)) ? found.data : undefined
      const now = clock.now()
      let ttlMs = 0
      results.length = 0
      for (const { change } of batch) {
        const { result, value } = change(text, now)
        results.push(result)
        if (value !== undefined) ({ text, ttlMs } = value)
      }
      if (ttlMs === 0) return results
      const write = { id, ttlMs, data: text ?? '', expected: found?.seq ?? 0 }
      if ((await state.write(trip, subject, write)) !== undefined) return results
      if (tries < this.#maxTries) await trip.pause(Math.random() * FIRST_WAIT_MS * 2 ** Math.min(tries, 5))
    }
    const message = `${trip.operation} found the value changed by other nodes in each of ${this.#maxTries} tries.`
    throw new BackendError(message, { kind: 'refused', operation: trip.operation })
  }
}
