// One stream of JetStream: reads of one message, conditional writes, and deletes. The API of JetStream is JSON by request and reply.
import { BackendError } from '../../backend/backend-error.ts'
import { Code, JetStreamError } from '../connection/failures.ts'
import type { Link } from '../connection/link.ts'
import type { NatsMessage } from '../connection/nats-client.ts'
import { textOf } from '../connection/nats-client.ts'
import type { Trip } from '../connection/trip.ts'
import type { Clock } from './clock.ts'

/** The one header of ours: id of the write, time to live in milliseconds, and what the part that wrote it has to say. */
export const HEADER = 'Mcpwire'
const EXPECTED = 'Nats-Expected-Last-Subject-Sequence'
/** What a message takes beside its value. */
const OVERHEAD_BYTES = 8_192
/** Where the clock is known less exactly than this, nodes may differ for a while about what is over. */
const MAX_ERROR_MS = 50

export interface Stored {
  readonly subject: string
  readonly seq: number
  /** When the server stored it, by its clock. */
  readonly time: number
  readonly id: string
  readonly ttlMs: number
  readonly about: string
  readonly data: string
}

export interface Write {
  readonly id: string
  readonly ttlMs: number
  readonly data: string
  readonly about?: string
  /** The sequence of the message that is the newest of the subject, 0 where there must be none (default: any). */
  readonly expected?: number
}

interface Reply {
  readonly error?: { readonly err_code?: number; readonly code?: number; readonly description?: string }
  readonly seq?: number
  readonly message?: { subject: string; seq: number; hdrs?: string; data?: string; time: string }
}

export class Stream {
  readonly #link: Link
  readonly #clock: Clock
  readonly #nameOf: () => string
  #onWrite: () => void = () => {}

  constructor(link: Link, clock: Clock, nameOf: () => string) {
    this.#link = link
    this.#clock = clock
    this.#nameOf = nameOf
  }

  get name(): string {
    return this.#nameOf()
  }

  /** Called with each write. */
  onWrite(call: () => void): void {
    this.#onWrite = call
  }

  /**
   * False: its time is over, and it counts as absent, whoever removes it. Each node knows the clock of the engine only about. Within
   * that it waits, so that what is over for one node is over for all of them.
   */
  async isLive(trip: Trip, stored: Pick<Stored, 'time' | 'ttlMs'>): Promise<boolean> {
    for (;;) {
      const leftMs = this.#leftMs(stored)
      const errorMs = this.clockErrorMs
      if (Math.abs(leftMs) >= errorMs || trip.leftMs <= 0) return leftMs > 0
      await trip.pause(leftMs + errorMs)
    }
  }

  isSurelyLive(stored: Pick<Stored, 'time' | 'ttlMs'>): boolean {
    return this.#leftMs(stored) >= this.clockErrorMs
  }

  isSurelyOver(stored: Pick<Stored, 'time' | 'ttlMs'>): boolean {
    return this.#leftMs(stored) <= -this.clockErrorMs
  }

  get clockErrorMs(): number {
    return Math.min(this.#clock.errorMs, MAX_ERROR_MS)
  }

  /** The newest message of a subject, over or not. */
  last(trip: Trip, subject: string): Promise<Stored | undefined> {
    return this.#get(trip, `{"last_by_subj":${JSON.stringify(subject)}}`)
  }

  at(trip: Trip, seq: number): Promise<Stored | undefined> {
    return this.#get(trip, `{"seq":${seq}}`)
  }

  /** The first message at or after this sequence whose subject matches. */
  next(trip: Trip, seq: number, subject: string): Promise<Stored | undefined> {
    return this.#get(trip, `{"seq":${seq},"next_by_subj":${JSON.stringify(subject)}}`)
  }

  /** The sequence, or `undefined` where another message is the newest by now. */
  async write(trip: Trip, subject: string, write: Write): Promise<number | undefined> {
    // A value that ends with a space would lose it.
    const { id, ttlMs, data, about = '-', expected } = write
    const headers = this.#link.makeHeaders()
    headers.set(HEADER, `${id} ${Math.ceil(ttlMs)} ${about}`)
    if (expected !== undefined) headers.set(EXPECTED, String(expected))
    const reply = readReply(await trip.request(subject, data, headers))
    if (reply.error === undefined) {
      this.#onWrite()
      return reply.seq
    }
    if (reply.error.err_code === Code.WrongLastSequence) return undefined
    throw errorOf(reply)
  }

  /** False: the message is not there any more. */
  async delete(trip: Trip, seq: number): Promise<boolean> {
    const reply = readReply(await this.api(trip, `STREAM.MSG.DELETE.${this.name}`, `{"seq":${seq},"no_erase":true}`))
    if (reply.error === undefined) return true
    if (isAbsent(reply)) return false
    throw errorOf(reply)
  }

  /** Removes the messages of the subject, those before a sequence only where one is given. */
  async purge(trip: Trip, subject: string, before?: number): Promise<void> {
    const body = JSON.stringify({ filter: subject, ...(before !== undefined && { seq: before }) })
    const reply = readReply(await this.api(trip, `STREAM.PURGE.${this.name}`, body))
    if (reply.error !== undefined) throw errorOf(reply)
  }

  /** Throws where the server would not take it. */
  checkSize(operation: string, bytes: number): void {
    const most = this.#link.current?.info?.max_payload ?? Number.POSITIVE_INFINITY
    if (bytes + OVERHEAD_BYTES <= most) return
    const max = most - OVERHEAD_BYTES
    const message = `${operation} got a value of more than ${max} bytes, which is what NATS takes (max_payload).`
    throw new BackendError(message, { kind: 'too-large', operation, limit: { name: 'max_payload', max } })
  }

  api(trip: Trip, subject: string, body: string): Promise<NatsMessage> {
    return trip.request(`$JS.API.${subject}`, body)
  }

  #leftMs({ time, ttlMs }: Pick<Stored, 'time' | 'ttlMs'>): number {
    return time + ttlMs - this.#clock.now()
  }

  async #get(trip: Trip, body: string): Promise<Stored | undefined> {
    const reply = readReply(await this.api(trip, `STREAM.MSG.GET.${this.name}`, body))
    if (reply.message === undefined) {
      if (isAbsent(reply)) return undefined
      throw errorOf(reply)
    }
    const { subject, seq, hdrs = '', data = '', time } = reply.message
    const about = readHeader(headerIn(Buffer.from(hdrs, 'base64').toString('latin1')))
    return { subject, seq, time: Date.parse(time), ...about, data: Buffer.from(data, 'base64').toString('utf8') }
  }
}

export function readReply(message: NatsMessage): Reply {
  return JSON.parse(textOf(message)) as Reply
}

function isAbsent({ error }: Reply): boolean {
  const absent: readonly (number | undefined)[] = [Code.NoMessage, Code.NoSequence, Code.NotDeleted]
  return error !== undefined && absent.includes(error.err_code)
}

export function errorOf({ error }: Reply): JetStreamError {
  return new JetStreamError(error?.err_code ?? error?.code ?? 0, error?.description ?? 'no description')
}

/** What is not ours to read has no id and no time left: it counts as absent. */
export function readHeader(text: string): Pick<Stored, 'id' | 'ttlMs' | 'about'> {
  const first = text.indexOf(' ')
  const second = text.indexOf(' ', first + 1)
  const ttlMs = Number(text.slice(first + 1, second))
  if (first <= 0 || second < 0 || !(ttlMs > 0)) return { id: '', ttlMs: 0, about: '' }
  return { id: text.slice(0, first), ttlMs, about: text.slice(second + 1) }
}

function headerIn(block: string): string {
  const at = block.indexOf(`\r\n${HEADER}: `)
  if (at < 0) return ''
  const from = at + HEADER.length + 4
  return block.slice(from, block.indexOf('\r\n', from))
}
