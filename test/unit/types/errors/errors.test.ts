import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { ErrorCode } from '../../../../src/types/errors/error-codes.ts'
import {
  MCPError,
  MissingClientCapabilityError,
  NoBackChannelError,
  UnsupportedProtocolVersionError,
  UrlElicitationRequiredError,
} from '../../../../src/types/errors/errors.ts'
import type { ErrorData } from '../../../../src/types/protocol/jsonrpc.ts'

const elicitation = { mode: 'url', message: 'Sign in', url: 'https://example.com/in', elicitationId: '1' } as const

const TYPED_CODES: number[] = [
  ErrorCode.UrlElicitationRequired,
  ErrorCode.UnsupportedProtocolVersion,
  ErrorCode.MissingRequiredClientCapability,
]

describe('MCPError', () => {
  it('is an Error with a code, a name and a stack', () => {
    const error = new MCPError(-32602, 'Unknown tool', { name: 'x' })
    expect(error).toBeInstanceOf(Error)
    expect(error.name).toBe('MCPError')
    expect(error.stack).toContain('MCPError: Unknown tool')
    expect(error).toMatchObject({ code: -32602, message: 'Unknown tool', data: { name: 'x' }, local: false })
  })

  it('keeps what it was caused by, and has no `cause` otherwise', () => {
    const cause = new Error('socket')
    expect(new MCPError(-32603, 'x', undefined, { cause }).cause).toBe(cause)
    expect('cause' in new MCPError(-32603, 'x')).toBe(false)
  })

  it('is local only when this side says so', () => {
    expect(new MCPError(ErrorCode.RequestTimeout, 'x', undefined, { local: true }).local).toBe(true)
    expect(MCPError.from({ code: ErrorCode.RequestTimeout, message: 'x' }).local).toBe(false)
    expect(MCPError.from({ code: ErrorCode.ConnectionClosed, message: 'x' }).local).toBe(false)
  })

  it('puts no `data` on the wire where there is none, and keeps a null', () => {
    expect(new MCPError(-32603, 'x').toErrorData()).toEqual({ code: -32603, message: 'x' })
    expect(Object.keys(new MCPError(-32603, 'x').toErrorData())).toEqual(['code', 'message'])
    expect(new MCPError(-32603, 'x', null).toErrorData()).toEqual({ code: -32603, message: 'x', data: null })
  })

  it('never puts local or cause on the wire', () => {
    const error = new MCPError(-32603, 'x', { a: 1 }, { local: true, cause: new Error('secret') })
    expect(error.toErrorData()).toStrictEqual({ code: -32603, message: 'x', data: { a: 1 } })
  })

  it('survives the way from the wire and back', () => {
    const anyError: fc.Arbitrary<ErrorData> = fc.record(
      { code: fc.oneof(fc.integer(), fc.constantFrom(...TYPED_CODES)), message: fc.string(), data: fc.jsonValue() },
      { requiredKeys: ['code', 'message'] },
    )
    fc.assert(
      fc.property(anyError, (error) => {
        expect(MCPError.from(error).toErrorData()).toEqual(error)
      }),
      { seed: 2, numRuns: 300 },
    )
  })
})

describe('MCPError.from', () => {
  it('gives the typed class where the code has one and its data fits', () => {
    const url = MCPError.from({ code: -32042, message: 'Sign in first', data: { elicitations: [elicitation] } })
    expect(url).toBeInstanceOf(UrlElicitationRequiredError)
    expect(url).toMatchObject({ message: 'Sign in first', elicitations: [elicitation], local: false })

    const version = MCPError.from({ code: -32022, message: 'm', data: { supported: ['2026-07-28'], requested: 'x' } })
    expect(version).toBeInstanceOf(UnsupportedProtocolVersionError)
    expect(version).toMatchObject({ message: 'm', supported: ['2026-07-28'], requested: 'x' })
    const unsaid = MCPError.from({ code: -32022, message: 'm', data: { supported: ['2026-07-28'] } })
    expect(unsaid).toBeInstanceOf(UnsupportedProtocolVersionError)
    expect(unsaid).toMatchObject({ supported: ['2026-07-28'], requested: '' })

    const capability = MCPError.from({ code: -32021, message: 'm', data: { requiredCapabilities: { roots: {} } } })
    expect(capability).toBeInstanceOf(MissingClientCapabilityError)
    expect(capability).toMatchObject({ message: 'm', requiredCapabilities: { roots: {} } })
  })

  const misfits: [number, unknown[]][] = [
    [
      ErrorCode.UrlElicitationRequired,
      [{ elicitations: 'x' }, { elicitations: [null] }, { elicitations: [{ url: 'x' }] }, { elicitations: [[]] }],
    ],
    [
      ErrorCode.UnsupportedProtocolVersion,
      [{ supported: 'x', requested: 'y' }, { supported: [1], requested: 'y' }, { requested: 'y' }],
    ],
    [
      ErrorCode.MissingRequiredClientCapability,
      [{ requiredCapabilities: [] }, { requiredCapabilities: null }, { requiredCapabilities: 'sampling' }],
    ],
  ]

  it.each(misfits)('falls back to the plain class when the data of %i does not fit', (code, values) => {
    for (const data of [undefined, null, 'text', 7, [], {}, ...values]) {
      const error = MCPError.from({ code, message: 'm', data })
      expect(Object.getPrototypeOf(error), JSON.stringify(data)).toBe(MCPError.prototype)
      expect(error).toMatchObject({ code, message: 'm' })
      expect(error.data).toBe(data)
    }
  })

  it('goes by the code, not by the looks of the data', () => {
    const error = MCPError.from({ code: -32000, message: 'm', data: { elicitations: [elicitation] } })
    expect(error instanceof UrlElicitationRequiredError).toBe(false)
  })

  it('never throws, whatever the data', () => {
    fc.assert(
      fc.property(fc.constantFrom(...TYPED_CODES), fc.anything({ withNullPrototype: true }), (code, data) => {
        expect(MCPError.from({ code, message: 'm', data })).toBeInstanceOf(MCPError)
      }),
      { seed: 3, numRuns: 300 },
    )
  })
})

describe('the typed errors', () => {
  it('write the data that they can be read from', () => {
    const errors = [
      new UrlElicitationRequiredError([elicitation]),
      new UnsupportedProtocolVersionError(['2025-11-25', '2026-07-28'], '2030-01-01'),
      new MissingClientCapabilityError({ elicitation: { url: {} } }),
    ]
    for (const error of errors) {
      const received = MCPError.from(JSON.parse(JSON.stringify(error.toErrorData())))
      expect(Object.getPrototypeOf(received)).toBe(Object.getPrototypeOf(error))
      expect(received.toErrorData()).toEqual(error.toErrorData())
      expect(received.name).toBe(error.constructor.name)
    }
  })

  it('say what is missing in their own words', () => {
    expect(new MissingClientCapabilityError({ sampling: {}, roots: {} }).message).toContain('sampling, roots')
    expect(new UrlElicitationRequiredError([elicitation]).message).toBe('URL elicitation required')
    expect(new UrlElicitationRequiredError([elicitation, elicitation]).message).toBe('URL elicitations required')
  })

  it('reads a URL elicitation error, and refuses any other', () => {
    const error = new UrlElicitationRequiredError([elicitation])
    expect(UrlElicitationRequiredError.from(error.toErrorData()).elicitations).toEqual([elicitation])
    expect(() => UrlElicitationRequiredError.from({ code: -32602, message: 'm' })).toThrow(TypeError)
    expect(() => UrlElicitationRequiredError.from({ code: -32042, message: 'm', data: {} })).toThrow(TypeError)
  })

  it('knows that a missing back-channel is a matter of this side', () => {
    const error = new NoBackChannelError('roots/list')
    expect(error).toBeInstanceOf(MCPError)
    expect(error).toMatchObject({ code: ErrorCode.InvalidRequest, local: true, method: 'roots/list' })
    expect(error.message).toContain("'roots/list'")
  })
})

describe('instanceof', () => {
  it('F212 works across two copies of the package, also for subclasses', async () => {
    vi.resetModules()
    const copy = await import('../../../../src/types/errors/errors.ts')
    expect(copy.MCPError).not.toBe(MCPError)

    const theirs = new copy.UnsupportedProtocolVersionError([], 'x')
    expect(theirs).toBeInstanceOf(MCPError)
    expect(theirs).toBeInstanceOf(UnsupportedProtocolVersionError)
    expect(theirs instanceof UrlElicitationRequiredError).toBe(false)
    expect(new MCPError(1, 'x')).toBeInstanceOf(copy.MCPError)
    expect(new MCPError(1, 'x') instanceof copy.NoBackChannelError).toBe(false)
  })

  it('stays ordinary for classes that a user derives', () => {
    class QuotaError extends MCPError {}
    class OtherError extends MCPError {}
    expect(new QuotaError(1, 'x')).toBeInstanceOf(QuotaError)
    expect(new QuotaError(1, 'x')).toBeInstanceOf(MCPError)
    expect(new OtherError(1, 'x') instanceof QuotaError).toBe(false)
    expect(new MCPError(1, 'x') instanceof QuotaError).toBe(false)
  })

  it('answers no for a revoked proxy', () => {
    const { proxy, revoke } = Proxy.revocable(new MCPError(1, 'x'), {})
    expect(proxy).toBeInstanceOf(MCPError)
    revoke()
    expect(proxy instanceof MCPError).toBe(false)
  })
})
