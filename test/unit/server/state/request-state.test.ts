import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  createRequestStateSeal,
  type RequestStateContext,
  type RequestStateFault,
  type RequestStateOptions,
} from '../../../../src/server/state/request-state.ts'
import { MCPError } from '../../../../src/types/errors/errors.ts'
import type { AuthInfo } from '../../../../src/types/protocol/auth.ts'
import { LOOKALIKES } from '../../../support/lookalikes.ts'

const KEY = 'first key, with more than thirty-two bytes'
const OTHER_KEY = 'other key, with more than thirty-two bytes'

const call: RequestStateContext = {
  method: 'tools/call',
  params: { name: 'book', arguments: { room: 7, nights: [1, 2] } },
}
const alice: AuthInfo = { clientId: 'app', issuer: 'https://id.example', subject: 'alice', scopes: [] }

const sealWith = (options: Partial<RequestStateOptions> = {}) =>
  createRequestStateSeal({ audience: 'hotel', keys: [KEY], ...options })

/** Why a token is refused; also holds the one error that a peer may see. */
async function refusal(
  token: unknown,
  context: RequestStateContext,
  options: Partial<RequestStateOptions> = {},
): Promise<RequestStateFault> {
  const reasons: RequestStateFault[] = []
  const seal = sealWith({ ...options, onRefused: (reason) => reasons.push(reason) })
  const error = await seal.unseal(context, token).then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(MCPError)
  const { local, cause, ...wire } = { ...(error as MCPError), ...(error as MCPError).toErrorData() }
  expect(wire).toEqual({
    code: -32602,
    message: 'Invalid or expired requestState',
    data: { reason: 'invalid_request_state' },
  })
  expect([local, cause]).toEqual([false, undefined])
  expect(reasons).toHaveLength(1)
  return reasons[0]!
}

describe('createRequestStateSeal', () => {
  it.each([
    ['a short string', ['too short']],
    ['short bytes', [new Uint8Array(31)]],
    ['no keys', []],
    ['the same key twice', [KEY, OTHER_KEY, KEY]],
    ['the same key as text and bytes', [KEY, new TextEncoder().encode(KEY)]],
  ])('refuses %s with a RangeError', (_what, keys) => {
    expect(() => sealWith({ keys })).toThrow(RangeError)
  })

  it.each([
    ['a number', [42]],
    ['null', [null]],
    ['a bare string', KEY],
  ])('refuses %s with a TypeError', (_what, keys) => {
    expect(() => sealWith({ keys: keys as unknown as string[] })).toThrow(TypeError)
  })

  it('never names a key in its error', () => {
    expect(() => sealWith({ keys: ['hunter2'] })).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('hunter2') }),
    )
  })

  it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY])('refuses a lifetime of %d', (ttlMs) => {
    expect(() => sealWith({ ttlMs })).toThrow(RangeError)
  })

  it('needs an audience', () => {
    expect(() => createRequestStateSeal({ audience: '' })).toThrow(RangeError)
    expect(() => createRequestStateSeal({} as RequestStateOptions)).toThrow(TypeError)
  })

  it('takes a key of 32 bytes that are wiped afterwards', async () => {
    const key = new Uint8Array(32).fill(5)
    const seal = sealWith({ keys: [key] })
    key.fill(0)
    const token = await seal.seal(call, 'state')
    await expect(sealWith({ keys: [new Uint8Array(32).fill(5)] }).unseal(call, token)).resolves.toBe('state')
  })
})

describe('a sealed state', () => {
  it('comes back as it went, whatever it holds', async () => {
    const seal = sealWith()
    const property = fc.asyncProperty(fc.string({ unit: 'binary' }), async (state) => {
      const token = await seal.seal(call, state)
      expect(token).toMatch(/^v1\.[A-Za-z0-9_-]+$/)
      expect(await seal.unseal(call, token)).toBe(state)
    })
    await fc.assert(property, { seed: 11, numRuns: 50 })
  })

  it('keeps lone surrogates, in the state and in the arguments', async () => {
    const context = { method: 'tools/call', params: { name: 'x', arguments: { text: 'a\ud800' } } }
    const token = await sealWith().seal(context, '\udfff!')
    await expect(sealWith().unseal(context, token)).resolves.toBe('\udfff!')
    const other = { method: 'tools/call', params: { name: 'x', arguments: { text: 'a\ud801' } } }
    expect(await refusal(token, other)).toBe('arguments')
  })

  it.each(LOOKALIKES)('is for one call: arguments of %j are not arguments of %j', async (one, other) => {
    const contextOf = (value: unknown) => ({ method: 'tools/call', params: { name: 'x', arguments: { value } } })
    const token = await sealWith().seal(contextOf(one) as never, 'state')
    expect(await refusal(token, contextOf(other) as never)).toBe('arguments')
  })

  it('cannot be read, and is never the same twice', async () => {
    const seal = sealWith()
    const [first, second] = [await seal.seal(call, 'the secret'), await seal.seal(call, 'the secret')]
    expect(first).not.toBe(second)
    expect(atob(first.slice(3).replaceAll('-', '+').replaceAll('_', '/'))).not.toContain('secret')
  })

  it('does not mind the order of members, meta, answers or its own presence', async () => {
    const token = await sealWith().seal(call, 's')
    const retry = {
      method: 'tools/call',
      params: {
        _meta: { progressToken: 9 },
        inputResponses: {},
        requestState: token,
        arguments: { nights: [1, 2], room: 7 },
        name: 'book',
        addedByALaterRevision: true,
      },
    }
    await expect(sealWith().unseal(retry, token)).resolves.toBe('s')
  })

  it('works for prompts and resources', async () => {
    const prompt = { method: 'prompts/get', params: { name: 'p', arguments: { a: '1' } } }
    const read = { method: 'resources/read', params: { uri: 'x://y' } }
    for (const context of [prompt, read]) {
      await expect(sealWith().unseal(context, await sealWith().seal(context, 's'))).resolves.toBe('s')
    }
  })

  it('uses a random key of its own where none is given', async () => {
    const [one, other] = [sealWith({ keys: undefined as never }), createRequestStateSeal({ audience: 'hotel' })]
    const token = await one.seal(call, 's')
    await expect(one.unseal(call, token)).resolves.toBe('s')
    await expect(other.unseal(call, token)).rejects.toMatchObject({ code: -32602 })
  })

  it.each(['tools/list', 'initialize', 'vendor/method', 'constructor'])('is not for %s', async (method) => {
    await expect(sealWith().seal({ method, params: { name: 'x' } }, 's')).rejects.toThrow(RangeError)
    expect(await refusal(await sealWith().seal(call, 's'), { method, params: { name: 'x' } })).toBe('target')
  })
})

describe('F099 R39 one refusal for everything', () => {
  it('F099 refuses a token with any character altered', async () => {
    const token = await sealWith().seal(call, 'state')
    for (let at = 0; at < token.length; at++) {
      const letter = token[at] === 'A' ? 'B' : 'A'
      const reason = await refusal(token.slice(0, at) + letter + token.slice(at + 1), call)
      expect(['malformed', 'unknown-key', 'altered']).toContain(reason)
    }
  })

  it('F099 refuses a token cut off anywhere', async () => {
    const token = await sealWith().seal(call, 'state')
    for (let length = 0; length < token.length; length += 3) {
      expect(['malformed', 'altered']).toContain(await refusal(token.slice(0, length), call))
    }
  })

  it.each([
    ['nothing', ''],
    ['a prefix', 'v1.'],
    ['another version', 'v2.AAAA'],
    ['a number', 5],
    ['null', null],
    ['an object', {}],
    ['a list', ['v1.']],
  ])('refuses %s', async (_what, token) => {
    expect(await refusal(token, call)).toBe('malformed')
  })

  it('takes the canonical spelling only', async () => {
    const token = await sealWith().seal(call, 'x')
    for (const spelling of [`${token}=`, `${token}\n`, ` ${token}`, token.replace('v1.', 'V1.')]) {
      expect(await refusal(spelling, call)).toBe('malformed')
    }
  })

  it.each<[RequestStateFault, RequestStateContext]>([
    ['method', { method: 'prompts/get', params: call.params }],
    ['target', { method: 'tools/call', params: { ...call.params, name: 'cancel' } }],
    ['target', { method: 'tools/call', params: { arguments: {} } }],
    ['target', { method: 'tools/call', params: undefined }],
    ['arguments', { method: 'tools/call', params: { name: 'book' } }],
    ['arguments', { method: 'tools/call', params: { name: 'book', arguments: { room: '7', nights: [1, 2] } } }],
    ['arguments', { method: 'tools/call', params: { name: 'book', arguments: { room: 7, nights: [2, 1] } } }],
  ])('F099 refuses another call: %s', async (reason, context) => {
    expect(await refusal(await sealWith().seal(call, 's'), context)).toBe(reason)
  })

  it('F099 refuses another audience', async () => {
    expect(await refusal(await sealWith().seal(call, 's'), call, { audience: 'restaurant' })).toBe('audience')
  })

  it('F099 a previous key opens during the overlap only', async () => {
    const token = await sealWith({ keys: [KEY] }).seal(call, 's')
    await expect(sealWith({ keys: [OTHER_KEY, KEY] }).unseal(call, token)).resolves.toBe('s')
    expect(await refusal(token, call, { keys: [OTHER_KEY] })).toBe('unknown-key')
  })

  it('seals with the first key', async () => {
    const token = await sealWith({ keys: [OTHER_KEY, KEY] }).seal(call, 's')
    expect(await refusal(token, call, { keys: [KEY] })).toBe('unknown-key')
  })

  it('refuses a call whose arguments are no JSON in the same way', async () => {
    const token = await sealWith().seal(call, 's')
    const context = { method: 'tools/call', params: { name: 'book', arguments: { room: 7n } } }
    expect(await refusal(token, context)).toBe('unreadable')
  })

  it('is not changed by a listener that throws', async () => {
    const seal = sealWith({
      onRefused: () => {
        throw new Error('listener')
      },
    })
    await expect(seal.unseal(call, 'v1.')).rejects.toMatchObject({ code: -32602 })
  })
})

describe('the caller', () => {
  const as = (principal: AuthInfo | undefined): RequestStateContext => ({ ...call, principal })

  it('F099 may bring back only their own state, and nobody unknown may', async () => {
    const token = await sealWith().seal(as(alice), 's')
    await expect(sealWith().unseal(as({ ...alice, scopes: ['more'], expiresAt: 5 }), token)).resolves.toBe('s')
    for (const other of [
      { ...alice, subject: 'bob' },
      { ...alice, clientId: 'x' },
      { ...alice, issuer: 'y' },
      undefined,
    ]) {
      expect(await refusal(token, as(other))).toBe('principal')
    }
  })

  it('F099 cannot use what was made for nobody in particular', async () => {
    expect(await refusal(await sealWith().seal(call, 's'), as(alice))).toBe('principal')
  })

  it('does not become another one by moving text from one member to the next', async () => {
    const token = await sealWith().seal(as({ clientId: 'a', issuer: 'b', scopes: [] }), 's')
    expect(await refusal(token, as({ clientId: 'a', subject: 'b', scopes: [] }))).toBe('principal')
  })

  it('is told apart as the author likes', async () => {
    const principalOf = async (auth: AuthInfo | undefined) => auth?.claims?.['tenant'] as string | undefined
    const tenant = (name: string) => as({ ...alice, claims: { tenant: name } })
    const token = await sealWith({ principalOf }).seal(tenant('one'), 's')
    await expect(sealWith({ principalOf }).unseal(tenant('one'), token)).resolves.toBe('s')
    expect(await refusal(token, tenant('two'), { principalOf })).toBe('principal')
  })

  it('is refused when they cannot be told apart', async () => {
    const failing = () => Promise.reject(new Error('no database'))
    const token = await sealWith().seal(call, 's')
    expect(await refusal(token, call, { principalOf: failing })).toBe('principal-unknown')
    await expect(sealWith({ principalOf: failing }).seal(call, 's')).rejects.toThrow('no database')
  })
})

describe('time', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['Date'] })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  it('F099 ends a state after ten minutes, or the time given', async () => {
    const [usual, short] = [await sealWith().seal(call, 's'), await sealWith({ ttlMs: 1000 }).seal(call, 's')]
    vi.setSystemTime(Date.now() + 999)
    await expect(sealWith().unseal(call, short)).resolves.toBe('s')
    vi.setSystemTime(Date.now() + 1)
    expect(await refusal(short, call)).toBe('expired')
    vi.setSystemTime(Date.now() + 598_999)
    await expect(sealWith().unseal(call, usual)).resolves.toBe('s')
    vi.setSystemTime(Date.now() + 1)
    expect(await refusal(usual, call)).toBe('expired')
  })

  it('forgives a clock that is up to a minute behind', async () => {
    const token = await sealWith().seal(call, 's')
    vi.setSystemTime(Date.now() - 60_000)
    await expect(sealWith().unseal(call, token)).resolves.toBe('s')
    vi.setSystemTime(Date.now() - 1)
    expect(await refusal(token, call)).toBe('issued-ahead')
  })

  it('fails where the clock does', async () => {
    const token = await sealWith().seal(call, 's')
    const clock = vi.spyOn(Date, 'now').mockReturnValue(Number.NaN)
    expect(await refusal(token, call)).toBe('issued-ahead')
    clock.mockRestore()
  })
})

describe('F100 a state that counts once', () => {
  function onceOnly() {
    const spent = new Set<string>()
    return (id: string) => spent.size < spent.add(id).size
  }

  it('F100 of two retries at the same time one runs', async () => {
    const reasons: RequestStateFault[] = []
    const seal = sealWith({ redeem: onceOnly(), onRefused: (reason) => reasons.push(reason) })
    const token = await seal.seal(call, 's')
    const outcomes = await Promise.allSettled([seal.unseal(call, token), seal.unseal(call, token)])
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    expect(reasons).toEqual(['redeemed'])
  })

  it('F100 each state has an id of its own, told only when all else holds', async () => {
    const redeem = vi.fn((_id: string, _expiresAt: number) => true)
    const seal = sealWith({ redeem })
    const [first, second] = [await seal.seal(call, 's'), await seal.seal(call, 's')]
    await seal.unseal({ ...call, method: 'prompts/get' }, first).catch(() => {})
    expect(redeem).not.toHaveBeenCalled()
    await seal.unseal(call, first)
    await seal.unseal(call, second)
    const [[one, expiry] = [], [two] = []] = redeem.mock.calls
    expect(one).not.toBe(two)
    expect(expiry).toBeGreaterThan(Date.now())
  })

  it('fails closed when the memory fails', async () => {
    const token = await sealWith().seal(call, 's')
    const redeem = () => Promise.reject(new Error('store down'))
    expect(await refusal(token, call, { redeem })).toBe('redeemed')
  })
})
