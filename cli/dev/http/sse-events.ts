// Events of an event stream, one at a time, so that a stream is never cut in the middle of one.

const MAX_EVENT_BYTES = 16 * 1024 * 1024

/** Cuts a stream at the blank lines between events. */
export class EventSplitter {
  readonly #receive: (event: string) => void
  #held = ''
  readonly #decoder = new TextDecoder()

  constructor(receive: (event: string) => void) {
    this.#receive = receive
  }

  /** False where an event is larger than anything that a server sends. */
  push(chunk: Uint8Array): boolean {
    this.#held += this.#decoder.decode(chunk, { stream: true })
    const events = this.#held.split(/\r?\n\r?\n/)
    this.#held = events.pop() ?? ''
    for (const event of events) this.#receive(event)
    return this.#held.length <= MAX_EVENT_BYTES
  }
}

export interface ServerEvent {
  /** Lines other than `id` and `data`. */
  readonly fields: readonly string[]
  readonly id: string | undefined
  readonly data: string | undefined
}

export function parseEvent(text: string): ServerEvent {
  const lines = text.split(/\r?\n/)
  const readValue = (line: string, name: string) => line.slice(name.length + 1).replace(/^ /, '')
  const ids = lines.filter((line) => line.startsWith('id:')).map((line) => readValue(line, 'id'))
  const data = lines.filter((line) => line.startsWith('data:')).map((line) => readValue(line, 'data'))
  return {
    fields: lines.filter((line) => !/^(?:id|data):/.test(line)),
    id: ids.at(-1),
    data: data.length === 0 ? undefined : data.join('\n'),
  }
}

export function writeEvent({ fields, id, data }: ServerEvent): string {
  return [
    ...fields.filter((line) => line !== ''),
    ...(id === undefined ? [] : [`id: ${id}`]),
    ...(data === undefined ? [] : data.split('\n').map((line) => `data: ${line}`)),
    '',
    '',
  ].join('\n')
}

export function messageEvent(message: object): string {
  return writeEvent({ fields: ['event: message'], id: undefined, data: JSON.stringify(message) })
}

// An event id belongs to the version of the server that sent it: another one cannot resume after it.

export function tagEventId(generation: number, id: string): string {
  return `${generation}.${id}`
}

/** `undefined` where another version sent it. */
export function untagEventId(generation: number, tagged: string): string | undefined {
  const start = `${generation}.`
  return tagged.startsWith(start) ? tagged.slice(start.length) : undefined
}
