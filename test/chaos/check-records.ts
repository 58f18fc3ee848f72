// The rules of records, checked on a history. Nothing is promised across keys, so each is checked alone.
import type { Kept, PutOptions } from '../../src/backend/records.ts'
import type { Operation } from './history.ts'

interface Put {
  readonly revision: string | undefined
  readonly value: string
  /** What it replaced; `absent`: nothing; `undefined`: whatever was there. */
  readonly condition: string | undefined
  readonly ttlMs: number
  readonly operation: Operation
}

interface Get {
  readonly kept: Kept | undefined
  readonly operation: Operation
}

interface KeyHistory {
  readonly key: string
  readonly puts: Put[]
  readonly gets: Get[]
  readonly deletes: Operation[]
}

/** The clocks of the engine and of this machine may differ by so much. */
const CLOCK_MS = 50

/** What is wrong, one sentence each. */
export function checkRecords(history: readonly Operation[]): string[] {
  return [...groupByKey(history).values()].flatMap((key) => [
    ...checkConditions(key),
    ...checkOrder(key),
    ...checkValues(key),
    ...checkKept(key),
  ])
}

/** What a run must have met for its rules to mean something. */
export function countRecordEvents(history: readonly Operation[]): { puts: number; conflicts: number; unsure: number } {
  const puts = history.filter(({ name }) => name === 'records.put')
  return {
    puts: puts.length,
    conflicts: puts.filter(({ outcome, value }) => outcome === 'ok' && (value === undefined || value === null)).length,
    unsure: puts.filter(({ outcome }) => outcome === 'unknown').length,
  }
}

function groupByKey(history: readonly Operation[]): Map<string, KeyHistory> {
  const keys = new Map<string, KeyHistory>()
  for (const operation of history) {
    const { name, args, outcome } = operation
    if (!name.startsWith('records.') || outcome === 'failed') continue
    const key = String(args[0])
    const found = keys.get(key) ?? { key, puts: [], gets: [], deletes: [] }
    keys.set(key, found)
    if (name === 'records.delete') found.deletes.push(operation)
    else if (name === 'records.get') {
      if (outcome === 'ok') found.gets.push({ kept: (operation.value ?? undefined) as Kept | undefined, operation })
    } else {
      const put = readPut(operation)
      if (put !== undefined) found.puts.push(put)
    }
  }
  return keys
}

/** `undefined` where it is sure that nothing was put. */
function readPut(operation: Operation): Put | undefined {
  const { args, outcome, value } = operation
  const options = args[2] as PutOptions
  if (outcome === 'ok' && typeof value !== 'string') return undefined
  const condition = options.if === 'absent' ? 'absent' : options.if?.revision
  const revision = typeof value === 'string' ? value : options.as
  return { revision, value: String(args[1]), condition, ttlMs: options.ttlMs, operation }
}

/** (1) Of several that put on one condition, one gets a revision. */
function checkConditions({ key, puts, deletes }: KeyHistory): string[] {
  const problems: string[] = []
  const winners = new Map<string, Put>()
  for (const put of puts) {
    const { condition, revision, operation } = put
    if (condition === undefined || operation.outcome !== 'ok') continue
    const winner = winners.get(condition)
    if (condition !== 'absent' && winner !== undefined && winner.revision !== revision) {
      problems.push(`1: two puts of ${key} have replaced the revision ${condition}`)
    }
    if (condition === 'absent' && winner !== undefined && winner.revision !== revision) {
      const isGone = operation.end > winner.operation.begin + winner.ttlMs - CLOCK_MS
      if (deletes.length === 0 && !isGone) problems.push(`1: two puts of ${key} have found it absent`)
    }
    winners.set(condition, put)
  }
  return problems
}

/** (2) A read that ends before another begins never shows a newer revision than the later one. */
function checkOrder({ key, puts, gets, deletes }: KeyHistory): string[] {
  if (deletes.length > 0) return []
  const byRevision = new Map(puts.map((put) => [put.revision, put]))
  const places = placesOf(puts)
  const isOlder = (one: string, other: string) => {
    const [first, second] = [places.get(one), places.get(other)]
    if (first !== undefined && second !== undefined && first.chain === second.chain) return first.place < second.place
    const [before, after] = [byRevision.get(one), byRevision.get(other)]
    if (before?.operation.outcome !== 'ok' || after === undefined) return false
    return before.operation.end < after.operation.begin
  }
  const problems: string[] = []
  const reads = gets.filter(({ kept }) => kept !== undefined)
  const byEnd = [...reads].sort((one, other) => one.operation.end - other.operation.end)
  let newest: Kept | undefined
  let ended = 0
  for (const { kept, operation } of reads) {
    while (ended < byEnd.length && (byEnd[ended] as Get).operation.end < operation.begin) {
      const seen = (byEnd[ended] as Get).kept as Kept
      if (newest === undefined || isOlder(newest.revision, seen.revision)) newest = seen
      ended += 1
    }
    if (newest === undefined || kept === undefined || kept.revision === newest.revision) continue
    if (isOlder(kept.revision, newest.revision)) {
      problems.push(`2: ${key} was read at the revision ${newest.revision}, and later at ${kept.revision}`)
    }
  }
  return problems
}

/** Puts on a condition follow each other, whatever the clock says of them. */
function placesOf(puts: readonly Put[]): Map<string, { chain: string; place: number }> {
  const before = new Map(puts.map(({ revision, condition }) => [revision ?? '', condition]))
  const places = new Map<string, { chain: string; place: number }>()
  for (const { revision } of puts) {
    const way: string[] = []
    let at = revision
    while (at !== undefined && at !== 'absent' && !places.has(at) && way.length <= puts.length) {
      way.push(at)
      at = before.get(at)
    }
    const start = places.get(at ?? '') ?? { chain: way.at(-1) ?? '', place: -1 }
    for (const [index, name] of way.toReversed().entries()) {
      places.set(name, { chain: start.chain, place: start.place + 1 + index })
    }
  }
  return places
}

/** (3) What is read was put by somebody. */
function checkValues({ key, puts, gets }: KeyHistory): string[] {
  const values = new Set(puts.map(({ value }) => value))
  const strange = gets.filter(({ kept }) => kept !== undefined && !values.has(kept.value))
  return puts.length > 0 && strange.length > 0 ? [`3: ${key} has a value that nobody has put`] : []
}

/** (4) What was put is there as long as it was to live. */
function checkKept({ key, puts, gets, deletes }: KeyHistory): string[] {
  if (deletes.length > 0) return []
  const done = puts.filter(({ operation }) => operation.outcome === 'ok')
  const lost = gets.some(({ kept, operation: { begin, end } }) => {
    if (kept !== undefined) return false
    return done.some(({ operation, ttlMs }) => operation.end < begin && end < operation.begin + ttlMs - CLOCK_MS)
  })
  return lost ? [`4: ${key} was put and is not found`] : []
}
