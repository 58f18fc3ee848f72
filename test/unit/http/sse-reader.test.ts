import { createParser } from 'eventsource-parser'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type ReadEvent, readServerSentEvents } from '../../../src/http/sse-reader.ts'
import { LimitError } from '../../../src/types/errors/failures.ts'
import { cpuMilliseconds } from '../../support/cpu-time.ts'
import { type ParsedStream, parseByTheStandard } from './sse-reference.ts'

const MIB = 1024 * 1024
const encode = (text: string) => new TextEncoder().encode(text)

async function* inPieces(bytes: Uint8Array, cuts: readonly number[]): AsyncGenerator<Uint8Array> {
  let start = 0
  for (const cut of [...cuts, bytes.length]) {
    yield bytes.subarray(start, cut)
    start = cut
  }
}

async function* oneByOne(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let i = 0; i < bytes.length; i++) yield bytes.subarray(i, i + 1)
}

async function readAll(chunks: AsyncIterable<Uint8Array>, maxEventBytes = MIB): Promise<ParsedStream> {
  const events: ReadEvent[] = []
  const retries: number[] = []
  const ids: string[] = []
  let comments = 0
  await readServerSentEvents(chunks, {
    maxEventBytes,
    onEvent: (event) => void events.push(event),
    onRetry: (ms) => void retries.push(ms),
    onComment: () => {
      comments += 1
    },
    onId: (id) => void ids.push(id),
  })
  return { events, retries, comments, ids }
}

const readText = (text: string, maxEventBytes?: number) => readAll(inPieces(encode(text), []), maxEventBytes)

describe('reading server-sent events', () => {
  it('gives data, event and id, and leaves out what the stream left out', async () => {
    const { events } = await readText('event: message\nid: 7\ndata: {"a":1}\n\ndata: second\n\n')
    expect(events).toEqual([
      { data: '{"a":1}', event: 'message', id: '7' },
      { data: 'second', event: undefined, id: undefined },
    ])
  })

  const samples = {
    'line ends of all kinds': 'data: a\r\ndata: b\rdata: c\n\r\ndata: d\r\rdata: e\n\n',
    'a BOM once': '\ufeffdata: a\n\n\ufeffdata: not a field\n\n',
    'letters that look like the bytes of a BOM': '\u00ef\u00bb\u00bfdata: x\n\ndata: y\n\n',
    'characters of several bytes': 'data: äß€😀\u2028\n\nevent: 日本\ndata: 語\n\n',
    'comments, unknown fields, fields without a colon': ': hello\n:\nfoo: bar\ndata\ndata:x\ndata:  y\n\nretry\n\n',
    'ids without data': 'id: 1\n\nid: 2\nevent: x\n\nid\n\nid: 3\0\n\n: c\nid: 4\n\ndata: x\n\n',
    'empty data and ids': 'id: 1\ndata:\n\nid\ndata: x\n\nid: a\0b\ndata: y\n\n',
    'retry values': 'retry: 0\nretry: -1\nretry: 1e3\nretry: 1000000000000\nretry: x\nretry: 25\n\n',
    'half an event at the end': 'data: whole\n\ndata: half\n',
    'half a character at the end': 'data: whole\n\ndata: h',
  }
  for (const [what, text] of Object.entries(samples)) {
    it(`F144 ${what}, cut at every place, is read as the standard says`, async () => {
      const bytes = encode(text)
      const expected = parseByTheStandard(bytes)
      for (let cut = 0; cut <= bytes.length; cut++) {
        expect(await readAll(inPieces(bytes, [cut]))).toEqual(expected)
      }
      expect(await readAll(oneByOne(bytes))).toEqual(expected)
    })
  }

  it('F144 any stream is read as eventsource-parser reads it', async () => {
    const line = fc
      .tuple(
        fc.constantFrom('data', 'event', 'id', 'retry', 'other', 'dat', 'DATA', ''),
        fc.constantFrom(':', ': ', ':  ', ''),
        fc.constantFrom('', 'x', '12', 'ä€😀', 'a:b', ' '),
      )
      .map((parts) => parts.join(''))
    await fc.assert(
      fc.asyncProperty(fc.array(line, { maxLength: 30 }), fc.boolean(), async (lines, isClosed) => {
        const text = lines.join('\n') + (isClosed ? '\n\n' : '')
        const events: unknown[] = []
        const retries: number[] = []
        let comments = 0
        createParser({
          onEvent: ({ data, event, id }) => events.push({ data, event, id }),
          onRetry: (ms) => retries.push(ms),
          onComment: () => {
            comments += 1
          },
        }).feed(text)
        expect(await readText(text)).toMatchObject({ events, retries, comments })
      }),
      { seed: 145, numRuns: 1_000 },
    )
  })

  it('C-HTTP-11 F143 F144 any stream in any pieces is read as the standard says', async () => {
    const piece = fc.constantFrom(
      ...[
        'data',
        'event',
        'id',
        'retry',
        ':',
        ': ',
        ' ',
        '\r',
        '\n',
        '\r\n',
        '\n\n',
        'x',
        '€',
        '😀',
        '\0',
        '12',
        '\ufeff',
      ],
    )
    const bytes = fc.oneof(
      fc.array(piece, { maxLength: 60 }).map((pieces) => encode(pieces.join(''))),
      fc.uint8Array({ maxLength: 40 }),
    )
    const stream = bytes.chain((whole) =>
      fc.tuple(
        fc.constant(whole),
        fc.array(fc.nat(whole.length), { maxLength: 6 }).map((cuts) => cuts.sort((a, b) => a - b)),
      ),
    )
    await fc.assert(
      fc.asyncProperty(stream, async ([whole, cuts]) => {
        expect(await readAll(inPieces(whole, cuts))).toEqual(parseByTheStandard(whole))
      }),
      { seed: 144, numRuns: 500 },
    )
  })

  it('a lone CR ends an event at once, with nothing after it', async () => {
    const { events } = await readText('data: x\r\r')
    expect(events).toHaveLength(1)
  })

  it('waits for the promise of a listener before it reads on', async () => {
    const log: string[] = []
    async function* chunks() {
      yield encode('data: 1\n\ndata: 2\n\n')
      log.push('pulled')
      yield encode('data: 3\n\n')
    }
    await readServerSentEvents(chunks(), {
      maxEventBytes: MIB,
      onEvent: async ({ data }) => {
        await Promise.resolve()
        log.push(data)
      },
    })
    expect(log).toEqual(['1', '2', 'pulled', '3'])
  })

  it('a callback that throws ends the reading and lets the source go', async () => {
    let isReleased = false
    async function* chunks() {
      try {
        for (;;) yield encode('data: x\n\n')
      } finally {
        isReleased = true
      }
    }
    const reading = readServerSentEvents(chunks(), {
      maxEventBytes: MIB,
      onEvent: () => {
        throw new Error('enough')
      },
    })
    await expect(reading).rejects.toThrow('enough')
    expect(isReleased).toBe(true)
  })

  it('rejects with what the source threw', async () => {
    async function* chunks(): AsyncGenerator<Uint8Array> {
      yield encode('data: x\n\n')
      throw new Error('cut')
    }
    await expect(readAll(chunks())).rejects.toThrow('cut')
  })
})

describe('limits', () => {
  async function* endless(chunk: Uint8Array, counter: { bytes: number }) {
    for (;;) {
      counter.bytes += chunk.length
      yield chunk
    }
  }

  const floods = {
    'a line without end': 'x'.repeat(1000),
    'a comment without end': ':'.repeat(1000),
    'an event without end': `data: ${'x'.repeat(1000)}\n`,
    'an event of empty lines without end': 'data\n'.repeat(200),
  }
  for (const [what, text] of Object.entries(floods)) {
    it(`F149 R09 ${what} is given up soon after the limit`, async () => {
      const counter = { bytes: 0 }
      const reading = readAll(endless(encode(text), counter), 10_000)
      await expect(reading).rejects.toMatchObject({ limit: 'event bytes', max: 10_000 })
      await expect(reading).rejects.toBeInstanceOf(LimitError)
      expect(counter.bytes).toBeLessThan(60_000)
    })
  }

  it('F149 the limit counts bytes, and an event of exactly that size passes', async () => {
    expect((await readText(`data: ${'x'.repeat(100)}\n\n`, 100)).events).toHaveLength(1)
    expect((await readText(`data: ${'€'.repeat(33)}\n\n`, 100)).events).toHaveLength(1)
    await expect(readText(`data: ${'x'.repeat(101)}\n\n`, 100)).rejects.toBeInstanceOf(LimitError)
    await expect(readText(`data: ${'€'.repeat(34)}\n\n`, 100)).rejects.toBeInstanceOf(LimitError)
  })

  it('F149 what came before the oversized event is delivered', async () => {
    const events: string[] = []
    const bytes = encode(`data: good\n\ndata: ${'x'.repeat(5000)}\n\ndata: late\n\n`)
    const reading = readServerSentEvents(inPieces(bytes, []), {
      maxEventBytes: 100,
      onEvent: ({ data }) => void events.push(data),
    })
    await expect(reading).rejects.toBeInstanceOf(LimitError)
    expect(events).toEqual(['good'])
  })

  it('comments, however many, fill no event', async () => {
    const { comments } = await readText(': ping\n\n'.repeat(10_000), 100)
    expect(comments).toBe(10_000)
  })

  it('F150 R09 a million data lines, with one CR at the very end, take linear time', async () => {
    const lines = 1_000_000
    const bytes = encode(`${'data:\n'.repeat(lines)}\r`)
    const { events } = await readAll(inPieces(bytes, []), 16 * MIB)
    expect(events[0]?.data.length).toBe(lines - 1)
  })

  it('lines that mean nothing cost no more than a few looks each', async () => {
    const flood = 'x\n'.repeat(MIB / 2)
    const bytes = encode(flood)
    const ratios: number[] = []
    for (let attempt = 0; attempt < 5 && !ratios.some((ratio) => ratio < 10); attempt++) {
      const reference = cpuMilliseconds(() => flood.split('\n').filter((line) => line.indexOf(':') === 0))
      const before = process.cpuUsage()
      await readAll(inPieces(bytes, []))
      const { user, system } = process.cpuUsage(before)
      ratios.push((user + system) / 1_000 / reference)
    }
    // An error with a stack for each of them took a hundred times as long.
    expect(Math.min(...ratios)).toBeLessThan(10)
  })

  const endlessFloods = {
    'lines that mean nothing': 'x\n'.repeat(500),
    comments: ':\n'.repeat(500),
    events: 'data: {}\n\n'.repeat(100),
    'events without data': 'id: 1\n\n'.repeat(100),
    'pieces of a line': 'x',
  }
  for (const [what, text] of Object.entries(endlessFloods)) {
    it(`a flood of ${what} that never waits lets timers run`, async () => {
      let isOver = false
      const timer = setTimeout(() => {
        isOver = true
      }, 0)
      const chunk = encode(text)
      async function* chunks() {
        while (!isOver) yield chunk
      }
      await readAll(chunks(), 1024 * MIB)
      clearTimeout(timer)
      expect(isOver).toBe(true)
    })
  }

  it('a flood in one chunk lets timers run while it is read', async () => {
    let turns = 0
    const timer = setInterval(() => {
      turns += 1
    }, 0)
    await readAll(inPieces(encode('x\n'.repeat(2 * MIB)), []))
    clearInterval(timer)
    expect(turns).toBeGreaterThan(5)
  })

  it('F150 one-byte chunks take linear time', async () => {
    const bytes = encode(`data: ${'x'.repeat(300_000)}\n\n`)
    const { events } = await readAll(oneByOne(bytes))
    expect(events[0]?.data.length).toBe(300_000)
  })
})
