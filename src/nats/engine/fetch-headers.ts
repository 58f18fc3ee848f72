// Many messages of a stream at once, without their values: by a consumer that is made for it and removed.
import { callSafely } from '../../backend/feed/feed-listeners.ts'
import { ConnectionBroken, tooLate } from '../connection/failures.ts'
import type { Link } from '../connection/link.ts'
import { type NatsMessage, textOf } from '../connection/nats-client.ts'
import type { Trip } from '../connection/trip.ts'
import { errorOf, HEADER, readHeader, type Stored, type Stream } from './stream.ts'

export type StoredHeader = Omit<Stored, 'data'>

export interface HeaderPage {
  readonly messages: readonly StoredHeader[]
  /** The sequence to go on from (default: there is no more). */
  readonly next?: number
}

interface Consumer {
  readonly name: string
  /** How many messages there are for it. */
  readonly count: number
}

/** A consumer that is not removed goes by itself after so long. */
const CONSUMER_LIVES_MS = 10_000
/** Messages that were counted and are gone meanwhile are waited for so long: every claim of a busy node meets some. */
const LONGEST_PULL_MS = 50
const NANOSECONDS = 1_000_000
let inboxes = 0

/** What there is from the sequence on, oldest first, at most so many. */
export async function fetchHeaders(
  link: Link,
  trip: Trip,
  stream: Stream,
  filter: string,
  fromSeq: number,
  max: number,
): Promise<HeaderPage> {
  const found: StoredHeader[] = []
  for (let from = fromSeq; ; ) {
    const { name, count } = await makeConsumer(trip, stream, filter, from)
    const wanted = Math.min(count, max - found.length)
    const messages = count === 0 ? [] : await pull(link, trip, `${stream.name}.${name}`, wanted)
    stream.api(trip, `CONSUMER.DELETE.${stream.name}.${name}`, '').catch(() => {})
    found.push(...messages)
    const last = messages.at(-1)
    if (last !== undefined) from = last.seq + 1
    if (messages.length >= wanted) return count > wanted ? { messages: found, next: from } : { messages: found }
    // Those that are missing were replaced or removed since they were counted, or the server is slow.
    if ((await stream.next(trip, from, filter)) === undefined) return { messages: found }
  }
}

async function makeConsumer(trip: Trip, stream: Stream, filter: string, fromSeq: number): Promise<Consumer> {
  const config = {
    ack_policy: 'none',
    deliver_policy: 'by_start_sequence',
    opt_start_seq: Math.max(1, fromSeq),
    filter_subject: filter,
    headers_only: true,
    mem_storage: true,
    num_replicas: 1,
    inactive_threshold: CONSUMER_LIVES_MS * NANOSECONDS,
  }
  const body = JSON.stringify({ stream_name: stream.name, config })
  const reply = JSON.parse(textOf(await stream.api(trip, `CONSUMER.CREATE.${stream.name}`, body))) as {
    name?: string
    num_pending?: number
    error?: { err_code?: number; description?: string }
  }
  if (reply.name === undefined) throw errorOf(reply)
  return { name: reply.name, count: reply.num_pending ?? 0 }
}

function pull(link: Link, trip: Trip, consumer: string, batch: number): Promise<StoredHeader[]> {
  const connection = link.live
  if (connection === undefined) return Promise.reject(new ConnectionBroken('there is no connection'))
  inboxes += 1
  const inbox = `_INBOX.mcpwire.${process.pid.toString(36)}.${Math.random().toString(36).slice(2)}.${inboxes}`
  return new Promise((resolve, reject) => {
    const messages: StoredHeader[] = []
    const end = () => {
      clearTimeout(timer)
      unguard()
      callSafely(() => subscription.unsubscribe())
    }
    const fail = (error: Error) => {
      end()
      reject(error)
    }
    const timer = setTimeout(() => fail(tooLate(trip.operation, link.timeoutMs, 'not-done')), Math.max(1, trip.leftMs))
    const unguard = link.guard(fail)
    const subscription = connection.subscribe(inbox, {
      callback: (error: Error | null, message: unknown) => {
        const found = error === null ? readDelivery(message as NatsMessage) : undefined
        if (found !== undefined && messages.push(found) < batch) return
        // All of them, or a status: there is no more.
        end()
        resolve(messages)
      },
    })
    const body = JSON.stringify({ batch, expires: LONGEST_PULL_MS * NANOSECONDS })
    connection.publish(`$JS.API.CONSUMER.MSG.NEXT.${consumer}`, body, { reply: inbox })
  })
}

/** `$JS.ACK.<stream>.<consumer>.<deliveries>.<sequence>.<of the consumer>.<nanoseconds>.<pending>`; newer servers have two more parts before the stream. */
function readDelivery({ subject, reply = '', headers }: NatsMessage): StoredHeader | undefined {
  const parts = reply.split('.')
  if (parts[1] !== 'ACK') return undefined
  const skipped = parts.length > 9 ? 2 : 0
  const [seq, , nanoseconds] = parts.slice(5 + skipped)
  const header = readHeader(headers?.get(HEADER) ?? '')
  return { subject, seq: Number(seq), time: Number(nanoseconds) / NANOSECONDS, ...header }
}
