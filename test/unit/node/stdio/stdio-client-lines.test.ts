// What a server may write: split, glued, polluted, broken or endless, and none of it costs the connection without need.
import { describe, expect, it } from 'vitest'
import { ErrorCode } from '../../../../src/types/errors/error-codes.ts'
import { LimitError, TransportError } from '../../../../src/types/errors/failures.ts'
import { asArguments, childTransport, expectNothingLeft, HASTY, talkOver, talkTo } from './stdio-client-support.ts'

expectNothingLeft()

const note = (value: unknown) => JSON.stringify({ jsonrpc: '2.0', method: 'note', params: { value } })

describe('lines', () => {
  it('F005 half a line, then exit: reported once, the call rejects', async () => {
    await using talk = await talkTo('half-a-line')
    await expect(talk.call('x')).rejects.toMatchObject({ code: ErrorCode.ConnectionClosed, cause: { exitCode: 1 } })
    expect(talk.faults).toHaveLength(1)
    expect(talk.faults[0]?.message).toMatch(/ended in the middle of a line/)
  })

  it('F006 bytes arrive one at a time, characters are split', async () => {
    await using talk = await talkTo('byte-by-byte')
    const params = { text: 'ä€😀', _meta: {} }
    expect(await talk.call('x', params)).toEqual({ params })
    expect(talk.faults).toEqual([])
  })

  it('F007 10,000 messages in one go: in order, and others get a turn in between', async () => {
    let turns = 0
    const timer = setInterval(() => turns++, 0)
    await using talk = await talkTo('burst', ['10000'])
    await talk.noted(1)
    turns = 0
    const notes = await talk.noted(10_000)
    clearInterval(timer)
    expect(notes).toEqual(Array.from({ length: 10_000 }, (_, index) => index))
    expect(turns).toBeGreaterThan(2)
  })

  it('F008 CRLF, blank lines, spaces around a message, a byte order mark', async () => {
    const text = `\ufeff${note(1)}\r\n\r\n   \n  ${note(2)}  \n\t${note(3)}\r\n`
    await using talk = await talkTo('say', asArguments(text))
    expect(await talk.noted(3)).toEqual([1, 2, 3])
    await talk.pid()
    expect(talk.faults).toEqual([])
  })

  it('F009 a banner on stdout is skipped and reported, short and escaped', async () => {
    const banner = `\u001b[31mWelcome!\u001b[0m ${'='.repeat(1_000)}`
    await using talk = await talkTo('say', asArguments(`${banner}\n${note(1)}\nnoise\n${note(2)}\n`))
    expect(await talk.noted(2)).toEqual([1, 2])
    await talk.pid()
    expect(talk.faults.map((fault) => fault.kind)).toEqual(['transport', 'transport'])
    expect(talk.faults[0]?.message.length).toBeLessThan(200)
    expect(talk.faults[0]?.message).not.toContain('\u001b')
  })

  it('F010 JSON that is no JSON-RPC is reported and ignored', async () => {
    await using talk = await talkTo('say', asArguments(`42\n{}\nnull\n"x"\n${note(1)}\n`))
    expect(await talk.noted(1)).toEqual([1])
    await talk.pid()
    expect(talk.faults.map((fault) => fault.kind)).toEqual(Array(4).fill('invalid-message'))
  })

  const broken = Buffer.from(`${note('a#b')}\n${note('next')}\n`)
  broken[broken.indexOf('#')] = 0xff

  it('F011 invalid UTF-8: the line is rejected and reported, and the next one is read', async () => {
    await using talk = await talkTo('say', asArguments(broken))
    expect(await talk.noted(1)).toEqual(['next'])
    expect(talk.faults).toHaveLength(1)
  })

  it.each([
    ['replace', 'a\ufffdb'],
    ['ignore', 'ab'],
  ] as const)('F011 invalid UTF-8 with encodingErrors: %s', async (encodingErrors, expected) => {
    await using talk = await talkTo('say', asArguments(broken), { encodingErrors })
    expect(await talk.noted(2)).toEqual([expected, 'next'])
    expect(talk.faults).toEqual([])
  })

  const maxLineBytes = 100_000

  it('F012 a line of three times the limit: its call fails by the limit, the next line is fine', async () => {
    await using talk = await talkTo('long-answer', [], { maxLineBytes })
    await expect(talk.call('x', { bytes: 3 * maxLineBytes })).rejects.toBeInstanceOf(LimitError)
    expect(await talk.noted(1)).toEqual(['after'])
    const { text } = await talk.call('x', { bytes: 1_000 })
    expect(text).toMatch(/^x+$/)
  })

  it('F013 a line without end: the connection is closed and the process ended', async () => {
    await using talk = await talkTo('endless-line', [], { maxLineBytes, shutdown: HASTY })
    const error = await talk.call('x').catch((reason: Error) => reason)
    expect(error).toMatchObject({ code: ErrorCode.ConnectionClosed })
    const cause = (error as Error).cause as TransportError
    expect(cause).toBeInstanceOf(TransportError)
    expect(cause.message).toMatch(/longer than the limit.*maxLineBytes/)
    expect(cause.cause).toBeInstanceOf(LimitError)
  })

  it('F014 a line exactly at the limit, with the next in the same chunk', async () => {
    await using talk = await talkTo('long-answer', [], { maxLineBytes })
    const { text } = await talk.call('x', { bytes: maxLineBytes })
    expect(text).toMatch(/^x+$/)
    expect(await talk.noted(1)).toEqual(['after'])
    expect(talk.faults).toEqual([])
  })

  it('F015 many megabytes, one message each', async () => {
    const count = process.env['MCPWIRE_LONG_TESTS'] ? 1_000 : 40
    await using talk = await talkTo('megabytes', [String(count)])
    const notes = (await talk.noted(count)) as { index: number; text: string }[]
    expect(notes.map(({ index }) => index)).toEqual(Array.from({ length: count }, (_, index) => index))
    expect(notes.every(({ text }) => text.length === 1_000_000)).toBe(true)
  })
})

describe('stderr', () => {
  it('C-STDIO-04 F016 a flood is drained, and only its end is kept', async () => {
    const bytes = process.env['MCPWIRE_LONG_TESTS'] ? 1_000_000_000 : 30_000_000
    await using talk = await talkTo('stderr-flood', [String(bytes)])
    expect(await talk.pid()).toBeGreaterThan(0)
    const error = await talk.call('die', { signal: 'SIGKILL' }).catch((reason: Error) => reason)
    const { stderr } = (error as Error).cause as TransportError
    expect(stderr.at(-1)).toBe('the very end')
    expect(stderr.join('\n').length).toBeLessThanOrEqual(65_536)
    expect(stderr.length).toBeGreaterThan(100)
    expect(new Set(stderr.slice(0, -1)).size, 'no line is cut').toBe(1)
  })

  it('goes to a function line by line, the last one too', async () => {
    const lines: string[] = []
    const channel = await childTransport('stderr-lines', [], { stderr: (line) => lines.push(line) }).open()
    await channel.close()
    expect(lines).toEqual(['one', 'two ünd', '', 'half'])
  })

  it('a function that throws or rejects costs only itself', async () => {
    const failures = [
      () => {
        throw new Error('not my line')
      },
      (() => Promise.reject(new Error('not my line'))) as () => void,
    ]
    for (const stderr of failures) {
      const talk = talkOver(await childTransport('stderr-lines', [], { stderr }).open())
      await talk.dispatcher.close()
      expect(talk.faults.length).toBeGreaterThan(0)
      expect(talk.faults.every(({ kind }) => kind === 'callback-failed')).toBe(true)
    }
  })
})
