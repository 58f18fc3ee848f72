import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { logRequests, quote } from '../../../../src/server/middleware/log-requests.ts'
import { connect } from '../../../../src/testing/connect.ts'
import { MCPError } from '../../../../src/types/errors/errors.ts'
import { eras, serverWith, text } from './support.ts'

const withoutTime = (line: string) => line.replace(/ms=\d+\.\d/, 'ms=0.0')

describe.each(eras)('logRequests in the %s era', (mode) => {
  it('writes one line per message with method, target, time and outcome', async () => {
    const lines: string[] = []
    const { server } = serverWith([logRequests((line) => lines.push(withoutTime(line)))], (_ctx, { how }) => {
      if (how === 'refuse') throw new MCPError(403, 'secret words')
      if (how === 'throw') throw new TypeError('secret words')
      return how === 'fail' ? { ...text('no'), isError: true } : text('yes')
    })
    await using client = await connect(server, { mode, raiseExceptions: false })
    lines.length = 0
    await client.callTool('run', {}, { requestId: 'a' })
    await client.callTool('run', { how: 'fail' }, { requestId: 'b' })
    await expect(client.callTool('run', { how: 'refuse' }, { requestId: 'c' })).rejects.toThrow()
    await expect(client.callTool('run', { how: 'throw' }, { requestId: 'd' })).rejects.toThrow()
    await client.readResource('notes://ada:hunter2@host/list?token=hunter2#x', { requestId: 'e' })
    await client.session.sendNotification('vendor/told')

    expect(lines.filter((line) => !line.includes('tools/list'))).toEqual([
      'method=tools/call name=run id=a ms=0.0 outcome=ok',
      'method=tools/call name=run id=b ms=0.0 outcome=tool-error',
      'method=tools/call name=run id=c ms=0.0 outcome=error code=403',
      'method=tools/call name=run id=d ms=0.0 outcome=failed error=TypeError',
      'method=resources/read uri=notes://host/list id=e ms=0.0 outcome=ok',
      'method=vendor/told ms=0.0 outcome=ok',
    ])
  })

  it('writes arguments only on request, and cut off', async () => {
    const lines: string[] = []
    const options = { includeArguments: true, maxValueLength: 20 }
    const { server } = serverWith([logRequests((line) => lines.push(line), options)])
    await using client = await connect(server, { mode })
    await client.callTool('run', { query: 'x'.repeat(100) })
    expect(lines.find((line) => line.includes('tools/call'))).toMatch(/ arguments="\{\\"query\\":\\"x{10}…"$/)
  })

  it('tells a cancelled request from one that failed', async () => {
    const lines: string[] = []
    const stop = new AbortController()
    const { server } = serverWith([logRequests((line) => lines.push(line))], async (ctx) => {
      const stopped = new Promise((_resolve, reject) => {
        ctx.signal.addEventListener('abort', () => reject(ctx.signal.reason))
      })
      stop.abort(new Error('enough'))
      await stopped
      return text('never')
    })
    await using client = await connect(server, { mode })
    await expect(client.callTool('run', {}, { signal: stop.signal })).rejects.toThrow('enough')
    await expect.poll(() => lines.at(-1)).toContain('outcome=cancelled')
  })

  it('costs a request nothing when the sink fails', async () => {
    const { server, faults } = serverWith([
      logRequests(() => {
        throw new Error('disk full')
      }),
    ])
    await using client = await connect(server, { mode })
    expect(await client.callTool('run')).toMatchObject(text('done'))
    expect(faults[0]).toMatchObject({ kind: 'callback-failed', error: new Error('disk full') })
  })
})

describe('quote', () => {
  it.each([
    ['tools/call', 'tools/call'],
    ['', '""'],
    ['two words', '"two words"'],
    ['a=b "c"', '"a=b \\"c\\""'],
    ['one\r\nmethod=forged', '"one\\r\\nmethod=forged"'],
    ['\u001b[31mred\u009b0m', '"\\u001b[31mred\\u{9b}0m"'],
    ['line\u2028next', '"line\\u{2028}next"'],
    ['abc\u202egnp', '"abc\\u{202e}gnp"'],
    ['tag\u{e0041}', '"tag\\u{e0041}"'],
    ['\ud800', '"\\ud800"'],
    ['grüße', '"grüße"'],
  ])('F204 shows %j as %s', (value, shown) => {
    expect(quote(value, 100)).toBe(shown)
  })

  it('F204 R56 makes of any text one line without controls, short of a bound', () => {
    const texts = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string({ unit: fc.constantFrom('\r', '\n', '\u0085', '"', 'a') }),
    )
    fc.assert(
      fc.property(texts, (value) => {
        expect(quote(value, 50)).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u)
        expect(quote(value, 50).length).toBeLessThan(50 * 10)
      }),
      { seed: 7, numRuns: 200 },
    )
  })
})
