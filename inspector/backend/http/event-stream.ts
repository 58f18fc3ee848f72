// One page's stream of events: the state first, then the entries that it has not seen, then both as they come.
import type { ServerResponse } from 'node:http'
import type { Entry } from '../../protocol/entries.ts'
import type { EventLog } from '../log/event-log.ts'
import type { Changes } from '../log/snapshot.ts'
import { COMMON_HEADERS } from './static-files.ts'

/** Above this many unread bytes a page gets entries without bodies; it can fetch them. */
const SLOW_BYTES = 4 * 1024 * 1024
/** Above this many it is ended, and comes back with the number of its last entry. */
const STUCK_BYTES = 32 * 1024 * 1024
const KEEP_ALIVE_MS = 15_000

export interface EventStreamOptions {
  readonly log: EventLog
  readonly changes: Changes
  readonly snapshot: () => unknown
  /** The number of the last entry that the page has. */
  readonly lastSeen: number
}

/** Ends by itself when the page goes away. Returns the function that ends it before. */
export function sendEvents(response: ServerResponse, options: EventStreamOptions): () => void {
  const { log, changes, snapshot, lastSeen } = options
  response.writeHead(200, { ...COMMON_HEADERS, 'content-type': 'text/event-stream; charset=utf-8' })
  const write = (event: string, data: unknown, id?: number) => {
    const head = id === undefined ? '' : `id: ${id}\n`
    response.write(`${head}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)
    if (response.writableLength > STUCK_BYTES) end()
  }
  const writeState = () => write('state', snapshot())
  const writeEntry = (entry: Entry) => {
    const isSlow = response.writableLength > SLOW_BYTES
    write(entry.type, isSlow && entry.type === 'message' ? { ...entry, body: '', isCut: true } : entry, entry.n)
  }
  const stops = [log.listen(writeEntry), changes.listen(writeState)]
  const timer = setInterval(() => response.write(':\n\n'), KEEP_ALIVE_MS)
  const end = () => {
    clearInterval(timer)
    for (const stop of stops.splice(0)) stop()
    response.end()
  }
  response.on('close', end)
  writeState()
  // A number from before a restart of this process is none of ours.
  const missed = log.after(lastSeen > log.last ? 0 : lastSeen)
  write('catch-up', { first: missed[0]?.n ?? log.last + 1, count: missed.length })
  for (const entry of missed) writeEntry(entry)
  return end
}
