// What follows an event in a log with many writers, where the engine may have lost that event and given its number to another.
import type { LogPage, Logs } from '../../../backend/logs.ts'
import { readEntry } from './log-entry.ts'
import type { Position } from './stream-name.ts'

const FROM_OLDEST = { fromOldest: true }

/**
 * The entries after a position, from the oldest that is there. `lost`: the log has no such entry, or another one in its place.
 * `undefined`: there is no log. Without a mark only the number counts.
 */
export async function readAfter(
  logs: Logs,
  log: string,
  { seq, mark }: Position,
): Promise<LogPage | 'lost' | undefined> {
  if (seq === 0 || mark === undefined) return logs.read(log, seq, FROM_OLDEST)
  const page = await logs.read(log, seq - 1, FROM_OLDEST)
  const [there, ...entries] = page?.entries ?? []
  if (page === undefined || there?.seq !== seq || readEntry(there.data).mark !== mark) return 'lost'
  // An entry that fills a page leaves no place for others.
  if (entries.length === 0 && page.lastSeq > seq) return logs.read(log, seq, FROM_OLDEST)
  return { ...page, entries }
}
