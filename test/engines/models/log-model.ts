// Logs as a model: one that its writers number, and one that the engine numbers and cuts.
import fc from 'fast-check'
import type { LogEntry, LogPage } from '../../../src/backend/logs.ts'
import type { Model } from './history.ts'

const TTL = 3_600_000
const MAX_ENTRIES = 4

export interface LogOperation {
  readonly do: 'append' | 'end' | 'read' | 'drop'
  readonly writer: 'v' | 'w'
  readonly seq: number
}

type Entry = LogEntry & { readonly writer: string }
interface LogState {
  readonly entries: readonly Entry[]
  readonly isEnded: boolean
}

type LogResult = 'kept' | 'already' | 'conflict' | 'dropped' | LogPage | null

export const logOperation: fc.Arbitrary<LogOperation> = fc.record({
  do: fc.constantFrom('append', 'append', 'append', 'append', 'read', 'read', 'end', 'drop'),
  writer: fc.constantFrom('v', 'w'),
  seq: fc.integer({ min: 1, max: 5 }),
})

export const logModel: Model<LogOperation, LogState, LogResult> = {
  start: { entries: [], isEnded: false },

  async run({ logs }, { do: what, writer, seq }) {
    if (what === 'read') return (await logs.read('l', seq - 1)) ?? null
    if (what === 'drop') {
      await logs.drop('l')
      return 'dropped'
    }
    return logs.append('l', { seq, data: `${writer}${seq}` }, { writer, ttlMs: TTL, isLast: what === 'end' })
  },

  next(state, { do: what, writer, seq }, result) {
    const { entries, isEnded } = state
    if (what === 'drop') return logModel.start
    if (what === 'read') {
      const exists = entries.length > 0 && seq - 1 <= entries.length
      const page = exists ? { entries: bare(entries.slice(seq - 1)), lastSeq: entries.length, isEnded } : null
      return JSON.stringify(ordered(result)) === JSON.stringify(page) ? state : undefined
    }
    const known = entries[seq - 1]
    if (known !== undefined) return result === (known.writer === writer ? 'already' : 'conflict') ? state : undefined
    if (isEnded || seq !== entries.length + 1) return result === 'conflict' ? state : undefined
    if (result !== 'kept') return undefined
    return { entries: [...entries, { seq, data: `${writer}${seq}`, writer }], isEnded: what === 'end' }
  },
}

export interface PostOperation {
  readonly do: 'post' | 'read' | 'read-rest' | 'drop'
  readonly writer: 'v' | 'w'
  readonly nth: number
}

interface PostState {
  readonly entries: readonly LogEntry[]
  readonly lastSeq: number
  /** What was posted, by writer and number, as far as it is still there. */
  readonly posted: Readonly<Record<string, number>>
  /** What was posted and had to go: a repeat may be known, or not. */
  readonly gone: Readonly<Record<string, number>>
}

type PostResult = number | LogPage | null | 'dropped'

export const postOperation: fc.Arbitrary<PostOperation> = fc.record({
  do: fc.constantFrom('post', 'post', 'post', 'post', 'read', 'read-rest', 'drop'),
  writer: fc.constantFrom('v', 'w'),
  nth: fc.integer({ min: 1, max: 8 }),
})

export const postModel: Model<PostOperation, PostState, PostResult> = {
  start: { entries: [], lastSeq: 0, posted: {}, gone: {} },

  async run({ logs }, { do: what, writer, nth }) {
    if (what === 'read') return (await logs.read('p', nth - 1)) ?? null
    if (what === 'read-rest') return (await logs.read('p', nth - 1, { fromOldest: true })) ?? null
    if (what === 'drop') {
      await logs.drop('p')
      return 'dropped'
    }
    const options = { writer, nth, ttlMs: TTL, maxEntries: MAX_ENTRIES, maxBytes: 100_000 }
    return logs.post('p', `${writer}${nth}`, options)
  },

  next(state, { do: what, writer, nth }, result) {
    const { entries, lastSeq, posted, gone } = state
    if (what === 'drop') return postModel.start
    if (what !== 'post') {
      const after = nth - 1
      const isWhole = after + 1 >= (entries[0]?.seq ?? 0) || what === 'read-rest'
      const exists = lastSeq > 0 && after <= lastSeq && isWhole
      const rest = entries.filter(({ seq }) => seq > after)
      const page = exists ? { entries: rest, lastSeq, isEnded: false } : null
      return JSON.stringify(ordered(result)) === JSON.stringify(page) ? state : undefined
    }
    const key = `${writer}${nth}`
    if (posted[key] !== undefined) return result === posted[key] ? state : undefined
    if (gone[key] !== undefined && result === gone[key]) return state
    if (result !== lastSeq + 1) return undefined
    const all = [...entries, { seq: lastSeq + 1, data: key }]
    const cut = all.slice(0, Math.max(0, all.length - MAX_ENTRIES))
    const left = Object.fromEntries(Object.entries(posted).filter(([name]) => !cut.some(({ data }) => data === name)))
    const went = Object.fromEntries(cut.map(({ data, seq }) => [data, seq]))
    return {
      entries: all.slice(cut.length),
      lastSeq: lastSeq + 1,
      posted: { ...left, [key]: lastSeq + 1 },
      gone: { ...gone, ...went },
    }
  },
}

function bare(entries: readonly Entry[]): LogEntry[] {
  return entries.map(({ seq, data }) => ({ seq, data }))
}

/** Members in the order of the model. */
function ordered(result: unknown): unknown {
  if (typeof result !== 'object' || result === null) return result
  const { entries, lastSeq, isEnded } = result as LogPage
  return { entries: entries.map(({ seq, data }) => ({ seq, data })), lastSeq, isEnded }
}
