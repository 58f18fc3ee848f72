// What a post does to a log: which number it gets, and which old entries have to go.
import type { LogState, NextState, PostState } from './log-state.ts'

export interface Post {
  readonly writer: string
  readonly nth: number
  readonly bytes: number
  readonly maxEntries: number
  readonly maxBytes: number
}

/** So many of those that had to go are remembered. */
const MAX_GONE = 16
/** Of a writer that is not among the last so many, the entries are looked at. */
const MAX_WRITERS = 64

/** Whether the entry may be there already: by its writer's last number, or because that is not known any more. */
export function mayBeRepeat(posts: PostState | undefined, { writer, nth }: Post): boolean {
  if (posts === undefined) return false
  const last = Object.hasOwn(posts.writers, writer) ? posts.writers[writer] : undefined
  if (last !== undefined) return nth <= last
  return Object.keys(posts.writers).length >= MAX_WRITERS
}

export function goneNumber(posts: PostState | undefined, { writer, nth }: Post): number | undefined {
  return posts?.gone.find(([name, count]) => name === writer && count === nth)?.[2]
}

/** `sizes` of what is there, and who wrote what goes: `nameOf` says it for the entries that the log still has. */
export function afterPost(
  before: LogState | undefined,
  sizes: readonly number[],
  post: Post,
  nameOf: (number: number) => readonly [writer: string, nth: number] | undefined,
): NextState {
  const number = (before?.number ?? 0) + 1
  const left = [...sizes, post.bytes]
  let first = before?.first ?? 1
  let bytes = left.reduce((sum, size) => sum + size, 0)
  const gone = [...(before?.posts?.gone ?? [])]
  while (left.length > 1 && (left.length > post.maxEntries || bytes > post.maxBytes)) {
    bytes -= left.shift() as number
    const name = nameOf(first)
    if (name !== undefined) gone.push([...name, first])
    first += 1
  }
  const posts = { writers: withWriter(before?.posts?.writers, post), sizes: left, gone: gone.slice(-MAX_GONE) }
  return { number, first, isEnded: false, writer: post.writer, nth: post.nth, posts }
}

function withWriter(known: PostState['writers'] = {}, { writer, nth }: Post): PostState['writers'] {
  // The newest is the last, so that the one that has not written for longest goes.
  const others = Object.entries(known).filter(([name]) => name !== writer)
  const last = Object.hasOwn(known, writer) ? (known[writer] as number) : 0
  return Object.fromEntries([...others.slice(1 - MAX_WRITERS), [writer, Math.max(nth, last)]])
}
