// Entries of a log by their numbers. The newest knows where in the stream the last ones are, the oldest of those know where others are.
import type { LogEntry } from '../../backend/logs.ts'
import { utf8Length } from '../../backend/rules.ts'
import type { Trip } from '../connection/trip.ts'
import type { Stored, Stream } from '../engine/stream.ts'
import { type LogState, stateOf } from './log-state.ts'
import type { Post } from './posting.ts'

/** So many entries are read at once, and so many are in one page. */
const AT_ONCE = 16
const PAGE = 1_000

export class LogEntries {
  readonly #stream: Stream

  constructor(stream: Stream) {
    this.#stream = stream
  }

  /** `undefined`: one of them is gone meanwhile. */
  async page(
    trip: Trip,
    state: LogState,
    newest: Stored,
    from: number,
    maxBytes: number,
  ): Promise<LogEntry[] | undefined> {
    if (from > state.number) return []
    if (from === state.number) return [{ seq: from, data: newest.data }]
    const to = Math.min(state.number, from + PAGE - 1)
    const seqs = await this.seqs(trip, state, from, to)
    if (seqs === undefined) return undefined
    const entries: LogEntry[] = []
    let bytes = 0
    for (let at = 0; at < seqs.length; at += AT_ONCE) {
      const some = await this.#readAll(trip, seqs.slice(at, at + AT_ONCE), newest)
      for (const stored of some) {
        if (stored === undefined) return undefined
        bytes += utf8Length(stored.data)
        if (bytes > maxBytes && entries.length > 0) return entries
        entries.push({ seq: from + entries.length, data: stored.data })
      }
    }
    return entries
  }

  /** Where in the stream the entries are, in their order. */
  async seqs(trip: Trip, state: LogState, from: number, to: number): Promise<number[] | undefined> {
    const found: number[] = []
    let known = state
    for (let number = state.number; number >= from; number -= 1) {
      let seq = known.seqs[known.number - number]
      if (seq === undefined) {
        // The oldest that is known knows further.
        const oldest = known.seqs.at(-1) as number
        const stored = await this.#stream.at(trip, oldest)
        const next = stored === undefined ? undefined : stateOf(stored)
        seq = next?.seqs[next.number - number]
        if (next === undefined || seq === undefined) return undefined
        known = next
      }
      if (number <= to) found.push(seq)
    }
    return found.reverse()
  }

  async writerOf(trip: Trip, state: LogState, number: number): Promise<LogState | undefined> {
    if (number === state.number) return state
    const [seq] = (await this.seqs(trip, state, number, number)) ?? []
    const stored = seq === undefined ? undefined : await this.#stream.at(trip, seq)
    return stored === undefined ? undefined : stateOf(stored)
  }

  /** The number of the entry of this writer with this `nth`, where the log has it. */
  async find(trip: Trip, state: LogState, { writer, nth }: Post): Promise<number | undefined> {
    for (const stored of await this.#all(trip, state)) {
      const entry = stored === undefined ? undefined : stateOf(stored)
      if (entry?.writer === writer && entry.nth === nth) return entry.number
    }
    return undefined
  }

  /** Of a log that was appended to before the first post. */
  async sizes(trip: Trip, state: LogState): Promise<number[]> {
    const all = await this.#all(trip, state)
    return all.map((stored) => (stored === undefined ? 0 : utf8Length(stored.data)))
  }

  /** Who wrote the entries that this post may push out. */
  async names(
    trip: Trip,
    state: LogState | undefined,
    sizes: readonly number[],
    post: Post,
  ): Promise<Map<number, readonly [string, number]>> {
    const names = new Map<number, readonly [string, number]>()
    if (state === undefined) return names
    let bytes = post.bytes + sizes.reduce((sum, size) => sum + size, 0)
    let count = sizes.length + 1
    let to = state.first - 1
    for (const size of sizes) {
      if (count <= post.maxEntries && bytes <= post.maxBytes) break
      bytes -= size
      count -= 1
      to += 1
    }
    if (to < state.first) return names
    const seqs = (await this.seqs(trip, state, state.first, to)) ?? []
    for (const stored of await this.#readAll(trip, seqs)) {
      const entry = stored === undefined ? undefined : stateOf(stored)
      if (entry?.nth !== undefined) names.set(entry.number, [entry.writer, entry.nth])
    }
    return names
  }

  async #all(trip: Trip, state: LogState): Promise<(Stored | undefined)[]> {
    const seqs = (await this.seqs(trip, state, state.first, state.number)) ?? []
    const all: (Stored | undefined)[] = []
    for (let at = 0; at < seqs.length; at += AT_ONCE) {
      all.push(...(await this.#readAll(trip, seqs.slice(at, at + AT_ONCE))))
    }
    return all
  }

  #readAll(trip: Trip, seqs: readonly number[], newest?: Stored): Promise<(Stored | undefined)[]> {
    return Promise.all(seqs.map((seq) => (seq === newest?.seq ? newest : this.#stream.at(trip, seq))))
  }
}
