// What the relay must know of a message to pass it on: its kind, its id and its method. Found by one walk over the bytes of the line,
// without making objects of what is inside.

export interface Envelope {
  readonly kind: 'request' | 'notification' | 'response' | 'batch' | 'other'
  /** The id in one spelling, such as `1` or `"a"`. */
  readonly id?: string
  /** Where the id stands in the line. */
  readonly idStart?: number
  readonly idEnd?: number
  readonly method?: string
}

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a]
const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_LIST, CLOSE_LIST] = [0x7b, 0x7d, 0x5b, 0x5d]

const OTHER: Envelope = { kind: 'other' }

/** Of duplicate keys the last one counts, as for the server. A line that is not JSON is `other`. */
export function readEnvelope(line: Uint8Array): Envelope {
  let at = skipSpace(line, 0)
  if (line[at] === OPEN_LIST) return { kind: 'batch' }
  if (line[at] !== OPEN_OBJECT) return OTHER
  let [idStart, idEnd] = [-1, -1]
  let method: string | undefined
  let isAnswer = false
  at = skipSpace(line, at + 1)
  while (line[at] !== CLOSE_OBJECT) {
    if (line[at] !== QUOTE) return OTHER
    const keyEnd = skipString(line, at)
    const key = readText(line, at, keyEnd)
    at = skipSpace(line, keyEnd)
    if (line[at] !== COLON) return OTHER
    at = skipSpace(line, at + 1)
    const end = skipValue(line, at)
    if (end <= at) return OTHER
    if (key === 'id') [idStart, idEnd] = [at, end]
    if (key === 'method') method = line[at] === QUOTE ? readText(line, at, end) : undefined
    if (key === 'result' || key === 'error') isAnswer = true
    at = skipSpace(line, end)
    if (line[at] === COMMA) at = skipSpace(line, at + 1)
    else if (line[at] !== CLOSE_OBJECT) return OTHER
  }
  const id = idStart === -1 ? undefined : readId(line, idStart, idEnd)
  if (method !== undefined)
    return id === undefined ? { kind: 'notification', method } : { kind: 'request', method, id, idStart, idEnd }
  return isAnswer && id !== undefined ? { kind: 'response', id, idStart, idEnd } : OTHER
}

/** The same message with another id, given as JSON. */
export function replaceId(line: Uint8Array, { idStart = 0, idEnd = 0 }: Envelope, id: string): Buffer {
  return Buffer.concat([line.subarray(0, idStart), Buffer.from(id), line.subarray(idEnd)])
}

function skipSpace(line: Uint8Array, from: number): number {
  let at = from
  while (line[at] === 0x20 || line[at] === 0x09 || line[at] === 0x0d || line[at] === 0x0a) at += 1
  return at
}

/** From the opening quote to behind the closing one. */
function skipString(line: Uint8Array, from: number): number {
  for (let at = from + 1; at < line.length; at += 1) {
    if (line[at] === BACKSLASH) at += 1
    else if (line[at] === QUOTE) return at + 1
  }
  return line.length
}

function skipValue(line: Uint8Array, from: number): number {
  if (line[from] === QUOTE) return skipString(line, from)
  if (line[from] === OPEN_OBJECT || line[from] === OPEN_LIST) return skipNested(line, from)
  let at = from
  while (at < line.length && !isEnd(line[at] as number)) at += 1
  return at
}

function skipNested(line: Uint8Array, from: number): number {
  let depth = 0
  for (let at = from; at < line.length; at += 1) {
    const byte = line[at]
    if (byte === QUOTE) at = skipString(line, at) - 1
    else if (byte === OPEN_OBJECT || byte === OPEN_LIST) depth += 1
    else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) {
      depth -= 1
      if (depth === 0) return at + 1
    }
  }
  return line.length
}

function isEnd(byte: number): boolean {
  return byte === COMMA || byte === CLOSE_OBJECT || byte === CLOSE_LIST || byte <= 0x20
}

const MAX_TEXT = 1_000

function readText(line: Uint8Array, start: number, end: number): string {
  if (end - start > MAX_TEXT) return ''
  const value = parse(line, start, end)
  return typeof value === 'string' ? value : ''
}

/** `undefined` for what is no id, `null` included. */
function readId(line: Uint8Array, start: number, end: number): string | undefined {
  if (end - start > MAX_TEXT) return undefined
  const value = parse(line, start, end)
  return typeof value === 'string' || typeof value === 'number' ? JSON.stringify(value) : undefined
}

function parse(line: Uint8Array, start: number, end: number): unknown {
  try {
    return JSON.parse(Buffer.from(line.buffer, line.byteOffset + start, end - start).toString())
  } catch {
    return undefined
  }
}
