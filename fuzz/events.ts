// Event streams: parsed as the WHATWG standard requires, for any bytes in any chunks.
import fc from 'fast-check'
import { type ReadEvent, readServerSentEvents } from '../src/http/sse-reader.ts'
import { LimitError } from '../src/types/errors/failures.ts'
import { parseByTheStandard } from '../test/unit/http/sse-reference.ts'
import { bytesOf, cutAt, cuts } from './pieces.ts'
import { asProperty, demand, demandAlike, type FuzzTarget } from './target.ts'

const piece = fc.constantFrom(
  ...['data', 'event', 'id', 'retry', 'dat', 'x', ':', ': ', ':  ', ' ', '\r', '\n', '\r\n', '\n\n', '\0', '12', '-1'],
  ...['\ufeff', 'é', '😀', '\u2028', 'y'.repeat(60), '{"a":1}', 'data: z\n\n', 'id: 7\n', ':ping\n\n'],
)
const text = fc.array(piece, { maxLength: 80 }).map((pieces) => pieces.join(''))
const stream = fc.oneof(bytesOf(text), fc.uint8Array({ maxLength: 80 }))

async function* inTurn(chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks
}

export const eventsTarget: FuzzTarget = {
  name: 'events',
  about: 'event streams are parsed as the standard requires, or rejected if an event is too long',
  runs: 6_000,
  property: asProperty(
    fc.asyncProperty(stream, cuts, fc.constantFrom(50, 100_000), async (bytes, places, maxEventBytes) => {
      const events: ReadEvent[] = []
      const retries: number[] = []
      const ids: string[] = []
      let comments = 0
      let isRefused = false
      try {
        await readServerSentEvents(inTurn(cutAt(bytes, places)), {
          maxEventBytes,
          onEvent: (event) => void events.push(event),
          onRetry: (ms) => void retries.push(ms),
          onId: (id) => void ids.push(id),
          onComment: () => {
            comments += 1
          },
        })
      } catch (error) {
        demand(error instanceof LimitError, String(error))
        isRefused = true
      }
      const expected = parseByTheStandard(bytes)
      if (!isRefused) {
        demandAlike({ events, retries, comments, ids }, expected, 'another reading')
        return
      }
      demandAlike(events, expected.events.slice(0, events.length), 'other events before the refusal')
      demand(bytes.length > maxEventBytes, 'rejected a stream that is within the limit of an event')
    }),
  ),
}
