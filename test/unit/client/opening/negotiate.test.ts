// Which era a server speaks, judged by how it answers a probe.
import { describe, expect, it, vi } from 'vitest'
import { type NegotiatingSession, negotiate } from '../../../../src/client/opening/negotiate.ts'
import { MCPError } from '../../../../src/types/errors/errors.ts'
import { InvalidResultError, TransportError } from '../../../../src/types/errors/failures.ts'
import type { DiscoverResult } from '../../../../src/types/protocol/lifecycle.ts'
import {
  LATEST_LEGACY_VERSION,
  LATEST_MODERN_VERSION,
  PROTOCOL_VERSIONS,
} from '../../../../src/types/protocol/versions.ts'

const discovered = (...supportedVersions: string[]): DiscoverResult => ({ supportedVersions, capabilities: {} })
const refused = (data: unknown) => MCPError.from({ code: -32022, message: 'Unsupported protocol version', data })
const refusedFor = (...supported: string[]) => refused({ supported, requested: LATEST_MODERN_VERSION })
const local = (code: number) => new MCPError(code, 'local', undefined, { local: true })

type Outcome = DiscoverResult | Error

/** A session whose probes have these outcomes, one after the other. */
function setUp(probes: Outcome[], handshake?: Error) {
  const take = async () => {
    const outcome = probes.shift()
    if (outcome === undefined) throw new Error('nobody expected another probe')
    if (outcome instanceof Error) throw outcome
    return outcome
  }
  const session = {
    initialize: vi.fn(async () => {
      if (handshake !== undefined) throw handshake
    }),
    sendDiscover: vi.fn(take),
    adopt: vi.fn(),
  }
  const run = (mode: 'auto' | 'legacy' | typeof LATEST_MODERN_VERSION, priorDiscover?: DiscoverResult) =>
    negotiate(session as unknown as NegotiatingSession, { mode, priorDiscover, probeTimeoutMs: 10_000 })
  return { session, run }
}

describe('auto', () => {
  it('adopts what a modern server says of itself', async () => {
    const result = discovered(LATEST_LEGACY_VERSION, LATEST_MODERN_VERSION)
    const { session, run } = setUp([result])
    await run('auto')
    expect(session.sendDiscover).toHaveBeenCalledExactlyOnceWith(LATEST_MODERN_VERSION, { timeoutMs: 10_000 })
    expect(session.adopt).toHaveBeenCalledExactlyOnceWith(result, LATEST_MODERN_VERSION)
    expect(session.initialize).not.toHaveBeenCalled()
  })

  it.each([
    ['an unknown method', new MCPError(-32601, 'Method not found')],
    ['invalid params', new MCPError(-32602, 'Invalid params')],
    ['an invalid request', new MCPError(-32600, 'Not initialized')],
    ["a code of another SDK's own", new MCPError(-32000, 'Bad Request')],
    ['a code in use here for timeouts', new MCPError(-32001, 'Session not found')],
    ['any other code', new MCPError(0, 'what?')],
    ['silence', local(-32001)],
    ['a result of another form', new InvalidResultError('Invalid result of server/discover')],
    ['a result that lists legacy revisions alone', discovered(LATEST_LEGACY_VERSION)],
    ['a refusal that lists legacy revisions alone', refusedFor('2025-06-18', LATEST_LEGACY_VERSION)],
  ])('F220 takes %s for the legacy era', async (_what, outcome) => {
    const { session, run } = setUp([outcome])
    await run('auto')
    expect(session.initialize).toHaveBeenCalledTimes(1)
    expect(session.sendDiscover).toHaveBeenCalledTimes(1)
    expect(session.adopt).not.toHaveBeenCalled()
  })

  it.each([
    ['-32020', new MCPError(-32020, 'Header mismatch')],
    ['-32021', MCPError.from({ code: -32021, message: 'no', data: { requiredCapabilities: { roots: {} } } })],
    ['-32022 that does not say what it supports', refused('nonsense')],
    ['-32022 that supports nothing', refusedFor()],
  ])('F091 never falls back to the handshake on %s', async (_what, error) => {
    const { session, run } = setUp([error])
    await expect(run('auto')).rejects.toBe(error)
    expect(session.initialize).not.toHaveBeenCalled()
  })

  it.each([
    ['in its discovery', discovered('2031-01-01')],
    ['in its refusal', refusedFor('2031-01-01')],
  ])(
    'F091 C-VER-11 names both sides when a server speaks only revisions that the client does not know, %s',
    async (_where, answer) => {
      const { session, run } = setUp([answer])
      const message = `The server speaks 2031-01-01 only, and this client ${PROTOCOL_VERSIONS.join(', ')}. Update the older of the two.`
      await expect(run('auto')).rejects.toMatchObject({ code: -32022, supported: ['2031-01-01'], message })
      expect(session.initialize).not.toHaveBeenCalled()
    },
  )

  it('F091 probes once more in a revision that the rejection lists', async () => {
    const result = discovered(LATEST_MODERN_VERSION)
    const { session, run } = setUp([refusedFor(LATEST_MODERN_VERSION), result])
    await run('auto')
    expect(session.sendDiscover).toHaveBeenCalledTimes(2)
    expect(session.adopt).toHaveBeenCalledExactlyOnceWith(result, LATEST_MODERN_VERSION)
  })

  it('F091 does not probe a third time', async () => {
    const second = refusedFor(LATEST_MODERN_VERSION)
    const { session, run } = setUp([refusedFor(LATEST_MODERN_VERSION), second])
    await expect(run('auto')).rejects.toBe(second)
    expect(session.sendDiscover).toHaveBeenCalledTimes(2)
    expect(session.initialize).not.toHaveBeenCalled()
  })

  it.each([
    ['a broken connection', new TransportError('ECONNREFUSED')],
    ['401', new TransportError('Unauthorized', { status: 401 })],
    ['403', new TransportError('Forbidden', { status: 403 })],
    ['a connection that closed', local(-32000)],
    ['a call refused on this side', local(-32600)],
    ['anything else', new TypeError('a bug')],
  ])('learns nothing from %s', async (_what, error) => {
    const { session, run } = setUp([error])
    await expect(run('auto')).rejects.toBe(error)
    expect(session.initialize).not.toHaveBeenCalled()
  })

  it('probes again once when the handshake is rejected for a modern revision', async () => {
    const result = discovered(LATEST_MODERN_VERSION)
    const { session, run } = setUp([local(-32001), result], refusedFor(LATEST_MODERN_VERSION))
    await run('auto')
    expect(session.adopt).toHaveBeenCalledExactlyOnceWith(result, LATEST_MODERN_VERSION)
  })

  it('does not probe a third time after the handshake', async () => {
    const last = new MCPError(-32601, 'Method not found')
    const { session, run } = setUp([local(-32001), last], refusedFor(LATEST_MODERN_VERSION))
    await expect(run('auto')).rejects.toBe(last)
    expect(session.initialize).toHaveBeenCalledTimes(1)
  })

  it.each([
    ['another error', new MCPError(-32603, 'Internal error')],
    ['a refusal without a shared revision', refusedFor('2031-01-01')],
  ])('passes on %s of the handshake', async (_what, error) => {
    const { session, run } = setUp([new MCPError(-32601, 'Method not found')], error)
    await expect(run('auto')).rejects.toBe(error)
    expect(session.sendDiscover).toHaveBeenCalledTimes(1)
  })
})

describe('legacy', () => {
  it('performs the handshake without a probe', async () => {
    const { session, run } = setUp([])
    await run('legacy', discovered(LATEST_MODERN_VERSION))
    expect(session.initialize).toHaveBeenCalledTimes(1)
    expect(session.adopt).not.toHaveBeenCalled()
  })
})

describe('a pinned revision', () => {
  it('is not verified', async () => {
    const { session, run } = setUp([])
    await run(LATEST_MODERN_VERSION)
    expect(session.adopt).toHaveBeenCalledExactlyOnceWith(
      { supportedVersions: [LATEST_MODERN_VERSION], capabilities: {} },
      LATEST_MODERN_VERSION,
    )
    expect(session.sendDiscover).not.toHaveBeenCalled()
  })

  it('uses an earlier discovery', async () => {
    const prior = { ...discovered(LATEST_MODERN_VERSION), instructions: 'be kind' }
    const { session, run } = setUp([])
    await run(LATEST_MODERN_VERSION, prior)
    expect(session.adopt).toHaveBeenCalledExactlyOnceWith(prior, LATEST_MODERN_VERSION)
  })
})
