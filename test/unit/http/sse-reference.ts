// Server-sent events parsed the slow way, sentence by sentence as the WHATWG standard puts it: what the reader is held against.
import type { ReadEvent } from '../../../src/http/sse-reader.ts'

export interface ParsedStream {
  events: ReadEvent[]
  retries: number[]
  comments: number
  /** Those that came without an event. */
  ids: string[]
}

/** `id` is that of the event alone, where the standard would also remember earlier ones. */
export function parseByTheStandard(bytes: Uint8Array): ParsedStream {
  const text = new TextDecoder().decode(bytes)
  const lines = text.split(/\r\n|\r|\n/)
  // What follows the last line end is no line.
  lines.pop()
  const events: ReadEvent[] = []
  const retries: number[] = []
  const ids: string[] = []
  let comments = 0
  let data: string[] = []
  let event: string | undefined
  let id: string | undefined
  for (const line of lines) {
    if (line === '') {
      if (data.length > 0) events.push({ data: data.join('\n'), event, id })
      else if (id !== undefined) ids.push(id)
      data = []
      event = undefined
      id = undefined
      continue
    }
    if (line.startsWith(':')) {
      comments += 1
      continue
    }
    const colon = line.indexOf(':')
    const field = colon === -1 ? line : line.slice(0, colon)
    const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '')
    if (field === 'data') data.push(value)
    if (field === 'event') event = value === '' ? undefined : value
    if (field === 'id' && !value.includes('\0')) id = value
    if (field === 'retry' && /^[0-9]+$/.test(value)) retries.push(Number(value))
  }
  return { events, retries, comments, ids }
}
