// Records: the newest message of a subject. Its sequence is what a conditional write compares.
import type { Kept, PutOptions, Records } from '../../backend/records.ts'
import { checkName, checkRevision, checkTtl, checkValue, utf8Length } from '../../backend/rules.ts'
import type { Trip } from '../connection/trip.ts'
import type { Engine } from '../engine/engine.ts'
import type { Stored } from '../engine/stream.ts'

export class NatsRecords implements Records {
  readonly #engine: Engine

  constructor(engine: Engine) {
    this.#engine = engine
  }

  get(key: string, { touchMs }: { readonly touchMs?: number } = {}): Promise<Kept | undefined> {
    checkName('records.get', key)
    if (touchMs !== undefined) checkTtl('records.get', touchMs)
    const { names, state } = this.#engine
    return this.#engine.perform('records.get', async (trip) => {
      const subject = names.record(key)
      for (;;) {
        const found = await state.last(trip, subject)
        if (found === undefined || !(await state.isLive(trip, found))) return undefined
        const { data: value, id: revision } = found
        if (touchMs === undefined || (await this.#touch(trip, subject, found, touchMs))) return { value, revision }
      }
    })
  }

  put(key: string, value: string, { ttlMs, if: condition, as }: PutOptions): Promise<string | undefined> {
    checkName('records.put', key)
    checkTtl('records.put', ttlMs)
    checkRevision('records.put', as)
    checkValue('records.put', value, this.#engine.maxValueBytes)
    const { state, names } = this.#engine
    const id = as ?? this.#engine.newId()
    const write = { id, ttlMs, data: value }
    return this.#engine.perform('records.put', async (trip) => {
      state.checkSize('records.put', utf8Length(value))
      const subject = names.record(key)
      if (condition === undefined) {
        await state.write(trip, subject, write)
        return id
      }
      // Most of what has to be absent is.
      if (condition === 'absent' && (await state.write(trip, subject, { ...write, expected: 0 })) !== undefined)
        return id
      for (;;) {
        const found = await state.last(trip, subject)
        const isLive = found !== undefined && (await state.isLive(trip, found))
        // Put before by the same call, or by one that is repeated.
        if (isLive && found.id === id) return id
        if (condition === 'absent' ? isLive : !isLive || found.id !== condition.revision) return undefined
        if ((await state.write(trip, subject, { ...write, expected: found?.seq ?? 0 })) !== undefined) return id
      }
    })
  }

  delete(key: string, { if: condition }: { readonly if?: { readonly revision: string } } = {}): Promise<boolean> {
    checkName('records.delete', key)
    const { state, names } = this.#engine
    let tried: number | undefined
    return this.#engine.perform('records.delete', async (trip) => {
      for (;;) {
        const found = await state.last(trip, names.record(key))
        // The connection broke after the delete.
        if (tried !== undefined && trip.isUncertain && found?.seq !== tried) return true
        if (found === undefined || !(await state.isLive(trip, found))) return false
        if (condition !== undefined && found.id !== condition.revision) return false
        tried = found.seq
        // Only this message: one that was put meanwhile has another sequence.
        if (await state.delete(trip, found.seq)) return true
        tried = undefined
      }
    })
  }

  /** Writes the record again, unless that was done a short while ago. False: it has changed meanwhile. */
  async #touch(trip: Trip, subject: string, found: Stored, touchMs: number): Promise<boolean> {
    const { state, clock } = this.#engine
    const { id, data, seq, time } = found
    const isRecent = found.ttlMs === Math.ceil(touchMs) && clock.now() - time < touchMs / 4
    return isRecent || (await state.write(trip, subject, { id, data, ttlMs: touchMs, expected: seq })) !== undefined
  }
}
