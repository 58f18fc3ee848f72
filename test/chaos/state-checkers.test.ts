// The checkers of records and logs see what they are for: silent on a store that keeps its promises, and not on one with a mistake.
import { describe, expect, test } from 'vitest'
import type { LogEntry, Logs } from '../../src/backend/logs.ts'
import type { Kept, Records } from '../../src/backend/records.ts'
import { checkLogs, countLogEvents } from './check-logs.ts'
import { checkRecords, countRecordEvents } from './check-records.ts'
import { type StateMutation, simulateState } from './simulated-state.ts'

const SEEDS = [1, 2, 3, 4, 5]
/** A mistake shows in each of these. */
const FOR_MUTANTS = SEEDS.slice(0, 2)

const recordMutants: Record<string, [rule: string, mutation: StateMutation]> = {
  'a put that is unconditional': [
    '1',
    {
      records: (records) => ({
        ...bound(records),
        put: (key, value, { if: _if, ...options }) => records.put(key, value, options),
      }),
    },
  ],
  'a repeat of a put that counts as another': [
    '1',
    {
      records: (records) => {
        let puts = 0
        return {
          ...bound(records),
          async put(key, value, options) {
            const revision = await records.put(key, value, options)
            puts += 1
            // Everybody is told that theirs was the one.
            return revision ?? `told${String(puts).padStart(12, '0')}`
          },
        }
      },
    },
  ],
  'reads of a copy that is behind': [
    '2',
    {
      records: (records) => {
        let behind: Kept | undefined
        let reads = 0
        return {
          ...bound(records),
          async get(key) {
            reads += 1
            const kept = await records.get(key)
            if (reads % 20 === 1) behind = kept
            return reads % 10 === 0 ? behind : kept
          },
        }
      },
    },
  ],
  'values that get damaged': [
    '3',
    {
      records: (records) => ({
        ...bound(records),
        async get(key) {
          const kept = await records.get(key)
          return kept !== undefined && Number(kept.value) % 10 === 0 ? { ...kept, value: `${kept.value}0000` } : kept
        },
      }),
    },
  ],
  'records that get lost': [
    '4',
    {
      records: (records) => {
        let reads = 0
        return {
          ...bound(records),
          get(key) {
            reads += 1
            return reads % 50 === 0 ? undefined : records.get(key)
          },
        }
      },
    },
  ],
}

const logMutants: Record<string, [rule: string, mutation: StateMutation]> = {
  'appends whose numbers are not compared': [
    '2',
    {
      logs: (logs) => ({
        ...boundLogs(logs),
        async append(log, { data }, options) {
          const page = await logs.read(log, 0)
          return logs.append(log, { seq: (page?.lastSeq ?? 0) + 1, data }, options)
        },
      }),
    },
  ],
  'a conflict that is told as kept': [
    '1',
    {
      logs: (logs) => ({
        ...boundLogs(logs),
        async append(log, entry, options) {
          const outcome = await logs.append(log, entry, options)
          return outcome === 'conflict' ? 'kept' : outcome
        },
      }),
    },
  ],
  'posts whose repeat is not known': [
    '2',
    {
      logs: (logs) => {
        let posts = 0
        return {
          ...boundLogs(logs),
          post(log, data, options) {
            posts += 1
            return logs.post(log, data, { ...options, writer: `${options.writer}.${posts}`, nth: 1 })
          },
        }
      },
    },
  ],
  'a number that names another event later': [
    '2',
    {
      logs: (logs) => {
        let reads = 0
        return overridingReads(logs, (entries) => {
          reads += 1
          return reads % 15 === 0 ? swapFirst(entries) : entries
        })
      },
    },
  ],
  'pages with holes': ['3', { logs: (logs) => overridingReads(logs, (entries) => entries.toSpliced(1, 1)) }],
  'entries that get lost': [
    '4',
    {
      logs: (logs) => {
        let writes = 0
        return {
          ...boundLogs(logs),
          append(log, entry, options) {
            writes += 1
            return writes % 10 === 0 ? 'kept' : logs.append(log, entry, options)
          },
        }
      },
    },
  ],
  'a log that goes on after its end': [
    '5',
    {
      logs: (logs) => ({
        ...boundLogs(logs),
        append: (log, entry, { isLast: _isLast, ...options }) => logs.append(log, entry, options),
      }),
    },
  ],
}

function bound(records: Records): Records {
  return {
    get: records.get.bind(records),
    put: records.put.bind(records),
    delete: records.delete.bind(records),
  }
}

function boundLogs(logs: Logs): Logs {
  return {
    append: logs.append.bind(logs),
    post: logs.post.bind(logs),
    read: logs.read.bind(logs),
    follow: logs.follow.bind(logs),
    drop: logs.drop.bind(logs),
  }
}

function overridingReads(logs: Logs, change: (entries: readonly LogEntry[]) => readonly LogEntry[]): Logs {
  return {
    ...boundLogs(logs),
    async read(log, after, options) {
      const page = await logs.read(log, after, options)
      return page === undefined ? undefined : { ...page, entries: change(page.entries) }
    },
  }
}

function swapFirst(entries: readonly LogEntry[]): readonly LogEntry[] {
  const [first, second, ...rest] = entries
  if (first === undefined || second === undefined) return entries
  return [{ ...first, data: second.data }, { ...second, data: first.data }, ...rest]
}

const rulesOf = (problems: readonly string[]) => new Set(problems.map((problem) => problem.split(':')[0]))

describe('the checkers of records and logs', () => {
  test.each(SEEDS)('are silent on memory(), where answers get lost and nodes are late (seed %i)', async (seed) => {
    const history = await simulateState(seed)
    expect([...checkRecords(history), ...checkLogs(history)]).toEqual([])
    const events = { ...countRecordEvents(history), ...countLogEvents(history) }
    expect(Math.min(...Object.values(events)), JSON.stringify(events)).toBeGreaterThan(0)
  })

  describe.each([
    ['records', recordMutants, checkRecords],
    ['logs', logMutants, checkLogs],
  ] as const)('of %s', (_part, mutants, check) => {
    test.each(Object.entries(mutants).map(([what, [rule, mutation]]) => [rule, what, mutation] as const))(
      'rule %s goes red for %s',
      async (rule, _what, mutation) => {
        const histories = await Promise.all(FOR_MUTANTS.map((seed) => simulateState(seed, mutation)))
        expect(rulesOf(histories.flatMap(check))).toContain(rule)
      },
    )
  })
})
