// What the newest entry of a log says about the whole log, in its header. A write that expects that entry to be the newest is therefore
// a write on the condition of all of this.
import type { Stored } from '../engine/stream.ts'

export interface PostState {
  /** The last `nth` of each writer. */
  readonly writers: Readonly<Record<string, number>>
  /** The bytes of each entry that is there, oldest first. */
  readonly sizes: readonly number[]
  /** The last ones that had to go, for a repeat that comes late. */
  readonly gone: readonly (readonly [writer: string, nth: number, number: number])[]
}

export interface LogState {
  /** Of the newest entry. */
  readonly number: number
  /** Of the oldest entry that is there. */
  readonly first: number
  readonly isEnded: boolean
  readonly writer: string
  readonly nth?: number
  /** Sequences in the stream: of the newest entry, of the one before, and so on. Those further back are known to those. */
  readonly seqs: readonly number[]
  readonly posts?: PostState
  readonly time: number
  readonly ttlMs: number
}

interface Header {
  readonly n: number
  readonly f: number
  readonly w: string
  readonly h?: number
  readonly e?: 1
  /** The sequence before, then differences. */
  readonly b: readonly number[]
  readonly p?: readonly [writers: PostState['writers'], sizes: PostState['sizes'], gone: PostState['gone']]
}

/** An entry knows the sequences of so many before it. */
const KNOWN_BEFORE = 31

/** `undefined`: not ours to read. */
export function stateOf({ seq, time, ttlMs, about }: Omit<Stored, 'data'>): LogState | undefined {
  let header: Header
  try {
    header = JSON.parse(about) as Header
  } catch {
    return undefined
  }
  const { n, f, w, h, e, b, p } = header
  const seqs = [seq]
  let before = 0
  for (const [index, value] of b.entries()) {
    before = index === 0 ? value : before - value
    seqs.push(before)
  }
  return {
    number: n,
    first: f,
    isEnded: e === 1,
    writer: w,
    ...(h !== undefined && { nth: h }),
    seqs,
    ...(p !== undefined && { posts: { writers: p[0], sizes: p[1], gone: p[2] } }),
    time,
    ttlMs,
  }
}

/** For the next entry, whose own sequence nobody knows yet. */
export type NextState = Omit<LogState, 'seqs' | 'time' | 'ttlMs'>

export function headerOf(
  { number, first, isEnded, writer, nth, posts }: NextState,
  before: LogState | undefined,
): string {
  const header: Header = {
    n: number,
    f: first,
    w: writer,
    ...(nth !== undefined && { h: nth }),
    ...(isEnded && { e: 1 as const }),
    b: differences((before?.seqs ?? []).slice(0, KNOWN_BEFORE)),
    ...(posts !== undefined && { p: [posts.writers, posts.sizes, posts.gone] as const }),
  }
  return JSON.stringify(header)
}

/** After the write: the state with the sequence that the entry got. */
export function stateAfter(
  next: NextState,
  before: LogState | undefined,
  seq: number,
  time: number,
  ttlMs: number,
): LogState {
  return { ...next, seqs: [seq, ...(before?.seqs ?? []).slice(0, KNOWN_BEFORE)], time, ttlMs }
}

function differences(seqs: readonly number[]): number[] {
  return seqs.map((seq, index) => (index === 0 ? seq : (seqs[index - 1] as number) - seq))
}
