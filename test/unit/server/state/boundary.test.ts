import { describe, expect, it, vi } from 'vitest'
import type { DispatchContext } from '../../../../src/dispatcher/dispatcher.ts'
import { ConnectionCore } from '../../../../src/server/connection.ts'
import { createContext, findExtras, type ServerRequestContext } from '../../../../src/server/context.ts'
import { coreOf } from '../../../../src/server/internals.ts'
import { Server } from '../../../../src/server/server.ts'
import { requestStateBoundary } from '../../../../src/server/state/boundary.ts'
import { createRequestStateSeal, type RequestStateSeal } from '../../../../src/server/state/request-state.ts'
import type { AuthInfo } from '../../../../src/types/protocol/auth.ts'
import type { JSONObject } from '../../../../src/types/protocol/json.ts'

const seal = createRequestStateSeal({ audience: 'hotel' })
const boundary = requestStateBoundary(seal)

const call = { name: 'book', arguments: { room: 7 } }
const asks = (requestState?: unknown) => ({ resultType: 'input_required', inputRequests: {}, requestState })
const alice: AuthInfo = { clientId: 'app', scopes: [] }

/** One call through the boundary: what the handler saw, and what the client sees. */
async function roundTrip(params: JSONObject, answer: JSONObject, method = 'tools/call', auth?: AuthInfo) {
  const handler = vi.fn(async (_params?: JSONObject) => answer as JSONObject | undefined)
  const result = await boundary({ method, params, auth }, handler)
  return { seen: handler.mock.calls[0]?.[0] ?? params, result }
}

async function sealedState(auth?: AuthInfo): Promise<string> {
  const { result } = await roundTrip(call, asks('plain'), 'tools/call', auth)
  return result?.['requestState'] as string
}

const connection = ConnectionCore.fromEnvelope({ protocolVersion: '2026-07-28', clientCapabilities: {} })
const dispatch = { transport: { kind: 'test', canSendRequest: false } } as DispatchContext

describe('requestStateBoundary', () => {
  it('seals on the way out and opens on the way in', async () => {
    const token = await sealedState()
    expect(token).toMatch(/^v1\./)
    const { seen, result } = await roundTrip({ ...call, requestState: token, inputResponses: {} }, { content: [] })
    expect(seen).toEqual({ ...call, requestState: 'plain', inputResponses: {} })
    expect(result).toEqual({ content: [] })
  })

  it('seals each round anew', async () => {
    const token = await sealedState()
    const { result } = await roundTrip({ ...call, requestState: token }, asks('second'))
    const { seen } = await roundTrip({ ...call, requestState: result?.['requestState'] }, {})
    expect(seen['requestState']).toBe('second')
  })

  it('tells of a state that was verified, and of no other', async () => {
    const token = await sealedState()
    const contexts: ServerRequestContext[] = []
    const through = async (params: JSONObject) => {
      const ctx = createContext(coreOf(new Server('test')), connection, dispatch, 'tools/call', params)
      contexts.push(ctx)
      await boundary(ctx, async () => ({ content: [] }))
    }
    const resumed = () => contexts.map((ctx) => findExtras(ctx)?.resumedFrom)
    await through(call)
    await through({ ...call, requestState: null })
    await expect(through({ ...call, requestState: `${token}x` })).rejects.toMatchObject({ code: -32602 })
    await expect(through({ ...call, name: 'other', requestState: token })).rejects.toMatchObject({ code: -32602 })
    expect(resumed()).toEqual([undefined, undefined, undefined, undefined])
    await through({ ...call, requestState: token })
    expect(resumed().at(-1)).toBe(token)
  })

  it('keeps an empty state', async () => {
    const { result } = await roundTrip(call, asks(''))
    expect((await roundTrip({ ...call, requestState: result?.['requestState'] }, {})).seen['requestState']).toBe('')
  })

  it('binds the state to the caller', async () => {
    const token = await sealedState(alice)
    await expect(roundTrip({ ...call, requestState: token }, {})).rejects.toMatchObject({ code: -32602 })
    await expect(roundTrip({ ...call, requestState: token }, {}, 'tools/call', alice)).resolves.toBeDefined()
  })

  it.each(['plain', '', 7, true, {}, []])('F099 refuses %j and does not run the handler', async (requestState) => {
    const handler = vi.fn()
    const refused = boundary({ method: 'tools/call', params: { ...call, requestState } }, handler)
    await expect(refused).rejects.toMatchObject({ code: -32602, message: 'Invalid or expired requestState' })
    expect(handler).not.toHaveBeenCalled()
  })

  it('takes null for absent', async () => {
    const { seen } = await roundTrip({ ...call, requestState: null }, {})
    expect(seen).toEqual(call)
  })

  it('leaves params and results without a state as they are', async () => {
    const handler = vi.fn(async () => answer)
    const answer = asks()
    expect(await boundary({ method: 'tools/call', params: call }, handler)).toBe(answer)
    expect(handler).toHaveBeenCalledWith()
    await expect(boundary({ method: 'tools/call', params: undefined }, handler)).resolves.toBe(answer)
  })

  it('leaves a finished result alone, whatever it holds', async () => {
    const { result } = await roundTrip(call, { resultType: 'complete', requestState: 'mine' })
    expect(result?.['requestState']).toBe('mine')
  })

  it.each(['tools/list', 'vendor/method', 'notifications/initialized'])('does not touch %s', async (method) => {
    const { seen, result } = await roundTrip({ requestState: 'x' }, asks('y'), method)
    expect([seen, result]).toEqual([{ requestState: 'x' }, asks('y')])
  })

  it.each(['prompts/get', 'resources/read'])('acts on %s', async (method) => {
    const { result } = await roundTrip({ name: 'n', uri: 'x://y' }, asks('y'), method)
    expect(result?.['requestState']).toMatch(/^v1\./)
  })

  it('hides why a state could not be sealed', async () => {
    const broken: RequestStateSeal = { ...seal, seal: () => Promise.reject(new Error('secret')) }
    const failing = requestStateBoundary(broken)({ method: 'tools/call', params: call }, async () => asks('y'))
    await expect(failing).rejects.toMatchObject({
      code: -32603,
      local: true,
      message: expect.not.stringContaining('secret'),
    })
  })

  it.each([7, null, {}])('never lets a state of %j out in the clear', async (state) => {
    await expect(roundTrip(call, asks(state))).rejects.toMatchObject({ code: -32603 })
  })
})
