// The parts of the relay, by themselves: the scan of a line, the cutting of streams, patterns of files.
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseGlob } from '../../dev/globs.ts'
import { EventSplitter, parseEvent, tagEventId, untagEventId, writeEvent } from '../../dev/http/sse-events.ts'
import { readEnvelope, replaceId } from '../../dev/relay/envelope.ts'
import { LineSplitter } from '../../dev/relay/lines.ts'
import { compareLists, differingLists, type Lists } from '../../dev/relay/lists.ts'

const id = fc.oneof(fc.integer(), fc.string())
const params = fc.oneof(fc.jsonValue(), fc.constant({ id: 1, method: 'x', result: '"}]' }))

describe('readEnvelope', () => {
  it('finds id, method and kind as a parser does, in whatever order and spacing', () => {
    const message = fc.oneof(
      fc.record({ id, method: fc.string(), params, jsonrpc: fc.constant('2.0') }, { requiredKeys: ['method'] }),
      fc.record({ id, result: params, jsonrpc: fc.constant('2.0') }),
      fc.record({ id, error: params }),
    )
    fc.assert(
      fc.property(message, fc.nat(4), fc.func(fc.integer()), (value, indent, order) => {
        const entries = Object.entries(value).toSorted(([a], [b]) => order(a) - order(b))
        const shuffled = Object.fromEntries(entries) as { id?: unknown; method?: unknown }
        const envelope = readEnvelope(Buffer.from(`${JSON.stringify(shuffled, null, indent).replaceAll('\n', ' ')}\n`))
        const hasId = shuffled.id !== undefined
        const kind = 'method' in shuffled ? (hasId ? 'request' : 'notification') : 'response'
        expect(envelope.kind).toBe(kind)
        if (hasId) expect(envelope.id).toBe(JSON.stringify(shuffled.id))
        if ('method' in shuffled) expect(envelope.method).toBe(shuffled.method)
      }),
    )
  })

  it('replaces the id and nothing else', () => {
    fc.assert(
      fc.property(id, id, params, (before, after, value) => {
        const line = Buffer.from(JSON.stringify({ params: value, id: before, method: 'm' }))
        const replaced = replaceId(line, readEnvelope(line), JSON.stringify(after))
        expect(JSON.parse(replaced.toString())).toEqual(
          JSON.parse(JSON.stringify({ params: value, id: after, method: 'm' })),
        )
      }),
    )
  })

  it('takes the last of duplicate keys, keys with escapes, and ids in another spelling', () => {
    expect(readEnvelope(Buffer.from('{"id":1,"method":"a","id":2}'))).toMatchObject({ id: '2' })
    expect(readEnvelope(Buffer.from('{"\\u0069d":7,"method":"a"}'))).toMatchObject({ kind: 'request', id: '7' })
    expect(readEnvelope(Buffer.from('{"id":1e0,"method":"a"}'))).toMatchObject({ id: '1' })
  })

  it('never throws, and takes nothing for a message that is none', () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        expect(['request', 'notification', 'response', 'batch', 'other']).toContain(readEnvelope(bytes).kind)
      }),
    )
    for (const text of ['', '{', '{"id":1', 'null', '{"id":null,"method":1}', '{"a"}', '"x"']) {
      expect(readEnvelope(Buffer.from(text)).kind).toBe('other')
    }
    expect(readEnvelope(Buffer.from('[{"id":1}]')).kind).toBe('batch')
  })
})

describe('LineSplitter', () => {
  it('gives the same bytes in the same order, whole lines up to the limit and parts beyond it', () => {
    const chunks = fc.array(fc.uint8Array({ max: 12 }).map((bytes) => Buffer.from(bytes)))
    fc.assert(
      fc.property(chunks, fc.integer({ min: 1, max: 8 }), (pieces, max) => {
        const passed: Buffer[] = []
        const whole: Buffer[] = []
        const splitter = new LineSplitter(
          {
            line: (line) => {
              whole.push(line)
              passed.push(line)
            },
            part: (part) => void passed.push(part),
          },
          max,
        )
        for (const piece of pieces) splitter.push(piece)
        const sent = Buffer.concat(pieces)
        const got = Buffer.concat(passed)
        expect(sent.subarray(0, got.length).equals(got)).toBe(true)
        expect(sent.length - got.length).toBeLessThanOrEqual(max)
        for (const line of whole) expect([line.indexOf(10), line.length <= max]).toEqual([line.length - 1, true])
      }),
    )
  })
})

describe('event streams', () => {
  it('are cut between events, wherever the network cuts them', () => {
    const events = ['event: message\nid: 1\ndata: {"a":1}', ': ping', 'data: x\ndata: y']
    const bytes = Buffer.from(`${events.join('\n\n')}\n\n`)
    fc.assert(
      fc.property(fc.array(fc.nat(bytes.length)), (cuts) => {
        const found: string[] = []
        const splitter = new EventSplitter((event) => found.push(event))
        const places = [0, ...cuts.toSorted((a, b) => a - b), bytes.length]
        for (const [index, start] of places.entries()) splitter.push(bytes.subarray(start, places[index + 1]))
        expect(found).toEqual(events)
      }),
    )
  })

  it('keep their fields, and mark whose event ids they have', () => {
    const event = parseEvent('event: message\nretry: 5\nid: a\ndata: {"a":1}')
    expect(writeEvent({ ...event, id: tagEventId(2, 'a') })).toBe(
      'event: message\nretry: 5\nid: 2.a\ndata: {"a":1}\n\n',
    )
    expect([untagEventId(2, '2.a'), untagEventId(3, '2.a')]).toEqual(['a', undefined])
  })
})

describe('lists of two versions', () => {
  const lists = (tools: object[]): Lists => ({ tools: tools as never, resources: [], templates: [], prompts: [] })

  it('differ by what was added, changed and removed', () => {
    const before = lists([{ name: 'a', inputSchema: {} }, { name: 'b' }])
    const after = lists([{ name: 'a', inputSchema: { type: 'object' } }, { name: 'c' }])
    expect(compareLists(before, after)).toEqual([
      { list: 'tools', kind: 'added', name: 'c', members: [] },
      { list: 'tools', kind: 'changed', name: 'a', members: ['input'] },
      { list: 'tools', kind: 'removed', name: 'b', members: [] },
    ])
    expect(differingLists(before, after)).toEqual(['tools'])
    expect(differingLists(before, before)).toEqual([])
    expect(differingLists(undefined, before)).toHaveLength(4)
  })
})

describe('parseGlob', () => {
  it.each([
    ['data/**/*.json', 'data/a.json', true],
    ['data/**/*.json', 'data/b/c/a.json', true],
    ['data/**/*.json', 'other/a.json', false],
    ['data/*.{json,yaml}', 'data/a.yaml', true],
    ['data/*.{json,yaml}', 'data/b/a.yaml', false],
    ['data', 'data/b/a.txt', true],
    ['a?.txt', 'ab.txt', true],
    ['a+(b).txt', 'a+(b).txt', true],
    ['.env', '.envx', false],
  ])('%s on %s: %s', (glob, path, matches) => {
    expect(parseGlob(glob, '/project').matches(`/project/${path}`)).toBe(matches)
  })

  it('knows where to look', () => {
    expect(parseGlob('data/**/*.json', '/project').base).toBe('/project/data')
    expect(parseGlob('*.json', '/project').base).toBe('/project')
  })
})
