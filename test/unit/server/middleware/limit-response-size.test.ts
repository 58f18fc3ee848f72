import { describe, expect, it } from 'vitest'
import { limitResponseSize } from '../../../../src/server/middleware/limit-response-size.ts'
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

it.each([0, -1, 1.5, Number.NaN])('limitResponseSize refuses %s bytes when it is made', (maxBytes) => {
  expect(() => limitResponseSize({ maxBytes })).toThrow(RangeError)
})
