// Ends the stream of a node that was lost: its open requests are answered with an error.
import type { Logs } from '../../../backend/logs.ts'
import { encodeMessage } from '../../../dispatcher/encode.ts'
import { ErrorCode } from '../../../types/errors/error-codes.ts'
import { JSONRPC_VERSION, type RequestId } from '../../../types/protocol/jsonrpc.ts'
import { EventJoiner, entriesOf, readEntry } from './log-entry.ts'
import { LOG_TTL_MS } from './log-events.ts'

const NODE_LOST = 'The node that served this request was lost'

/**
 * Ends the log in place of its writer. The fence is the number: a writer that comes back has the same one, and only one of the two
 * gets it. `knownIds` are those that the client has sent back. `false` where nobody knows what the stream answered.
 */
export async function endLostLog(
  logs: Logs,
  log: string,
  node: string,
  knownIds: readonly RequestId[],
): Promise<boolean> {
  const { ids = knownIds, answered, lastSeq, isEnded } = await readLog(logs, log)
  if (isEnded) return true
  if (lastSeq === 0 && ids.length === 0) return false
  const open = ids.filter((id) => !answered.has(id))
  const texts = open.length === 0 ? [''] : open.map(errorFor)
  for (const [index, text] of texts.entries()) {
    const seq = lastSeq + index + 1
    // An error is never so large that it takes two entries, unless its id is.
    const [data = ''] = entriesOf(text, seq === 1 ? ids : undefined)
    const isLast = index === texts.length - 1
    const outcome = await logs.append(log, { seq, data }, { writer: node, ttlMs: LOG_TTL_MS, isLast })
    // Its writer is back, or another node was faster: what the log says counts.
    if (outcome === 'conflict') return true
  }
  return true
}

interface LogState {
  readonly ids: readonly RequestId[] | undefined
  /** Of a batch: the requests that have their answer already. */
  readonly answered: ReadonlySet<RequestId>
  readonly lastSeq: number
  readonly isEnded: boolean
}

async function readLog(logs: Logs, log: string): Promise<LogState> {
  const joiner = new EventJoiner()
  const answered = new Set<RequestId>()
  let ids: readonly RequestId[] | undefined
  let after = 0
  for (;;) {
    const page = await logs.read(log, after)
    if (page === undefined) return { ids, answered, lastSeq: after, isEnded: false }
    for (const entry of page.entries) {
      after = entry.seq
      if (after === 1) ids = readEntry(entry.data).ids
      const event = ids !== undefined && ids.length > 1 ? joiner.take(entry) : undefined
      if (event !== undefined) for (const id of answersIn(event.data)) answered.add(id)
    }
    if (page.isEnded) return { ids, answered, lastSeq: page.lastSeq, isEnded: true }
    if (page.entries.length === 0 || after >= page.lastSeq) return { ids, answered, lastSeq: after, isEnded: false }
  }
}

/** The ids of the requests that a stored message answers. */
function answersIn(text: string): readonly RequestId[] {
  if (text === '') return []
  const message = JSON.parse(text) as { id?: RequestId | null; method?: string }
  return message.method === undefined && message.id !== undefined && message.id !== null ? [message.id] : []
}

function errorFor(id: RequestId): string {
  return encodeMessage({
    jsonrpc: JSONRPC_VERSION,
    id,
    error: { code: ErrorCode.InternalError, message: NODE_LOST },
  })
}
