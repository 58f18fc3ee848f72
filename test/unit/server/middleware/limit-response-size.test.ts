import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { exceedsBytes, limitResponseSize } from '../../../../src/server/middleware/limit-response-size.ts'
import { connect } from '../../../../src/testing/connect.ts'
import { eras, serverWith, text } from './support.ts'

describe.each(eras)('limitResponseSize in the %s era', (mode) => {
  it('answers a tool call with a result that explains, and anything else with an error', async () => {
    const { server } = serverWith([limitResponseSize({ maxBytes: 450 })], (_ctx, { n }) => text('x'.repeat(Number(n))))
    await using client = await connect(server, { mode })
    expect(await client.callTool('run', { n: 10 })).toMatchObject(text('x'.repeat(10)))
    const refused = await client.callTool('run', { n: 1000 })
    expect(refused).toMatchObject({ isError: true, _meta: { 'mcpwire/refusal': { code: 413, maxBytes: 450 } } })
    expect(refused.content).toEqual([{ type: 'text', text: expect.stringContaining('450 bytes') }])
    await expect(client.readResource('a://b')).rejects.toMatchObject({ code: 413, data: { maxBytes: 450 } })
  })

  it('answers a tool call with an error where that is wanted', async () => {
    const middleware = limitResponseSize({ maxBytes: 450, toolRefusal: 'error' })
    const { server } = serverWith([middleware], () => text('x'.repeat(1000)))
    await using client = await connect(server, { mode })
    await expect(client.callTool('run')).rejects.toMatchObject({ code: 413 })
  })
})

describe('exceedsBytes', () => {
  const bytesOf = (value: unknown) => new TextEncoder().encode(JSON.stringify(value)).length

  it('says what making the JSON would say', () => {
    const values = fc.anything({ withUnicodeString: true } as fc.ObjectConstraints).filter((value) => {
      return JSON.stringify(value) !== undefined
    })
    fc.assert(
      fc.property(values, fc.integer({ min: -3, max: 3 }), (value, off) => {
        const bytes = bytesOf(value)
        expect(exceedsBytes(value, bytes + off)).toBe(off < 0)
        expect(exceedsBytes(value, Math.ceil(bytes / 2))).toBe(bytes > Math.ceil(bytes / 2))
        expect(exceedsBytes(value, bytes * 8)).toBe(false)
      }),
      { seed: 11, numRuns: 200 },
    )
  })

  it.each([
    ['controls', '\u0000'.repeat(10)],
    ['lone surrogates', '\ud800'.repeat(10)],
    ['long characters', '€'.repeat(10)],
    ['long numbers', [-1.2345678901234567e-308, 1e21]],
    ['what is left out', { a: undefined, b: () => 1, c: [undefined, () => 1] }],
    ['what makes its own JSON', { at: new Date(0) }],
  ])('counts %s exactly', (_what, value) => {
    const bytes = bytesOf(value)
    expect(exceedsBytes(value, bytes)).toBe(false)
    expect(exceedsBytes(value, bytes - 1)).toBe(true)
  })

  it('throws for what has no JSON', () => {
    const ring: Record<string, unknown> = {}
    ring['ring'] = ring
    expect(() => exceedsBytes(ring, 1_000_000)).toThrow(TypeError)
    expect(() => exceedsBytes({ n: 1n }, 1_000_000)).toThrow(TypeError)
  })
})

it.each([0, -1, 1.5, Number.NaN])('limitResponseSize refuses %s bytes when it is made', (maxBytes) => {
  expect(() => limitResponseSize({ maxBytes })).toThrow(RangeError)
})
