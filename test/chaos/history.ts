// What was done on a store, by whom and when: every operation with its begin, its end and its outcome.
import { BackendError } from '../../src/backend/backend-error.ts'
import type { TaskStore } from '../../src/backend/task-store.ts'

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
      readonly nth: number
      readonly name: string
      readonly args: readonly unknown[]
      readonly at: number
    }
  | {
      readonly node: string
      readonly nth: number
      readonly end: Operation['outcome']
      readonly value?: unknown
      readonly at: number
    }

export interface RecordingOptions {
  readonly node: string
  now(): number
  write(line: Line): void
}

/** The same store, whose operations are written down. A line is written before its operation begins, and after it has ended. */
export function recorded(store: TaskStore, { node, now, write }: RecordingOptions): TaskStore {
  let last = 0
  return new Proxy(store, {
    get: (target, name) => {
      const member = Reflect.get(target, name) as unknown
      if (typeof member !== 'function') return member
      if (name === 'watch') return member.bind(target) as unknown
      return async (...args: unknown[]) => {
        last += 1
        const nth = last
        write({ node, nth, name: String(name), args: args.map(shorten), at: now() })
        try {
          const value = (await Reflect.apply(member, target, args)) as unknown
          write({ node, nth, end: 'ok', value: shorten(value), at: now() })
          return value
        } catch (error) {
          const isUnknown = !(error instanceof BackendError) || error.outcome === 'unknown'
          write({ node, nth, end: isUnknown ? 'unknown' : 'failed', at: now() })
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

/** The operations of all nodes, in the order in which they began. */
export function readHistory(lines: Iterable<Line>): Operation[] {
  const operations = new Map<string, Operation>()
  for (const line of lines) {
    const key = `${line.node} ${line.nth}`
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
