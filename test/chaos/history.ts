// What was done on a store, by whom and when: every operation with its begin, its end and its outcome.
import { BackendError } from '../../src/backend/backend-error.ts'
import type { Logs } from '../../src/backend/logs.ts'
import type { Records } from '../../src/backend/records.ts'
import type { TaskStore } from '../../src/backend/task-store.ts'
import { ROUTED } from '../../src/server/http/legacy/held-answers.ts'

export interface Operation {
  readonly node: string
  readonly name: string
  readonly args: readonly unknown[]
  /** Milliseconds of a clock that all nodes share. */
  readonly begin: number
  /** `unknown`: it may have taken effect, or not; its node may have ended meanwhile. */
  outcome: 'ok' | 'failed' | 'unknown'
  /** Infinity while nobody knows. */
  end: number
  value?: unknown
}

/** One line of a record: a begin, or the end of what the same node has begun with this number. */
export type Line =
  | {
      readonly node: string
      readonly part?: string
      readonly nth: number
      readonly name: string
      readonly args: readonly unknown[]
      readonly at: number
    }
  | {
      readonly node: string
      readonly part?: string
      readonly nth: number
      readonly end: Operation['outcome']
      readonly value?: unknown
      readonly at: number
    }

export interface RecordingOptions {
  readonly node: string
  /** Goes before the names of operations: `records` makes `records.get` (default: nothing). */
  readonly part?: string
  now(): number
  write(line: Line): void
}

/** What only listens has no outcome. */
const LISTENING: ReadonlySet<string | symbol> = new Set(['watch', 'follow'])

/** The same part of a backend, whose operations are written down: a line before each begins, and one after it has ended. */
export function recorded<T extends TaskStore | Records | Logs>(
  store: T,
  { node, part = '', now, write }: RecordingOptions,
): T {
  let last = 0
  const nameOf = (name: string | symbol) => (part === '' ? String(name) : `${part}.${String(name)}`)
  return new Proxy(store, {
    get: (target, name) => {
      const member = Reflect.get(target, name) as unknown
      if (typeof member !== 'function') return member
      if (LISTENING.has(name)) return member.bind(target) as unknown
      return async (...args: unknown[]) => {
        last += 1
        const nth = last
        write({ node, part, nth, name: nameOf(name), args: args.map(shorten), at: now() })
        try {
          const value = (await Reflect.apply(member, target, args)) as unknown
          write({ node, part, nth, end: 'ok', value: shorten(value), at: now() })
          return value
        } catch (error) {
          const isUnknown = !(error instanceof BackendError) || error.outcome === 'unknown'
          write({ node, part, nth, end: isUnknown ? 'unknown' : 'failed', at: now() })
          throw error
        }
      }
    },
  })
}

/** Inputs are long, and no rule is about them. */
function shorten(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shorten)
  if (typeof value !== 'object' || value === null || !('input' in value)) return value
  const { input: _input, ...rest } = value
  return rest
}

/** How many answers of clients were sent on to the node that waited for them. */
export function countRouted(history: readonly Operation[]): number {
  return history.filter(({ name, args }) => name === 'topics.publish' && args[1] === ROUTED).length
}

/** The operations of all nodes, in the order in which they began. */
export function readHistory(lines: Iterable<Line>): Operation[] {
  const operations = new Map<string, Operation>()
  for (const line of lines) {
    const key = `${line.node} ${line.part ?? ''} ${line.nth}`
    if ('name' in line) {
      const { node, name, args, at } = line
      operations.set(key, { node, name, args, begin: at, end: Number.POSITIVE_INFINITY, outcome: 'unknown' })
      continue
    }
    const operation = operations.get(key)
    if (operation === undefined) continue
    operation.outcome = line.end
    // What is unknown may take effect later than the error came.
    if (line.end !== 'unknown') operation.end = line.at
    operation.value = line.value
  }
  return [...operations.values()].sort((one, other) => one.begin - other.begin)
}
