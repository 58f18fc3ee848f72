// What a log holds of a stream: one entry per event, several for an event that is too large for one.
import type { LogEntry } from '../../../backend/logs.ts'
import type { RequestId } from '../../../types/protocol/jsonrpc.ts'
import { isLarge, splitText } from '../../cluster/large-messages.ts'
import type { StoredEvent } from '../streams/event-store.ts'
import { parseIds } from './stream-name.ts'

/**
 * The first line: the version; `e` for an event, `p` for a part of one with more to come, `f` for its final part, `t` for a new
 * turn; then the turn, or in entry 1 the ids of the requests, or in a log with many writers the mark of the event, as a list of one.
 */
const HEAD = /^1([epft])(.*)$/
const MARK = /^[\w-]{1,64}$/
const VERSION = /^[1-9][0-9]{0,3}[a-z]/
/** Ids that take more are not stored: the requests of such a stream get no answer where its node is lost. */
const MAX_IDS_LENGTH = 16 * 1024
const MAX_HEAD_LENGTH = MAX_IDS_LENGTH + 2
/** What an event may have at most, as far as a log may be long. */
const MAX_PARTS = 256

const EVENT = '1e\n'
const PART = '1p\n'
const FINAL_PART = '1f\n'

/** An entry that this release cannot read. */
export class UnreadableEntryError extends Error {
  readonly isNewer: boolean
  constructor(isNewer: boolean) {
    super(isNewer ? 'An event was stored by a newer release.' : 'An event in the backend could not be read.')
    this.name = 'UnreadableEntryError'
    this.isNewer = isNewer
  }
}

/** The entries of one event. `ids` are given with the first event of a stream that answers requests. */
export function entriesOf(data: string, ids?: readonly RequestId[]): readonly string[] {
  if (!isLarge(data) && ids === undefined) return [EVENT + data]
  const parts = isLarge(data) ? splitText(data) : [data]
  const given = ids === undefined ? '' : JSON.stringify(ids)
  return parts.map((part, index) => {
    const lastHead = parts.length === 1 ? EVENT : FINAL_PART
    const head = index === parts.length - 1 ? lastHead : PART
    return index === 0 && given.length <= MAX_IDS_LENGTH ? `${head.trimEnd()}${given}\n${part}` : head + part
  })
}

/** The one entry of an event in a log with many writers, where parts of two events could mix. No other entry may have its mark. */
export function eventEntryOf(data: string, mark: string): string {
  return `1e["${mark}"]\n${data}`
}

/** Says to whoever carries the stream on an older turn that another connection has it now. */
export function turnEntryOf(turn: number): string {
  return `1t${turn}\n`
}

export interface ReadEntry {
  readonly kind: 'event' | 'part' | 'final-part' | 'turn'
  readonly text: string
  readonly ids: readonly RequestId[] | undefined
  /** Of kind `turn`: from here on the connection of this turn carries the stream. */
  readonly turn: number | undefined
  /** What tells an entry of a log with many writers from any other that may get its number. */
  readonly mark: string | undefined
}

const KINDS = { e: 'event', p: 'part', f: 'final-part', t: 'turn' } as const

/** Throws `UnreadableEntryError`. */
export function readEntry(data: string): ReadEntry {
  const length = data.indexOf('\n')
  const head = length < 0 || length > MAX_HEAD_LENGTH ? undefined : HEAD.exec(data.slice(0, length))
  if (head === undefined || head === null) throw new UnreadableEntryError(VERSION.test(data) && data[0] !== '1')
  const [, letter, rest = ''] = head
  const kind = KINDS[letter as keyof typeof KINDS]
  const turn = kind === 'turn' ? Number(rest) : undefined
  const ids = kind === 'turn' || rest === '' ? undefined : parseIds(rest)
  const isWhole = kind === 'turn' ? Number.isSafeInteger(turn) : rest === '' || ids !== undefined
  if (!isWhole) throw new UnreadableEntryError(false)
  const mark = kind === 'turn' ? `t${turn}` : ids?.[0]
  const isMark = typeof mark === 'string' && MARK.test(mark)
  return { kind, text: data.slice(length + 1), ids, turn, mark: isMark ? mark : undefined }
}

interface JoinedEvent extends StoredEvent {
  readonly turn?: number | undefined
  readonly mark: string | undefined
}

/** Puts events together from the entries of a log, in order. */
export class EventJoiner {
  #parts: string[] | undefined

  /** The event that ends with this entry; `undefined` where more of it is to come, or the entry is no event. */
  take({ seq, data }: LogEntry): JoinedEvent | undefined {
    const { kind, text, turn, mark } = readEntry(data)
    if (kind === 'turn') return { id: `${seq}`, data: '', turn, mark }
    if (kind === 'part') {
      this.#parts ??= []
      if (this.#parts.push(text) > MAX_PARTS) throw new UnreadableEntryError(false)
      return undefined
    }
    // The rest of an event whose writer was lost in the middle of it never comes.
    const parts = kind === 'final-part' ? this.#parts : undefined
    this.#parts = undefined
    return { id: `${seq}`, data: parts === undefined ? text : parts.join('') + text, mark }
  }
}
