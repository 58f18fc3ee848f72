// The entries that are appended to one log in one turn of the event loop go to Redis in one command: each command costs this process
// more than Redis takes to store an entry.
import { nextTick } from 'node:process'
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

  #send(log: string, { seq, ttlMs }: Append, elements: readonly string[]): Promise<readonly unknown[]> {
    const { engine } = this.#parts
    const keys = this.#parts.keys('logs.append')
    const args = [String(seq), milliseconds(ttlMs), ...elements]
    const write = (list: readonly string[]) =>
      engine.writeScript('logs.append', APPEND, list, [engine.publish, ...args]) as Promise<readonly unknown[]>
    return 'then' in keys ? keys.then((known) => write(known.log(log))) : write(keys.log(log))
  }
}

function fits({ first, elements, characters }: Batch, { seq, writer, ttlMs, element }: Append): boolean {
  if (seq !== first.seq + elements.length || writer !== first.writer || ttlMs !== first.ttlMs) return false
  return elements.length < MAX_ENTRIES && characters + element.length <= MAX_CHARACTERS
}
