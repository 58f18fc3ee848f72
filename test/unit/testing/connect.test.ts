import { describe, expect, it } from 'vitest'
import { Server } from '../../../src/server/server.ts'
import { connect, recordWire } from '../../../src/testing/connect.ts'
import { PROTOCOL_VERSIONS } from '../../../src/types/protocol/versions.ts'

const createServer = () =>
  new Server('tested', {
    handlers: {
      'tools/call': (_ctx, { name }) => {
        if (name === 'broken') throw new Error('the real reason')
        return { content: [{ type: 'text', text: name }] }
      },
    },
  })

describe('connect', () => {
  it.each(['modern', 'legacy'] as const)('gives a client of the %s era in one line', async (mode) => {
    await using client = await connect(createServer(), { mode })
    expect(client.protocolVersion).toBe(mode === 'modern' ? '2026-07-28' : '2025-11-25')
    expect((await client.callTool('hello')).content).toEqual([{ type: 'text', text: 'hello' }])
  })

  it.each(['modern', 'legacy'] as const)('records what crosses the wire in the %s era', async (mode) => {
    const wire = recordWire()
    await using client = await connect(createServer(), { mode, wire })
    await client.callTool('hello')
    const methods = wire.sent.map((message) => ('method' in message ? message.method : 'answer'))
    expect(methods).toEqual(
      mode === 'modern' ? ['server/discover', 'tools/call'] : ['initialize', 'notifications/initialized', 'tools/call'],
    )
    expect(wire.received.at(-1)).toMatchObject({ result: { content: [{ text: 'hello' }] } })
  })

  it.each(['modern', 'legacy'] as const)('shows the test what a handler threw, in the %s era', async (mode) => {
    await using client = await connect(createServer(), { mode })
    const failure = (await client.callTool('broken').catch((error: unknown) => error)) as Error
    expect(failure.message).toBe('Internal error')
    expect(failure.cause).toMatchObject({ message: 'the real reason' })
  })

  it.each(PROTOCOL_VERSIONS)('pins revision %s', async (mode) => {
    await using client = await connect(createServer(), { mode })
    expect(client.protocolVersion).toBe(mode)
  })

  it('names the option mode where era is given', async () => {
    const options = { era: 'handshake' } as object
    await expect(connect(createServer(), options)).rejects.toThrow(/Unknown option "era" .* It is now called mode/)
  })
})
