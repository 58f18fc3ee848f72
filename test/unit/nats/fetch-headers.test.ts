// Messages of a stream in batches, when the server counts some that are gone by the time they are fetched.
import { expect, it } from 'vitest'
import type { Link } from '../../../src/nats/connection/link.ts'
import type { Trip } from '../../../src/nats/connection/trip.ts'
import { fetchHeaders } from '../../../src/nats/engine/fetch-headers.ts'
import type { Stream } from '../../../src/nats/engine/stream.ts'

/** A server that counts, for each consumer, more messages than it delivers. */
function server(deliveries: readonly { readonly counted: number; readonly seqs: readonly number[] }[], all: number[]) {
  const waits: number[] = []
  let consumers = -1
  const asReply = (value: object) => ({ string: () => JSON.stringify(value), data: Buffer.from(JSON.stringify(value)) })
  const stream = {
    name: 'S',
    api: async (_trip: unknown, subject: string) => {
      if (!subject.startsWith('CONSUMER.CREATE')) return asReply({})
      consumers += 1
      return asReply({ name: `c${consumers}`, num_pending: deliveries[consumers]?.counted ?? 0 })
    },
    next: async (_trip: unknown, seq: number) => all.find((one) => one >= seq),
  }
  let callback: (error: null, message: object) => void = () => {}
  const link = {
    timeoutMs: 2_000,
    guard: () => () => {},
    live: {
      subscribe: (_inbox: string, options: { callback: typeof callback }) => {
        callback = options.callback
        return { unsubscribe: () => {} }
      },
      publish: (_subject: string, body: string) => {
        waits.push((JSON.parse(body) as { expires: number }).expires / 1_000_000)
        const { counted, seqs } = deliveries[consumers] as (typeof deliveries)[number]
        const headers = { get: () => 'id 1000 -' }
        for (const seq of seqs) callback(null, { subject: 's', reply: `$JS.ACK.S.c.1.${seq}.1.1000000.0`, headers })
        if (seqs.length < counted) callback(null, { subject: 's' })
      },
    },
  }
  const trip = { operation: 'tasks.claim', leftMs: 2_000 } as unknown as Trip
  const fetch = (max = 100) =>
    fetchHeaders(link as unknown as Link, trip, stream as unknown as Stream, 's', 1, max).then(
      ({ messages, next }) => ({ seqs: messages.map(({ seq }) => seq), next }),
    )
  return { fetch, waits }
}

it('what was counted and is gone is waited for 50 ms at most', async () => {
  const { fetch, waits } = server([{ counted: 4, seqs: [1, 3] }], [1, 3])
  expect(await fetch()).toEqual({ seqs: [1, 3], next: undefined })
  expect(waits).toEqual([50])
})

it('what a slow server has not delivered in that time is fetched again: nothing is left out', async () => {
  const { fetch } = server(
    [
      { counted: 4, seqs: [1, 3] },
      { counted: 2, seqs: [5, 6] },
    ],
    [1, 3, 5, 6],
  )
  expect(await fetch()).toEqual({ seqs: [1, 3, 5, 6], next: undefined })
})

it('a page ends at its limit and says where the next one begins', async () => {
  const { fetch } = server(
    [
      { counted: 6, seqs: [1] },
      { counted: 5, seqs: [2, 3] },
    ],
    [1, 2, 3, 4, 5],
  )
  expect(await fetch(3)).toEqual({ seqs: [1, 2, 3], next: 4 })
})
