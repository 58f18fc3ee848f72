// Many messages of a stream at once, without their values: by a consumer that lives for a while.
import { callSafely } from '../../backend/feed/feed-listeners.ts'
import { ConnectionBroken, tooLate } from '../connection/failures.ts'
import type { Link, Trip } from '../connection/link.ts'
import { type NatsMessage, textOf } from '../connection/nats-client.ts'
import { errorOf, HEADER, readHeader, type Stored, type Stream } from './stream.ts'

export type StoredHeader = Omit<Stored, 'data'>

export interface HeaderPage {
  readonly messages: readonly StoredHeader[]
  /** How many more there are. */
  readonly pending: number
}

/** A consumer that nobody asks for so long is removed by the server. */
export const CONSUMER_LIVES_MS = 60_000
const NANOSECONDS = 1_000_000
let inboxes = 0

/** Begins at the sequence. Resolves to the name of the consumer. */
export async function makeConsumer(trip: Trip, stream: Stream, filter: string, fromSeq: number): Promise<string> {
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
    error?: { err_code?: number; description?: string }
  }
  if (reply.name === undefined) throw errorOf(reply)
  return reply.name
}

export async function removeConsumer(trip: Trip, stream: Stream, consumer: string): Promise<void> {
  await stream.api(trip, `CONSUMER.DELETE.${stream.name}.${consumer}`, '')
}

/** What there is by now, at most so many. Rejects where the consumer does not answer, as one that is gone. */
export function fetchHeaders(
  link: Link,
  trip: Trip,
  stream: Stream,
  consumer: string,
  max: number,
): Promise<HeaderPage> {
  const connection = link.live
  if (connection === undefined) return Promise.reject(new ConnectionBroken('there is no connection'))
  inboxes += 1
  const inbox = `_INBOX.mcpwire.${process.pid.toString(36)}.${Math.random().toString(36).slice(2)}.${inboxes}`
  return new Promise((resolve, reject) => {
    const messages: StoredHeader[] = []
    let pending = 0
    const end = () => {
      clearTimeout(timer)
      unguard()
      callSafely(() => subscription.unsubscribe())
    }
    const fail = (error: Error) => {
      end()
      reject(error)
    }
    const late = () => fail(tooLate(trip.operation, link.timeoutMs, 'not-done'))
    const timer = setTimeout(late, Math.max(1, trip.leftMs / 2))
    const unguard = link.guard(fail)
    const subscription = connection.subscribe(inbox, {
      callback: (error: Error | null, message: unknown) => {
        const found = error === null ? readDelivery(message as NatsMessage) : undefined
        if (found !== undefined) {
          messages.push(found)
          pending = found.pending
          if (pending > 0 && messages.length < max) return
        }
        // All of them, or a status: there is no more.
        end()
        resolve({ messages, pending })
      },
    })
    const body = JSON.stringify({ batch: max, no_wait: true })
    connection.publish(`$JS.API.CONSUMER.MSG.NEXT.${stream.name}.${consumer}`, body, { reply: inbox })
  })
}

/** `$JS.ACK.<stream>.<consumer>.<deliveries>.<sequence>.<of the consumer>.<nanoseconds>.<pending>`, with two more parts before on newer servers. */
function readDelivery({
  subject,
  reply = '',
  headers,
}: NatsMessage): (StoredHeader & { readonly pending: number }) | undefined {
  const parts = reply.split('.')
  if (parts[1] !== 'ACK') return undefined
  const skipped = parts.length > 9 ? 2 : 0
  const [seq, , nanoseconds, pending] = parts.slice(5 + skipped)
  const header = readHeader(headers?.get(HEADER) ?? '')
  return { subject, seq: Number(seq), time: Number(nanoseconds) / NANOSECONDS, ...header, pending: Number(pending) }
}
