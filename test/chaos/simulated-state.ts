// Three nodes on records and logs in memory, step by step by a seed. Answers get lost, after the work or before it, and nodes repeat what
// they do not know the outcome of; a node may go on late with what it has read long ago.
import { BackendError } from '../../src/backend/backend-error.ts'
import type { Logs } from '../../src/backend/logs.ts'
import { memory } from '../../src/backend/memory/memory.ts'
import type { Kept, Records } from '../../src/backend/records.ts'
import { type Line, type Operation, readHistory, recorded } from './history.ts'
import { createRandom } from './random.ts'

const TTL = 86_400_000
const NODES = ['a', 'b', 'c']
const LIMITS = { ttlMs: TTL, maxEntries: 100_000, maxBytes: 100_000_000 }

/** Changes a part in one way, as a mistake in an engine would. */
export interface StateMutation {
  records?(records: Records): Records
  logs?(logs: Logs): Logs
}

interface State {
  readonly records: Records
  readonly logs: Logs
}

/** Both fail with an unknown outcome now and then: the work was done, or it was not. */
function flaky<T extends Records | Logs>(part: T, random: (max: number) => number): T {
  return new Proxy(part, {
    get: (target, name) => {
      const member = Reflect.get(target, name) as (...args: unknown[]) => unknown
      return async (...args: unknown[]) => {
        const fate = random(100)
        if (fate >= 8) return (await Reflect.apply(member, target, args)) as unknown
        if (fate < 4) await Reflect.apply(member, target, args)
        throw new BackendError('The answer was lost.', {
          kind: 'timeout',
          operation: String(name),
          outcome: 'unknown',
        })
      }
    },
  })
}

/** The history of so many steps. */
export async function simulateState(seed: number, mutation: StateMutation = {}, steps = 200): Promise<Operation[]> {
  const random = createRandom(seed)
  const lines: Line[] = []
  let ticks = 0
  const clock = () => {
    ticks += 1
    return ticks
  }
  const backend = memory()
  await backend.open()
  const mutated: State = {
    records: mutation.records?.(backend.records) ?? backend.records,
    logs: mutation.logs?.(backend.logs) ?? backend.logs,
  }
  const nodes = NODES.map((node) => {
    const options = { node, now: clock, write: (line: Line) => void lines.push(line) }
    const state: State = {
      records: recorded(flaky(mutated.records, random), { ...options, part: 'records' }),
      logs: recorded(flaky(mutated.logs, random), { ...options, part: 'logs' }),
    }
    return [new Counter(node, state, random), new Writer(node, state, random), new Poster(node, state, random)]
  })
  for (let step = 0; step < steps; step += 1) {
    for (const parts of nodes) for (const part of parts) await part.step()
  }
  await backend.close()
  return readHistory(lines)
}

async function untilKnown<T>(work: () => T | Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof BackendError) || error.outcome !== 'unknown') throw error
    }
  }
}

/** Reads a count, and puts the next one a few steps later, on condition that it is still the same. */
class Counter {
  readonly #node: string
  readonly #state: State
  readonly #random: (max: number) => number
  #read: { kept: Kept | undefined; left: number } | undefined
  #puts = 0

  constructor(node: string, state: State, random: (max: number) => number) {
    this.#node = node
    this.#state = state
    this.#random = random
  }

  async step(): Promise<void> {
    const { records } = this.#state
    if (this.#read === undefined) {
      const kept = await untilKnown(() => records.get('count'))
      this.#read = { kept, left: this.#random(4) }
      return
    }
    this.#read.left -= 1
    if (this.#read.left > 0) return
    const { kept } = this.#read
    this.#read = undefined
    this.#puts += 1
    const as = `${this.#node}${String(this.#puts).padStart(15, '0')}`
    const condition = kept === undefined ? 'absent' : { revision: kept.revision }
    const value = `${Number(kept?.value ?? 0) + 1}`
    await untilKnown(() => records.put('count', value, { ttlMs: TTL, if: condition, as }))
  }
}

/** Appends to a log of one writer, which another node may take over, and reads it. */
class Writer {
  readonly #node: string
  readonly #state: State
  readonly #random: (max: number) => number
  #log = 0
  #seq: number | undefined

  constructor(node: string, state: State, random: (max: number) => number) {
    this.#node = node
    this.#state = state
    this.#random = random
  }

  async step(): Promise<void> {
    const { logs } = this.#state
    const log = `log-${this.#log}`
    if (this.#seq === undefined || this.#random(5) === 0) {
      const page = await untilKnown(() => logs.read(log, 0))
      if (this.#seq === undefined && this.#random(6) > 0) return
      this.#seq = page?.lastSeq ?? 0
      if (page?.isEnded === true) this.#next()
      return
    }
    const seq = this.#seq + 1
    const isLast = seq >= 12
    const data = `${this.#node}, event ${seq} of ${log}`
    const options = { writer: this.#node, ttlMs: TTL, isLast }
    const outcome = await untilKnown(() => logs.append(log, { seq, data }, options))
    if (outcome === 'conflict') this.#seq = undefined
    else this.#seq = seq
    if (isLast) this.#next()
  }

  #next(): void {
    this.#log += 1
    this.#seq = undefined
  }
}

/** Posts to a log of all. */
class Poster {
  readonly #node: string
  readonly #state: State
  readonly #random: (max: number) => number
  #nth = 0
  #seen = 0

  constructor(node: string, state: State, random: (max: number) => number) {
    this.#node = node
    this.#state = state
    this.#random = random
  }

  async step(): Promise<void> {
    const { logs } = this.#state
    if (this.#random(3) === 0) {
      const page = await untilKnown(() => logs.read('all', this.#seen))
      this.#seen = page?.entries.at(-1)?.seq ?? this.#seen
      return
    }
    this.#nth += 1
    const nth = this.#nth
    await untilKnown(() => logs.post('all', `${this.#node}, message ${nth}`, { writer: this.#node, nth, ...LIMITS }))
  }
}
