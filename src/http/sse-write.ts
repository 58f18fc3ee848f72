// Server-sent events as the text that goes over the wire.
import { rangeError } from '../primitives/help.ts'
import type { ReplyHeaders, ServerSentEvent } from './exchange.ts'

/** The headers of every event stream: it is for one reader, and proxies must not buffer it. */
export const EVENT_STREAM_HEADERS: ReplyHeaders = Object.freeze({
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-store, no-transform',
  'x-accel-buffering': 'no',
})

const LINE_END = /\r\n|\r|\n/
const BREAKS_A_FIELD = /[\r\n\0]/

/** One event. Throws `RangeError` for a name or id with a line break, which would forge another field. */
export function formatEvent({ data, event, id, retryMs }: ServerSentEvent): string {
  // JSON has no raw line breaks, so these are how nearly every event is written.
  if (event === undefined && retryMs === undefined && !LINE_END.test(data)) {
    return id === undefined ? `data: ${data}\n\n` : `id: ${fieldValue('id', id)}\ndata: ${data}\n\n`
  }
  let text = ''
  if (event !== undefined) text += `event: ${fieldValue('event', event)}\n`
  if (id !== undefined) text += `id: ${fieldValue('id', id)}\n`
  if (retryMs !== undefined) text += `retry: ${Math.max(0, Math.round(retryMs))}\n`
  for (const line of data.split(LINE_END)) text += `data: ${line}\n`
  return `${text}\n`
}

/** A comment, which readers skip. */
export function formatComment(text: string): string {
  return `: ${text.split(LINE_END).join(' ')}\n\n`
}

function fieldValue(field: string, value: string): string {
  if (BREAKS_A_FIELD.test(value))
    throw rangeError('wrong-argument', `The ${field} of a server-sent event must be one line`)
  return value
}
