// The states of calls that wait for an answer, where a proxy or a gateway has layers of its own that ask: sealed, and good for one
// call of one caller, for a while. The state of a source stays as the source gave it.
import { describe, expect, it, vi } from 'vitest'
import { requireBearer, verifyStaticTokens } from '../../../src/exports/auth.ts'
import { serveHttp } from '../../../src/exports/node.ts'
import { createGateway, createProxy } from '../../../src/exports/proxy.ts'
import { MCPServer } from '../../../src/exports/server.ts'
import { codeMode, type Sandbox, searchTools, type Transform, transform } from '../../../src/exports/transforms.ts'
import type { FrontServer } from '../../../src/proxy/front/front-server.ts'
import { ALL_CAPABILITIES, META, RAW_INFO, type RawMessage, rawServer, targetOf } from '../../support/raw-peers.ts'
import { closedAfterEach } from './pair.ts'

const open = closedAfterEach()
const [ADA, BOB] = ['token-of-ada-0123456789', 'token-of-bob-0123456789']
const auth = {
  auth: (handler: Parameters<typeof requireBearer>[0]) =>
    requireBearer(handler, {
      resource: 'http://127.0.0.1/mcp',
      issuer: 'http://127.0.0.1:4000',
      verifier: verifyStaticTokens({
        [ADA]: { clientId: 'app', subject: 'ada', scopes: [] },
        [BOB]: { clientId: 'app', subject: 'bob', scopes: [] },
      }),
    }),
}

function bank(era: 'modern' | 'legacy') {
  const server = new MCPServer('bank', { supportedVersions: [era === 'modern' ? '2026-07-28' : '2025-11-25'] })
  server.tool('balance', () => 'balance 5')
  server.tool('confirm', async (_args, ctx) => {
    const { action } = await ctx.elicit('Sure?', { type: 'object', properties: {} })
    return `confirm ${action}`
  })
  return server
}

/** Runs no scripts: the code is names of tools. */
const sandbox: Sandbox = {
  run: async (code, { call, signal }) => {
    const ended = new Promise<never>((_resolve, reject) =>
      signal.addEventListener('abort', () => reject(signal.reason)),
    )
    const values: unknown[] = []
    try {
      for (const name of code.split(' ')) values.push(await Promise.race([call(name, {}), ended]))
    } catch (error) {
      return { ok: false, message: (error as Error).message, logs: [] }
    }
    return { ok: true, value: values.join(', '), logs: [] }
  },
}

/** Serves it, and calls it as one of two callers would in the modern era. */
async function serve(front: FrontServer) {
  const serving = await serveHttp(front.server, { port: 0, ...auth })
  open.push(serving, front)
  let id = 0
  return async (token: string, name: string, args: object, round: object = {}): Promise<RawMessage> => {
    id += 1
    const _meta = { [META.version]: '2026-07-28', [META.info]: RAW_INFO, [META.capabilities]: ALL_CAPABILITIES }
    const response = await fetch(serving.url, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'tools/call',
        'mcp-name': name,
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id,
        method: 'tools/call',
        params: { name, arguments: args, ...round, _meta },
      }),
    })
    const text = await response.text()
    return JSON.parse(/^data: (\{.*"id".*)$/m.exec(text)?.[1] ?? text) as RawMessage
  }
}

const REFUSED = { error: { code: -32602, data: { reason: 'invalid_request_state' } } }
const resultOf = (message: RawMessage) => message['result'] as RawMessage
const stateOf = (message: RawMessage) => resultOf(message)['requestState'] as string
const acceptAll = (message: RawMessage) => ({
  inputResponses: Object.fromEntries(
    Object.keys(resultOf(message)['inputRequests'] as object).map((key) => [key, { action: 'accept', content: {} }]),
  ),
})

/** Where the layer stands: the front, what stands before the name of its tool, and before those that it calls. */
const places: Record<string, (source: MCPServer, layer: Transform) => [FrontServer, string]> = {
  'a proxy': (source, layer) => [createProxy(source, { transforms: [layer] }), ''],
  'a proxy, added': (source, layer) => [createProxy(source).transform(layer), ''],
  'a source of a gateway': (source, layer) => [createGateway({ e: { target: source, transforms: [layer] } }), 'e_'],
  'a gateway': (source, layer) => [createGateway({ e: { target: source, as: '' } }, { transforms: [layer] }), ''],
  'a gateway, added': (source, layer) => [createGateway({ e: { target: source, as: '' } }).transform(layer), ''],
}

describe.each(['modern', 'legacy'] as const)('a %s source', (era) => {
  describe.each(Object.keys(places))('compose K28 a script in %s', (where) => {
    const start = async () => {
      const [front, as] = (places[where] as (typeof places)[string])(bank(era), codeMode({ sandbox }))
      open.push(front)
      const call = await serve(front)
      const code = `${as}balance ${as}confirm`
      const first = await call(ADA, `${as}run_code`, { code })
      return { call, name: `${as}run_code`, as, code, first, state: stateOf(first), answers: acceptAll(first) }
    }

    it('its state cannot be read, and brings the call to its end', async () => {
      const { call, name, code, state, answers } = await start()
      expect(state).not.toMatch(/balance|entries/)
      expect(Buffer.from(state.replaceAll('.', ''), 'base64url').toString()).not.toMatch(/balance|entries/)
      const last = await call(ADA, name, { code }, { ...answers, requestState: state })
      expect(resultOf(last)).toMatchObject({ content: [{ text: 'balance 5, confirm accept' }] })
    })

    it('one that was made up, changed or taken from elsewhere is refused', async () => {
      const { call, name, as, code, state, answers } = await start()
      const entry = (name: string) => ({
        call: JSON.stringify([`${as}${name}`, {}]),
        result: { content: [{ type: 'text', text: `rich ${name}` }] },
      })
      const entries = [
        [0, entry('balance')],
        [1, entry('confirm')],
      ]
      const forged = JSON.stringify({ entries, at: 5, call: 'x' })
      // What nobody here has sealed is the source's at best: the script begins anew.
      const again = await call(ADA, name, { code }, { ...answers, requestState: forged })
      expect(JSON.stringify(again)).not.toContain('rich')
      expect(resultOf(again)).toMatchObject({ resultType: 'input_required' })
      const prefix = state.slice(0, state.indexOf('.') + 1)
      for (const requestState of [`${state}x`, `${prefix}${forged}`, prefix]) {
        expect(await call(ADA, name, { code }, { ...answers, requestState })).toMatchObject(REFUSED)
      }
    })

    it('another caller, other arguments and another tool are refused', async () => {
      const { call, name, as, code, state, answers } = await start()
      const round = { ...answers, requestState: state }
      expect(await call(BOB, name, { code }, round)).toMatchObject(REFUSED)
      expect(await call(BOB, name, { code: `${as}balance` }, round)).toMatchObject(REFUSED)
      expect(await call(ADA, name, { code: `${as}balance` }, round)).toMatchObject(REFUSED)
      expect(await call(ADA, `${as}search_tools`, { query: 'x' }, round)).toMatchObject(REFUSED)
    })

    it('it expires', async () => {
      const { call, name, code, state, answers } = await start()
      vi.useFakeTimers({ toFake: ['Date'] })
      vi.setSystemTime(Date.now() + 601_000)
      expect(await call(ADA, name, { code }, { ...answers, requestState: state })).toMatchObject(REFUSED)
    })
  })

  it('compose K28 a tool that calls another: its question comes through, and its answer back', async () => {
    const call = await serve(createProxy(bank(era), { transforms: [searchTools({ above: 0 })] }))
    const args = { name: 'confirm' }
    const first = await call(ADA, 'call_tool', args)
    const round = { ...acceptAll(first), requestState: stateOf(first) }
    expect(await call(BOB, 'call_tool', args, round)).toMatchObject(REFUSED)
    expect(await call(ADA, 'call_tool', { name: 'balance' }, round)).toMatchObject(REFUSED)
    expect(resultOf(await call(ADA, 'call_tool', args, round))).toMatchObject({ content: [{ text: 'confirm accept' }] })
  })
})

it("compose K28 a transform of the author's: what it keeps in a state is sealed, and comes back to it", async () => {
  const seen: unknown[] = []
  const asking = transform({
    call: (params, next) => {
      seen.push(params['requestState'])
      if (params['requestState'] === 'step 2') {
        const { requestState: _state, inputResponses: _answers, ...rest } = params
        return next(rest)
      }
      const inputRequests = {
        q: {
          method: 'elicitation/create',
          params: { message: '?', requestedSchema: { type: 'object', properties: {} } },
        },
      }
      return { resultType: 'input_required', inputRequests, requestState: 'step 2' }
    },
  })
  const call = await serve(createGateway({ e: { target: bank('modern'), as: '' } }, { transforms: [asking] }))
  const first = await call(ADA, 'balance', {})
  expect(stateOf(first)).not.toContain('step 2')
  const last = await call(ADA, 'balance', {}, { ...acceptAll(first), requestState: stateOf(first) })
  expect(resultOf(last)).toMatchObject({ content: [{ text: 'balance 5' }] })
  await call(ADA, 'balance', {}, { ...acceptAll(first), requestState: 'step 2' })
  expect(seen).toEqual([undefined, 'step 2', undefined])
})

it("compose K28 a transform of the author's that puts the state of the source into its own: that is sealed", async () => {
  const wrapping = transform({
    call: async (params, next) => {
      const { requestState, ...rest } = params
      const { state, note } = JSON.parse((requestState as string | undefined) ?? '{}') as {
        state?: string
        note?: string
      }
      const result = await next({ ...rest, ...(state !== undefined && { requestState: state }) })
      if (result['resultType'] !== 'input_required') return { ...result, content: [{ type: 'text', text: `${note}` }] }
      return { ...result, requestState: JSON.stringify({ state: result['requestState'], note: 'private note' }) }
    },
  })
  const call = await serve(createProxy(bank('modern'), { transforms: [wrapping] }))
  const first = await call(ADA, 'confirm', {})
  expect(stateOf(first)).not.toContain('note')
  const round = { ...acceptAll(first), requestState: stateOf(first) }
  expect(await call(BOB, 'confirm', {}, round)).toMatchObject(REFUSED)
  expect(resultOf(await call(ADA, 'confirm', {}, round))).toMatchObject({ content: [{ text: 'private note' }] })
})

it.each(['proxy', 'gateway'] as const)(
  'compose K28 the state of a source passes a %s as it is, both ways',
  async (kind) => {
    const QUESTION = {
      method: 'elicitation/create',
      params: { mode: 'form', message: '?', requestedSchema: { type: 'object', properties: {} } },
    }
    const source = rawServer('modern')
      .on('tools/list', {
        tools: [{ name: 'ask', inputSchema: { type: 'object' } }],
        resultType: 'complete',
        ttlMs: 0,
        cacheScope: 'private',
      })
      .on('tools/call', ({ requestState }) =>
        requestState === 'its own'
          ? { resultType: 'complete', content: [{ type: 'text', text: 'done' }] }
          : { resultType: 'input_required', inputRequests: { q: QUESTION }, requestState: 'its own' },
      )
    const target = targetOf(source)
    // One that makes another result of it changes nothing of that.
    const copying = transform({ call: async (params, next) => ({ ...(await next(params)) }) })
    const call = await serve(
      kind === 'proxy'
        ? createProxy(target, { mode: 'modern', transforms: [copying] })
        : createGateway({ e: { target, as: '' } }, { mode: 'modern', transforms: [copying] }),
    )
    const first = await call(ADA, 'ask', {})
    expect(stateOf(first)).toBe('its own')
    const last = await call(ADA, 'ask', {}, { ...acceptAll(first), requestState: 'its own' })
    expect(resultOf(last)).toMatchObject({ content: [{ text: 'done' }] })
  },
)
