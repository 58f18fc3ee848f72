import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Receiver } from '../../../src/dispatcher/channel.ts'
import { SERVER_LIMITS } from '../../../src/dispatcher/decode.ts'
import type { Fault } from '../../../src/dispatcher/fault.ts'
import { encodeLine, type NdjsonOptions, NdjsonReader } from '../../../src/dispatcher/ndjson.ts'
import { identifyMessage } from '../../../src/dispatcher/unreadable.ts'
import { createDeferred } from '../../../src/primitives/async/promises.ts'
import { SearchedBytes } from '../../support/counted-bytes.ts'

const encoder = new TextEncoder()
const bytes = (text: string) => encoder.encode(text)

function createReader(options: Partial<NdjsonOptions> & { pressure?: () => Promise<void> | undefined } = {}) {
  const messages: unknown[] = []
  const faults: Fault[] = []
  const lost: unknown[] = []
  const unreadable: unknown[] = []
  const hopeless: Error[] = []
  const receiver: Receiver = {
    message: (message) => {
      messages.push(message)
      return options.pressure?.()
    },
    fault: (fault) => faults.push(fault),
    lost: (id) => lost.push(id),
    closed: () => {},
  }
  const reader = new NdjsonReader(receiver, {
    limits: SERVER_LIMITS,
    onHopeless: (reason) => hopeless.push(reason),
    onUnreadable: (problem, { kind, id }) => unreadable.push([kind, id, problem]),
    ...options,
  })
  return { reader, messages, faults, lost, unreadable, hopeless }
}

describe('NdjsonReader', () => {
  it('F006 reads the same messages however the bytes are cut', async () => {
    const arbitrary = fc.tuple(fc.array(fc.jsonValue(), { maxLength: 8 }), fc.array(fc.nat(), { maxLength: 20 }))
    await fc.assert(
      fc.asyncProperty(arbitrary, async ([values, places]) => {
        const stream = bytes(values.map((value) => `${JSON.stringify(value)}\n`).join(''))
        const { reader, messages, faults } = createReader()
        const cuts = [...places.map((place) => place % (stream.length + 1)), stream.length].sort((a, b) => a - b)
        let start = 0
        for (const end of cuts) {
          await reader.feed(stream.subarray(start, end))
          start = end
        }
        expect(messages).toEqual(values.map((value) => JSON.parse(JSON.stringify(value))))
        expect(faults).toEqual([])
      }),
      { seed: 6, numRuns: 200 },
    )
  })

  it('searches no line beyond its end: unclosed strings in many lines of one chunk cost what other lines do', async () => {
    // Long enough that strings are searched and not walked, nested enough that the structure is looked at.
    const line = `\\"${'['.repeat(140)}\\"\n`
    const other = fc.constantFrom('"\n', `"${'['.repeat(140)}\n`, `${'"'.repeat(99)}\n`, 'é"\n', '{"a":1}\n')
    const pieces = fc.tuple(fc.integer({ min: 20, max: 200 }), other).map(([times, end]) => [line.repeat(times), end])
    await fc.assert(
      fc.asyncProperty(pieces, async (lines) => {
        const { reader } = createReader()
        const stream = new SearchedBytes(bytes(lines.join('')))
        SearchedBytes.counter = { looked: 0 }
        await reader.feed(stream)
        // For its end, and for that of its strings.
        expect(SearchedBytes.counter.looked).toBeLessThanOrEqual(4 * stream.length)
      }),
      { seed: 38, numRuns: 50 },
    )
  })

  it('F007 gives others a turn among 10,000 messages in one chunk, and loses none', async () => {
    const { reader, messages } = createReader()
    const stream = bytes(Array.from({ length: 10_000 }, (_, n) => `{"n":${n}}\n`).join(''))
    let turns = 0
    const timer = setInterval(() => {
      turns += 1
    }, 0)
    await reader.feed(stream)
    clearInterval(timer)
    expect(messages).toHaveLength(10_000)
    expect(messages.at(-1)).toEqual({ n: 9_999 })
    expect(turns).toBeGreaterThan(3)
  })

  it('F008 takes CRLF, blank lines, spaces and a byte order mark', async () => {
    const { reader, messages, faults } = createReader()
    await reader.feed(bytes('\ufeff{"a":1}\r\n\n   \n\t\r\n  {"b":2}  \n'))
    expect(messages).toEqual([{ a: 1 }, { b: 2 }])
    expect(faults).toEqual([])
  })

  it('F009 skips what is no JSON, and reports the beginning of it on one line', async () => {
    const { reader, messages, faults } = createReader()
    await reader.feed(bytes(`Server listening \u001b[31mred\u001b[0m\n${'x'.repeat(500)}\n{"a":1}\n`))
    expect(messages).toEqual([{ a: 1 }])
    expect(faults.map(({ message }) => message)).toEqual([
      'Skipped a line that is not JSON: "Server listening \\u001b[31mred\\u001b[0m"',
      `Skipped a line that is not JSON: "${'x'.repeat(80)}…"`,
    ])
  })

  it.each<['strict' | 'replace' | 'ignore', unknown[], number]>([
    ['strict', [{ b: 2 }], 1],
    ['replace', [{ a: 'x\ufffdy' }, { b: 2 }], 0],
    ['ignore', [{ a: 'xy' }, { b: 2 }], 0],
  ])('F011 treats bytes that are no UTF-8 as %s says', async (encodingErrors, expected, faultCount) => {
    const { reader, messages, faults } = createReader({ encodingErrors })
    await reader.feed(Uint8Array.of(...bytes('{"a":"x'), 0xff, ...bytes('y"}\n{"b":2}\n')))
    expect(messages).toEqual(expected)
    expect(faults).toHaveLength(faultCount)
  })

  it.each([
    ['id first', `{"jsonrpc":"2.0","id":7,"result":{"text":"${'x'.repeat(300)}"}}`],
    ['id last', `{"result":{"text":"${'x'.repeat(300)}"},"jsonrpc":"2.0","id":7}`],
    ['id before jsonrpc', `{"result":{"text":"${'x'.repeat(300)}"},"id":7,"jsonrpc":"2.0"}`],
  ])('R07 F012 drops a line that is too long and fails the call it answered (%s)', async (_name, line) => {
    const { reader, messages, faults, lost, hopeless } = createReader({ limits: { ...SERVER_LIMITS, maxBytes: 100 } })
    for (let at = 0; at < line.length; at += 30) await reader.feed(bytes(line.slice(at, at + 30)))
    await reader.feed(bytes('\n{"next":1}\n'))
    expect(lost).toEqual([7])
    expect(faults).toMatchObject([{ kind: 'transport', error: { limit: 'maxLineBytes', max: 100 } }])
    expect(messages).toEqual([{ next: 1 }])
    expect(hopeless).toEqual([])
  })

  const long = 'y'.repeat(3_000)
  it.each<[string, ReturnType<typeof identifyMessage>['kind'], unknown]>([
    [`{"jsonrpc":"2.0","id":7,"method":"x","params":{"a":"${long}"}}`, 'request', 7],
    [`{"method":"x","params":{"a":"${long}"},"jsonrpc":"2.0","id":"a\\"b"}`, 'request', 'a"b'],
    [`{"params":{"a":"${long}"},"id":7,"jsonrpc":"2.0","method":"x"}`, 'request', 7],
    [`{"id":-3,"params":{"a":"${long}"},"jsonrpc":"2.0","method":"x"}`, 'request', -3],
    [`{"jsonrpc":"2.0","method":"notifications/x","params":{"a":"${long}","b":{"id":7}}}`, 'notification', undefined],
    [`{"jsonrpc":"2.0","method":"x","params":{"a":"${long}","id":7}}`, 'unknown', undefined],
    [`{"jsonrpc":"2.0","id":7.5,"method":"x","params":{"a":"${long}"}}`, 'unknown', undefined],
    [`{"jsonrpc":"2.0","result":{"a":"${long}","b":{"x":1,"id":7}}}`, 'answer', undefined],
    [`{"jsonrpc":"2.0","id":"a-1","error":{"a":"${long}"}}`, 'answer', 'a-1'],
    [`[{"jsonrpc":"2.0","id":7,"method":"x","params":{"a":"${long}"}}]`, 'unknown', undefined],
    ['rubbish', 'unknown', undefined],
    ['{"level":"info","message":"x"}', 'unknown', undefined],
  ])('F012 tells from its ends what a line was: %.60s', (text, kind, id) => {
    expect(identifyMessage(bytes(text), bytes(text))).toMatchObject({ kind, id })
  })

  it('tells the id of any request of ours from its ends, and of no other message', () => {
    const member = fc.constantFrom('id', 'jsonrpc', 'method', 'params')
    const id = fc.oneof(fc.string({ maxLength: 40 }), fc.maxSafeInteger())
    fc.assert(
      fc.property(fc.uniqueArray(member, { minLength: 4, maxLength: 4 }), id, fc.jsonValue(), (order, ours, inner) => {
        const message = { jsonrpc: '2.0', id: ours, method: 'a', params: { inner, padding: long } }
        const text = JSON.stringify(Object.fromEntries(order.map((name) => [name, message[name as 'id']])))
        const { kind, id: found } = identifyMessage(bytes(text), bytes(text))
        // An id between two long members would stand at neither end; there is only one here.
        expect([kind, found]).toEqual(['request', ours])
      }),
      { seed: 12 },
    )
  })

  it('answers a request that is too long at once, before the line has come to its end', async () => {
    const { reader, unreadable, messages, hopeless } = createReader({ limits: { ...SERVER_LIMITS, maxBytes: 100 } })
    await reader.feed(bytes(`{"jsonrpc":"2.0","id":7,"method":"x","params":{"a":"${'y'.repeat(100)}`))
    expect(unreadable).toMatchObject([['request', 7, { limit: 'maxLineBytes', max: 100 }]])
    // However long it becomes: it is a message.
    for (let n = 0; n < 100; n++) await reader.feed(bytes('y'.repeat(100)))
    await reader.feed(bytes('"}}\n{"next":1}\n'))
    expect([unreadable.length, hopeless.length]).toEqual([1, 0])
    expect(messages).toEqual([{ next: 1 }])
  })

  it('answers a request that is too long when its end shows the id, however many there are in a row', async () => {
    const { reader, unreadable, faults, hopeless } = createReader({ limits: { ...SERVER_LIMITS, maxBytes: 100 } })
    for (let id = 1; id <= 5; id++) {
      await reader.feed(bytes(`{"method":"x","params":{"a":"${'y'.repeat(600)}`))
      await reader.feed(bytes(`"},"jsonrpc":"2.0","id":${id}}\n`))
    }
    expect(unreadable.map((each) => (each as unknown[])[1])).toEqual([1, 2, 3, 4, 5])
    expect([faults.length, hopeless.length]).toEqual([5, 0])
  })

  it.each([
    ['bytes that are no UTF-8', Uint8Array.of(0xff)],
    ['what is no JSON', bytes('\u0001')],
  ])('fails a call at once whose answer holds %s', async (_what, broken) => {
    const { reader, lost, unreadable } = createReader()
    await reader.feed(Uint8Array.of(...bytes('{"jsonrpc":"2.0","id":7,"result":{"a":"'), ...broken, ...bytes('"}}\n')))
    expect([lost, unreadable]).toEqual([[7], []])
  })

  it('R07 F013 gives the stream up at an endless line, and after three lines in a row that are too long', async () => {
    const limits = { ...SERVER_LIMITS, maxBytes: 100 }
    const endless = createReader({ limits })
    for (let n = 0; n < 20; n++) await endless.reader.feed(bytes('x'.repeat(50)))
    expect(endless.hopeless).toHaveLength(1)
    const repeated = createReader({ limits })
    await repeated.reader.feed(bytes(`${'x'.repeat(200)}\n`.repeat(2)))
    await repeated.reader.feed(bytes('{"fine":1}\n'))
    await repeated.reader.feed(bytes(`${'x'.repeat(200)}\n`.repeat(2)))
    expect(repeated.hopeless).toEqual([])
    await repeated.reader.feed(bytes(`${'x'.repeat(200)}\n{"after":1}\n`))
    expect(repeated.hopeless).toHaveLength(1)
    expect(repeated.messages).toEqual([{ fine: 1 }])
  })

  it('F057 refuses a line of hostile structure and fails the call it answered', async () => {
    const { reader, lost, messages } = createReader()
    await reader.feed(bytes(`{"jsonrpc":"2.0","id":3,"result":${'['.repeat(200)}${']'.repeat(200)}}\n{"a":1}\n`))
    expect(lost).toEqual([3])
    expect(messages).toEqual([{ a: 1 }])
  })

  it('F005 reports half a line at the end, once', () => {
    const { reader, faults } = createReader()
    void reader.feed(bytes('{"a":1}\n{"half'))
    reader.end()
    reader.end()
    expect(faults.map(({ message }) => message)).toEqual(['The stream ended in the middle of a line: "{\\"half"'])
  })

  it('waits for a receiver that is not ready, and keeps the order', async () => {
    const gate = createDeferred()
    let isFirst = true
    const { reader, messages } = createReader({
      pressure: () => {
        if (!isFirst) return undefined
        isFirst = false
        return gate.promise
      },
    })
    const pressure = reader.feed(bytes('1\n2\n3\n'))
    expect(messages).toEqual([1])
    gate.resolve()
    await pressure
    expect(messages).toEqual([1, 2, 3])
  })

  it('C-STDIO-01 S-STDIO-01 F063 writes a message as one line, whatever is in it', () => {
    const text = 'a\nb\r\n\u2028\u2029\u0085\u0000'
    const line = encodeLine({ jsonrpc: '2.0', method: 'n', params: { text } })
    expect(line.indexOf('\n')).toBe(line.length - 1)
    expect(JSON.parse(line)).toEqual({ jsonrpc: '2.0', method: 'n', params: { text } })
  })
})
