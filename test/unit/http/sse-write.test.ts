import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readServerSentEvents } from '../../../src/http/sse-reader.ts'
import { formatComment, formatEvent } from '../../../src/http/sse-write.ts'

async function read(text: string): Promise<{ data: string; event: string | undefined; id: string | undefined }[]> {
  const events: { data: string; event: string | undefined; id: string | undefined }[] = []
  async function* chunks() {
    yield new TextEncoder().encode(text)
  }
  await readServerSentEvents(chunks(), {
    maxEventBytes: 1_000_000,
    onEvent: ({ data, event, id }) => void events.push({ data, event, id }),
  })
  return events
}

describe('server-sent events', () => {
  it('F118 a name or id with a line break is rejected, because it would forge a field', () => {
    for (const text of ['a\nb', 'a\rb', 'a\0b', 'a\r\ndata: x']) {
      expect(() => formatEvent({ data: '', event: text })).toThrow(RangeError)
      expect(() => formatEvent({ data: '', id: text })).toThrow(RangeError)
    }
  })

  it('F118 a comment stays a comment', async () => {
    expect(await read(formatComment('x\n\ndata: forged\n\n'))).toEqual([])
  })

  it('what was written is what is read, whatever line ends the data has', async () => {
    const text = fc.string({ unit: fc.constantFrom('a', '\n', '\r', ':', ' ', 'é', '\u2028', 'data: '), maxLength: 20 })
    const line = fc.string({ unit: fc.constantFrom('a', ':', ' b', 'é'), minLength: 1, maxLength: 9 })
    await fc.assert(
      fc.asyncProperty(text, fc.option(line, { nil: undefined }), async (data, id) => {
        const [event] = await read(formatEvent({ data, ...(id !== undefined && { id }) }))
        const expected = data.replace(/\r\n|\r/g, '\n')
        if (expected === '') return
        expect([event?.data, event?.id]).toEqual([expected, id])
      }),
      { seed: 7, numRuns: 200 },
    )
  })
})
