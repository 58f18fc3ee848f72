// The rules of logs, checked on a history. Each log is checked alone.
import type { AppendOptions, LogEntry, LogPage, PostOptions, ReadOptions } from '../../src/backend/logs.ts'
import type { Operation } from './history.ts'

interface Write {
  readonly data: string
  readonly writer: string
  /** Where the writer or the engine has numbered it; `undefined` where nobody knows. */
  readonly seq: number | undefined
  readonly nth?: number
  readonly isLast: boolean
  readonly operation: Operation
}

interface LogHistory {
  readonly log: string
  readonly writes: Write[]
  readonly reads: Operation[]
  /** Whether entries may be gone: it was dropped, trimmed or has expired. */
  mayLack: boolean
}

/** What is wrong, one sentence each. */
export function checkLogs(history: readonly Operation[]): string[] {
  return [...groupByLog(history).values()].flatMap((log) => [
    ...checkNumbers(log),
    ...checkEntries(log),
    ...checkPages(log),
    ...checkKept(log),
    ...checkEnd(log),
  ])
}

/** What a run must have met for its rules to mean something. */
export function countLogEvents(history: readonly Operation[]): { writes: number; repeats: number; conflicts: number } {
  const appends = history.filter(({ name }) => name === 'logs.append')
  return {
    writes: history.filter(({ name }) => name === 'logs.append' || name === 'logs.post').length,
    repeats: appends.filter(({ value }) => value === 'already').length,
    conflicts: appends.filter(({ value }) => value === 'conflict').length,
  }
}

function groupByLog(history: readonly Operation[]): Map<string, LogHistory> {
  const logs = new Map<string, LogHistory>()
  for (const operation of history) {
    const { name, args, outcome } = operation
    if (!name.startsWith('logs.') || outcome === 'failed') continue
    const log = String(args[0])
    const found = logs.get(log) ?? { log, writes: [], reads: [], mayLack: false }
    logs.set(log, found)
    if (name === 'logs.drop') found.mayLack = true
    else if (name === 'logs.read') found.reads.push(operation)
    else if (name === 'logs.append') addAppend(found, operation)
    else addPost(found, operation)
  }
  return logs
}

function addAppend({ writes }: LogHistory, operation: Operation): void {
  const { seq, data } = operation.args[1] as LogEntry
  const { writer, isLast = false } = operation.args[2] as AppendOptions
  if (operation.value !== 'conflict') writes.push({ data, writer, seq, isLast, operation })
}

function addPost(log: LogHistory, operation: Operation): void {
  const { args, outcome, value } = operation
  const { writer, nth, maxEntries } = args[2] as PostOptions
  const seq = outcome === 'ok' ? Number(value) : undefined
  if (seq !== undefined && seq > maxEntries) log.mayLack = true
  log.writes.push({ data: String(args[1]), writer, nth, seq, isLast: false, operation })
}

/** (1) A number is given to one entry, and an entry gets one number. */
function checkNumbers({ log, writes }: LogHistory): string[] {
  const problems: string[] = []
  const owners = new Map<number, Write>()
  const numbers = new Map<string, number>()
  for (const write of writes) {
    const { seq, writer, nth, operation } = write
    if (seq === undefined || operation.outcome !== 'ok') continue
    const owner = owners.get(seq)
    owners.set(seq, write)
    if (owner !== undefined && (owner.writer !== writer || owner.nth !== nth)) {
      problems.push(`1: the number ${seq} of the log ${log} was given twice`)
    }
    if (nth === undefined) continue
    const first = numbers.get(`${writer} ${nth}`)
    numbers.set(`${writer} ${nth}`, seq)
    if (first !== undefined && first !== seq) {
      problems.push(`1: message ${nth} of ${writer} got the numbers ${first} and ${seq} of the log ${log}`)
    }
  }
  return problems
}

/** (2) A number names one event for ever, which somebody has written, and an event has one number. */
function checkEntries({ log, writes, reads }: LogHistory): string[] {
  const problems = new Set<string>()
  const byNumber = new Map<number, string>()
  const places = new Map<string, number>()
  const written = new Map<string, number>()
  for (const { data } of new Map(writes.map((write) => [identityOf(write), write])).values()) {
    written.set(data, (written.get(data) ?? 0) + 1)
  }
  for (const { seq, data } of reads.flatMap((read) => pageOf(read)?.entries ?? [])) {
    if ((byNumber.get(seq) ?? data) !== data) problems.add(`2: the number ${seq} of the log ${log} names two events`)
    byNumber.set(seq, data)
    if (!written.has(data)) problems.add(`2: nobody has written the entry ${seq} of the log ${log}`)
    // The same text may have been written more than once.
    if (written.get(data) === 1 && (places.get(data) ?? seq) !== seq) {
      problems.add(`2: an event of the log ${log} is there twice, as ${places.get(data)} and ${seq}`)
    }
    places.set(data, seq)
  }
  return [...problems]
}

function identityOf({ writer, nth, seq }: Write): string {
  return nth === undefined ? `${writer} at ${seq}` : `${writer} nth ${nth}`
}

/** (3) A page has no holes, and begins where it was asked to. */
function checkPages({ log, reads }: LogHistory): string[] {
  return reads.flatMap((read) => {
    const page = pageOf(read)
    if (page === undefined) return []
    const after = Number(read.args[1])
    const { fromOldest = false } = (read.args[2] ?? {}) as ReadOptions
    const first = page.entries[0]?.seq ?? after + 1
    const begins = fromOldest ? first > after : first === after + 1
    const isWhole = page.entries.every(({ seq }, index) => seq === first + index)
    return begins && isWhole ? [] : [`3: a page of the log ${log} after ${after} has a hole`]
  })
}

/** (4) What was acknowledged is there for every later read. */
function checkKept({ log, writes, reads, mayLack }: LogHistory): string[] {
  if (mayLack) return []
  const problems = new Set<string>()
  for (const { seq, data, operation } of writes) {
    if (seq === undefined || operation.outcome !== 'ok') continue
    for (const read of reads) {
      const page = pageOf(read)
      if (page === undefined || read.begin < operation.end) continue
      if (page.lastSeq < seq) problems.add(`4: the entry ${seq} of the log ${log} was acknowledged and is gone`)
      const there = page.entries.find((entry) => entry.seq === seq)
      if (there !== undefined && there.data !== data) {
        problems.add(`4: the entry ${seq} of the log ${log} is not what was acknowledged`)
      }
    }
  }
  return [...problems]
}

/** (5) Nothing comes after the last entry. */
function checkEnd({ log, writes, reads }: LogHistory): string[] {
  const ends = writes.filter(({ isLast, operation }) => isLast && operation.outcome === 'ok')
  const end = Math.min(...ends.map(({ seq = Number.POSITIVE_INFINITY }) => seq))
  const isPassed = reads.some((read) => (pageOf(read)?.lastSeq ?? 0) > end)
  return isPassed ? [`5: the log ${log} goes on after its last entry ${end}`] : []
}

function pageOf({ outcome, value }: Operation): LogPage | undefined {
  return outcome === 'ok' ? ((value ?? undefined) as LogPage | undefined) : undefined
}
