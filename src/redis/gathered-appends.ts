// The entries that are appended to one log in one turn of the event loop go to Redis in one command: each command costs this process
// more than Redis takes to store an entry.
import { nextTick } from 'node:process'
import { tooLate } from '../backend/engine/deadline.ts'
import type { RedisParts } from './parts.ts'
import { milliseconds } from './records.ts'
import { APPEND } from './scripts/logs.ts'

const KEPT = { 1: 'kept', 0: 'already', '-1': 'conflict' } as const

export type Kept = (typeof KEPT)[keyof typeof KEPT]

/** In one command. More go out in several. */
const MAX_ENTRIES = 64
const MAX_CHARACTERS = 1024 * 1024

export interface Append {
  readonly seq: number
  readonly writer: string
  readonly element: string
  readonly ttlMs: number
}

interface Sent {
  readonly writer: string
  /** The number of the entry that follows. */
  readonly next: number
  readonly outcomes: Promise<readonly unknown[]>
}

interface Batch {
  readonly first: Append
  readonly elements: string[]
  characters: number
  readonly outcomes: Promise<readonly unknown[]>
  send(): void
}

export class GatheredAppends {
  readonly #parts: RedisParts
  readonly #batches = new Map<string, Batch>()
  /** By log, what was sent last and has not been answered. */
  readonly #underWay = new Map<string, Sent>()
  #isScheduled = false

  constructor(parts: RedisParts) {
    this.#parts = parts
  }

  /** The arguments have been checked. */
  async append(log: string, append: Append): Promise<Kept> {
    let batch = this.#batches.get(log)
    if (batch !== undefined && !fits(batch, append)) {
      this.flush(log)
      batch = undefined
    }
    batch ??= this.#begin(log, append)
    const index = batch.elements.push(append.element) - 1
    batch.characters += append.element.length
    const outcomes = await batch.outcomes
    return KEPT[String(outcomes[index]) as '1' | '0' | '-1']
  }

  /** Sends what waits for this log now: another operation on it must not overtake. */
  flush(log: string): void {
    const batch = this.#batches.get(log)
    this.#batches.delete(log)
    batch?.send()
  }

  #begin(log: string, first: Append): Batch {
    const elements: string[] = []
    let send = () => {}
    const outcomes = new Promise<readonly unknown[]>((resolve) => {
      send = () => resolve(this.#send(log, first, elements))
    })
    const batch: Batch = { first, elements, characters: 0, outcomes, send }
    this.#batches.set(log, batch)
    this.#schedule()
    return batch
  }

  /** After all promises of this turn: what a handler sends in a row has been appended by then. */
  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    queueMicrotask(() =>
      nextTick(() => {
        this.#isScheduled = false
        const batches = [...this.#batches.values()]
        this.#batches.clear()
        for (const batch of batches) batch.send()
      }),
    )
  }

  #send(log: string, { seq, writer, ttlMs }: Append, elements: readonly string[]): Promise<readonly unknown[]> {
    const { engine } = this.#parts
    const keys = this.#parts.keys('logs.append')
    const args = [String(seq), milliseconds(ttlMs), ...elements]
    const writeTo = (list: readonly string[]) =>
      engine.writeScript('logs.append', APPEND, list, [engine.publish, ...args]) as Promise<readonly unknown[]>
    const write = () => ('then' in keys ? keys.then((known) => writeTo(known.log(log))) : writeTo(keys.log(log)))
    const before = this.#underWay.get(log)
    const isNext = before?.next === seq && before.writer === writer
    const outcomes = isNext ? this.#sendBehind(before.outcomes, write) : write()
    const sent = { writer, next: seq + elements.length, outcomes }
    this.#underWay.set(log, sent)
    const forget = () => {
      if (this.#underWay.get(log) === sent) this.#underWay.delete(log)
    }
    outcomes.then(forget, forget)
    return outcomes
  }

  /**
   * Entries do not wait for the answer to those before them. Where these have to be sent again, since Redis had forgotten the script
   * or moves the log, Redis sees the later ones first, behind a gap. Then these are sent again too: what was refused has changed nothing.
   */
  async #sendBehind(
    before: Promise<readonly unknown[]>,
    write: () => Promise<readonly unknown[]>,
  ): Promise<readonly unknown[]> {
    const { timeoutMs } = this.#parts.engine
    const sentAt = performance.now()
    const outcomes = await write()
    if (!isConflict(outcomes[0]) || isConflict((await before).at(-1))) return outcomes
    if (performance.now() - sentAt < timeoutMs) return write()
    throw tooLate('logs.append', timeoutMs, 'not-done')
  }
}

function isConflict(outcome: unknown): boolean {
  return Number(outcome) === -1
}

function fits({ first, elements, characters }: Batch, { seq, writer, ttlMs, element }: Append): boolean {
  if (seq !== first.seq + elements.length || writer !== first.writer || ttlMs !== first.ttlMs) return false
  return elements.length < MAX_ENTRIES && characters + element.length <= MAX_CHARACTERS
}
