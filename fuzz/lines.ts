// The line reader: the same messages for any chunks, nothing thrown, and linear time.
import fc from 'fast-check'
import type { Receiver } from '../src/dispatcher/channel.ts'
import { decodeMessage } from '../src/dispatcher/decode.ts'
import { NdjsonReader } from '../src/dispatcher/ndjson.ts'
import { NODE_BYTES } from '../src/node/stdio/byte-tools.ts'
import { WEB_BYTES } from '../src/primitives/byte-tools.ts'
import { SearchedBytes } from '../test/support/counted-bytes.ts'
import { bytesOf, cutAt, cuts, nearlyJSON } from './pieces.ts'
import { asProperty, demand, demandAlike, type FuzzTarget } from './target.ts'

const LIMITS = { maxBytes: 4_000, maxDepth: 8, maxElements: 60 }
const NEWLINE = 0x0a

/** Unclosed strings, long and nested enough that the reader scans them. */
const unclosed = fc
  .tuple(fc.constantFrom('"', '\\"', '"\\'), fc.constantFrom('[', '{', 'x'), fc.constantFrom('', '"', '\\"', '\\'))
  .map(([start, filler, end]) => `${start}${filler.repeat(45)}${end}`)
const line = fc.oneof(nearlyJSON, unclosed, fc.constantFrom('', ' ', '{"a":1}', 'x'.repeat(5_000)))
const text = fc
  .array(fc.tuple(line, fc.constantFrom('\n', '\r\n'), fc.constantFrom(1, 1, 2, 40)), { maxLength: 12 })
  .map((lines) =>
    lines.map(([one, end, times]) => (one.replaceAll('\n', ' ') + end).repeat(one.length > 99 ? 1 : times)),
  )
  .map((lines) => lines.join(''))

/** The expected messages: each line parsed by itself. */
function messagesIn(bytes: Uint8Array): { messages: unknown[]; hasLong: boolean } {
  const messages: unknown[] = []
  let hasLong = false
  let start = 0
  for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, start)) {
    const line = bytes.slice(start, end)
    start = end + 1
    hasLong ||= line.length > LIMITS.maxBytes
    if (line.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d)) continue
    try {
      messages.push(decodeMessage(line, LIMITS))
    } catch {
      // The reader reports and skips it.
    }
  }
  return { messages, hasLong }
}

export const linesTarget: FuzzTarget = {
  name: 'lines',
  about: 'the line reader reads the message of each line, for any chunks, in linear time',
  runs: 1_000,
  property: asProperty(
    fc.asyncProperty(bytesOf(text), cuts, fc.boolean(), async (bytes, places, isNode) => {
      const read: unknown[] = []
      const receiver: Receiver = {
        message: (message) => {
          read.push(message)
          return undefined
        },
        fault: () => {},
        lost: () => {},
        closed: () => {},
      }
      let isHopeless = false
      const reader = new NdjsonReader(receiver, {
        limits: LIMITS,
        tools: isNode ? NODE_BYTES : WEB_BYTES,
        onHopeless: () => {
          isHopeless = true
        },
      })
      SearchedBytes.counter = { looked: 0 }
      for (const piece of cutAt(bytes, places)) await reader.feed(new SearchedBytes(piece))
      reader.end()
      // For the ends of lines in a piece and in its run, and for those of strings, twice where a line is walked again.
      demand(SearchedBytes.counter.looked <= 8 * bytes.length + 64, `looked ${SearchedBytes.counter.looked} times`)
      const { messages, hasLong } = messagesIn(bytes)
      if (isHopeless) demand(hasLong, 'gave up without a long line')
      else demandAlike(read, messages, 'other messages')
    }),
  ),
}
