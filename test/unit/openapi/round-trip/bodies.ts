// The body of a recorded request, read by its Content-Type.
import type { Recorded } from '../support.ts'
import { memberOf, readForm, shapesOf } from './decode.ts'
import { type Document, type Media, objectOf, type Schema } from './document.ts'

export interface ReadBody {
  readonly value: unknown
  /** Whether it has a form that the schema of the document describes: files of a form are described by other means. */
  readonly isDescribed: boolean
}

class ReadFile {
  readonly data: string
  readonly name: string
  readonly type: string

  constructor(data: string, name: string, type: string) {
    this.data = data
    this.name = name
    this.type = type
  }
}

export function readBody(document: Document, media: Media, { headers, body }: Recorded): ReadBody {
  const type = headers['content-type'] ?? ''
  const text = Buffer.from(body, 'latin1').toString()
  if (/^application\/(?:jsonl|x-ndjson|json-seq)/.test(type))
    return { value: readLines(type, text), isDescribed: false }
  if (/json/.test(type)) return { value: JSON.parse(text), isDescribed: true }
  if (type.startsWith('application/x-www-form')) return { value: readForm(document, media, text), isDescribed: true }
  if (type.startsWith('multipart/')) return { value: readParts(document, media, type, body), isDescribed: false }
  const isText = /^text\/|xml|yaml/.test(type)
  return { value: isText ? text : Buffer.from(body, 'latin1').toString('base64'), isDescribed: false }
}

function readLines(type: string, text: string): unknown[] {
  const isSequence = type.startsWith('application/json-seq')
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      if (isSequence !== line.startsWith('\u001e')) throw new Error(`The line ${line} is not of the type ${type}.`)
      return JSON.parse(isSequence ? line.slice(1) : line)
    })
}

/** RFC 7578. A file is what an argument says of it: its bytes, its name and its type. */
function readParts(document: Document, { schema }: Media, type: string, body: string): Schema {
  const boundary = /boundary=("?)([^";]+)\1/.exec(type)?.[2] ?? ''
  const [before, ...parts] = `\r\n${body}`.split(`\r\n--${boundary}`)
  if (before !== '' || parts.pop()?.startsWith('--') !== true)
    throw new Error('The parts have no proper beginning or end.')
  const value: Schema = {}
  for (const part of parts) {
    const end = part.indexOf('\r\n\r\n')
    const head = Buffer.from(part.slice(0, end), 'latin1').toString()
    const content = Buffer.from(part.slice(end + 4), 'latin1')
    const name = withMarks(/ name="([^"]*)"/.exec(head)?.[1] ?? '')
    const fileName = / filename="([^"]*)"/.exec(head)?.[1]
    const partType = /content-type: *([^\r\n]+)/i.exec(head)?.[1] ?? 'text/plain'
    const member = memberOf(document, schema, name)
    const isList = shapesOf(document, member)[0] === 'array'
    const read =
      fileName === undefined
        ? readPart(partType, content)
        : new ReadFile(content.toString('base64'), withMarks(fileName), partType)
    const list = Object.hasOwn(value, name) ? (value[name] as unknown[]) : []
    value[name] = isList ? [...list, read] : read
  }
  return value
}

function readPart(type: string, content: Buffer): unknown {
  return /json/.test(type) ? JSON.parse(content.toString()) : content.toString()
}

function withMarks(text: string): string {
  return text.replaceAll('%22', '"').replaceAll('%0D', '\r').replaceAll('%0A', '\n')
}

/** Whether a value that was read is the one that was sent. A text may write a number where the document names no type. */
export function isSame(read: unknown, sent: unknown): boolean {
  if (Object.is(read, sent)) return true
  if (Array.isArray(read) && Array.isArray(sent)) {
    return read.length === sent.length && read.every((item, index) => isSame(item, sent[index]))
  }
  if (isObject(read) && isObject(sent)) {
    if (read instanceof ReadFile) return isSameFile(read, sent)
    const given = Object.entries(sent).filter(([, member]) => member !== undefined)
    return (
      Object.keys(read).length === given.length &&
      given.every(([key, member]) => Object.hasOwn(read, key) && isSame(read[key], member))
    )
  }
  if (read instanceof ReadFile) return read.data === Buffer.from(String(sent)).toString('base64')
  return typeof read === 'string' && typeof sent !== 'object' && read === String(sent)
}

function isSameFile(read: ReadFile, { data, name, mimeType }: Schema): boolean {
  const isNamed = name === undefined || name === '' || name === read.name
  return read.data === data && isNamed && (mimeType === undefined || mimeType === read.type)
}

function isObject(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && objectOf(value) === value
}
