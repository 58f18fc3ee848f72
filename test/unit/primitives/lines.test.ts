import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { type Line, LineSplitter, type OversizeLine } from '../../../src/primitives/lines.ts'

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { fatal: true })

function split(chunks: readonly Uint8Array[], maxBytes = 1_000_000): Line[] {
  const splitter = new LineSplitter(maxBytes)
  const lines: Line[] = []
  for (const chunk of chunks) {
    splitter.push(chunk)
    // A line is good until the next one is taken.
    for (let line = splitter.next(); line !== undefined; line = splitter.next()) {
      lines.push(line instanceof Uint8Array ? line.slice() : line)
    }
  }
  return lines
}

const texts = (lines: Line[]) => lines.map((line) => (line instanceof Uint8Array ? decoder.decode(line) : line))

/** Cuts bytes at the given places. */
function cut(bytes: Uint8Array, places: number[]): Uint8Array[] {
  const sorted = [...new Set(places.map((place) => place % (bytes.length + 1)))].sort((a, b) => a - b)
  return [0, ...sorted].map((start, index) => bytes.subarray(start, sorted[index] ?? bytes.length))
}

describe('LineSplitter', () => {
  it('F006 gives the same lines however the bytes are cut, also inside a character', () => {
    const line = fc.string({ unit: 'grapheme', maxLength: 40 }).map((text) => text.replaceAll(/[\r\n]/g, ''))
    const arbitrary = fc.tuple(fc.array(line, { maxLength: 20 }), fc.array(fc.nat(), { maxLength: 40 }))
    fc.assert(
      fc.property(arbitrary, ([lines, places]) => {
        const bytes = encoder.encode(lines.map((text) => `${text}\n`).join(''))
        expect(texts(split(cut(bytes, places)))).toEqual(lines)
      }),
      { seed: 1, numRuns: 500 },
    )
  })

  it('F006 works one byte at a time', () => {
    const bytes = encoder.encode('{"a":"ü€😀"}\n{"b":2}\n')
    expect(texts(split([...bytes].map((byte) => Uint8Array.of(byte))))).toEqual(['{"a":"ü€😀"}', '{"b":2}'])
  })

  it('F008 takes CRLF, and gives blank lines as they are', () => {
    expect(texts(split([encoder.encode('a\r\n\r\n\nb\r'), encoder.encode('\nc\n')]))).toEqual(['a', '', '', 'b', 'c'])
  })

  it('F063 splits at the byte 0x0A only', () => {
    const text = 'a\u2028b\u2029c\u0085d\u000be\u000cf\u0000g\rh'
    expect(texts(split([encoder.encode(`${text}\n`)]))).toEqual([text])
  })

  it('F014 counts the line, not the buffer: one at the limit and the next in the same chunk', () => {
    expect(texts(split([encoder.encode(`${'x'.repeat(10)}\nnext\n`)], 10))).toEqual(['x'.repeat(10), 'next'])
  })

  it('F012 drops a line above the limit while it streams past, keeps both ends, and goes on with the next', () => {
    const long = `{"id":7,${'x'.repeat(30_000)}"end":true}`
    const [begun, line, next] = split(cut(encoder.encode(`${long}\nnext\n`), [100, 5_000, 9_999, 20_000]), 10_000)
    // As soon as it is too long, with what it began with, and again when it is over.
    expect(begun).toMatchObject({ oversize: true, state: 'begun', bytes: 20_000 })
    expect(decoder.decode((begun as OversizeLine).head)).toBe(long.slice(0, 1_024))
    const { oversize, head, tail, bytes, state } = line as OversizeLine
    expect({ oversize, bytes, state }).toEqual({ oversize: true, bytes: long.length, state: 'over' })
    expect(decoder.decode(head)).toBe(long.slice(0, 1_024))
    expect(decoder.decode(tail)).toBe(long.slice(-1_024))
    expect(decoder.decode(next as Uint8Array)).toBe('next')
  })

  it('F012 keeps no more than the limit and the chunk at hand', () => {
    const splitter = new LineSplitter(1_000)
    const views = new Set<ArrayBufferLike>()
    for (let n = 0; n < 100; n++) {
      splitter.push(new Uint8Array(100).fill(120))
      splitter.next()
    }
    splitter.push(encoder.encode('\n'))
    const line = splitter.next() as OversizeLine
    views.add(line.head.buffer).add(line.tail.buffer)
    const kept = [...views].reduce((sum, buffer) => sum + buffer.byteLength, 0)
    expect(line.bytes).toBe(10_000)
    expect(kept).toBeLessThanOrEqual(2_048)
  })

  it.each([
    ['the last chunk', 40_000],
    ['many chunks', 300],
  ])('F012 keeps nothing of a Buffer alive by the ends of a line, from %s', (_name, size) => {
    const splitter = new LineSplitter(1_000)
    for (let n = 0; n < 10; n++) {
      splitter.push(Buffer.from(new Uint8Array(size).fill(120).buffer))
      splitter.next()
    }
    splitter.push(encoder.encode('\n'))
    const { head, tail } = splitter.next() as OversizeLine
    expect([head.length, tail.length]).toEqual([1_024, 1_024])
    expect([head.buffer.byteLength, tail.buffer.byteLength]).toEqual([1_024, 1_024])
  })

  it('F012 keeps few pieces of a line that comes byte by byte', () => {
    const splitter = new LineSplitter(1_000_000)
    const bytes = Uint8Array.from({ length: 100_000 }, (_, index) => 97 + (index % 26))
    for (const byte of bytes) {
      splitter.push(Uint8Array.of(byte))
      splitter.next()
    }
    const copied = vi.spyOn(Uint8Array.prototype, 'set')
    splitter.push(encoder.encode('\n'))
    const line = splitter.next() as Uint8Array
    const copies = copied.mock.calls.length
    copied.mockRestore()
    expect(copies).toBeLessThan(50)
    expect(line).toEqual(bytes)
  })

  it('reads long lines into the same room, one after the other', () => {
    const splitter = new LineSplitter(1_000_000)
    const rooms = new Set<ArrayBufferLike>()
    for (const letter of ['a', 'b', 'c']) {
      splitter.push(encoder.encode(letter.repeat(150_000)))
      expect(splitter.next()).toBeUndefined()
      splitter.push(encoder.encode('\n'))
      const line = splitter.next() as Uint8Array
      expect(decoder.decode(line)).toBe(letter.repeat(150_000))
      rooms.add(line.buffer)
      expect(splitter.next()).toBeUndefined()
    }
    expect(rooms.size).toBe(1)
  })

  it('F006 never mixes what several streams send at the same time', () => {
    const step = fc.record({ stream: fc.nat(2), length: fc.nat(200_000), ends: fc.boolean() })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const streams = ['a', 'b', 'c'].map((letter) => ({ letter, splitter: new LineSplitter(1e9), length: 0 }))
        for (const { stream, length, ends } of steps) {
          const one = streams[stream]!
          one.splitter.push(encoder.encode(one.letter.repeat(length) + (ends ? '\n' : '')))
          one.length += length
          const line = one.splitter.next()
          if (!ends) continue
          expect(decoder.decode(line as Uint8Array) === one.letter.repeat(one.length)).toBe(true)
          expect(one.splitter.next()).toBeUndefined()
          one.length = 0
        }
      }),
      { seed: 7, numRuns: 100 },
    )
  })

  it('F013 says once when a line has no end in sight', () => {
    const splitter = new LineSplitter(100)
    const noticed: Line[] = []
    for (let n = 0; n < 100; n++) {
      splitter.push(new Uint8Array(50).fill(120))
      for (let line = splitter.next(); line !== undefined; line = splitter.next()) noticed.push(line)
    }
    expect(noticed).toMatchObject([
      { oversize: true, state: 'begun', bytes: 150 },
      { oversize: true, state: 'endless', bytes: 450 },
    ])
  })

  it('F005 gives what is left of a half line at the end', () => {
    const splitter = new LineSplitter(100)
    splitter.push(encoder.encode('whole\nhal'))
    splitter.next()
    splitter.next()
    splitter.push(encoder.encode('f'))
    splitter.next()
    expect(decoder.decode(splitter.end())).toBe('half')
    expect(splitter.end()).toBeUndefined()
  })

  it('F015 looks at each byte once: 32 MiB in 64 KiB chunks as one line', () => {
    const chunk = new Uint8Array(65_536).fill(120)
    const splitter = new LineSplitter(64 * 1024 * 1024)
    let looks = 0
    const counted = new Proxy(chunk, {
      get: (target, key) => {
        if (key === 'indexOf') {
          looks += 1
          return target.indexOf.bind(target)
        }
        const value = Reflect.get(target, key, target)
        return typeof value === 'function' ? value.bind(target) : value
      },
    })
    for (let n = 0; n < 512; n++) {
      splitter.push(counted)
      splitter.next()
    }
    splitter.push(encoder.encode('\n'))
    expect((splitter.next() as Uint8Array).length).toBe(512 * 65_536)
    expect(looks).toBe(512)
  })
})
