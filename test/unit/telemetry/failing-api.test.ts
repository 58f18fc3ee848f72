import { describe, expect, it } from 'vitest'
import type { Fault } from '../../../src/dispatcher/fault.ts'
import { Server } from '../../../src/server/server.ts'
import type { TelemetryApi } from '../../../src/telemetry/api.ts'
import { traceClient } from '../../../src/telemetry/trace-client.ts'
import { traceServer } from '../../../src/telemetry/trace-server.ts'
import { connect } from '../../../src/testing/connect.ts'
import type { JSONObject } from '../../../src/types/protocol/json.ts'
import { FakeTelemetry } from './fake-api.ts'

const BROKEN = new Error('exporter is broken')
const fail = (): never => {
  throw BROKEN
}

/** An API of which this one thing throws, however deep it is. */
function without(name: string): TelemetryApi {
  const wrap = (target: object): object =>
    new Proxy(target, {
      get: (from, key) => {
        if (key === name) return fail
        const value: unknown = Reflect.get(from, key)
        if (typeof value === 'function') return (...args: unknown[]) => wrapResult(value.apply(from, args))
        return value !== null && typeof value === 'object' ? wrap(value) : value
      },
    })
  const wrapResult = (value: unknown) =>
    value !== null && typeof value === 'object' && !('getValue' in value) && !(value instanceof Promise)
      ? wrap(value)
      : value
  return wrap(new FakeTelemetry().api) as TelemetryApi
}

const FORM = { type: 'object' as const, properties: { name: { type: 'string' as const } } }

function createServer() {
  const faults: Fault[] = []
  let runs = 0
  const server = new Server('host', {
    onFault: (fault) => faults.push(fault),
    handlers: {
      'tools/call': async (ctx) => {
        runs += 1
        if (ctx.session.canSendRequest) await ctx.session.elicitForm('Who?', FORM)
        return { content: [{ type: 'text', text: 'done' }] }
      },
    },
  })
  return { server, faults, runs: () => runs }
}

const FUNCTIONS = [
  ...['getTracer', 'startSpan', 'setSpan', 'getSpanContext', 'active', 'with', 'inject', 'extract'],
  ...['getMeter', 'createHistogram', 'record', 'isRecording', 'setAttributes', 'end'],
]

describe.each(['modern', 'legacy'] as const)('in the %s era', (mode) => {
  it.each(FUNCTIONS)('a call continues if %s throws, and the failure is reported once', async (name) => {
    const { server, faults, runs } = createServer()
    const told: Fault[] = []
    server.use(traceServer({ api: without(name) }))
    await using client = await connect(server, {
      mode,
      middleware: [traceClient({ api: without(name) })],
      onElicitation: () => ({ action: 'accept', content: {} }),
      onFault: (fault) => told.push(fault),
    })
    const meta = { traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` }
    for (let call = 1; call <= 3; call += 1) {
      expect((await client.callTool('run', {}, { meta })).content).toEqual([{ type: 'text', text: 'done' }])
      expect(runs()).toBe(call)
    }
    await client.session.sendNotification('vendor/told')
    for (const each of [faults, told]) {
      // What a client never extracts, and what only one of the two asks for, cannot fail there.
      expect(each.length, JSON.stringify(each)).toBeLessThanOrEqual(1)
      for (const fault of each) expect(fault).toMatchObject({ kind: 'callback-failed', error: BROKEN })
    }
    expect(faults.length + told.length).toBeGreaterThan(0)
  })

  it('an error of the handler stays what it is', async () => {
    const { server, faults } = createServer()
    server.use(traceServer({ api: without('setStatus') }))
    await using client = await connect(server, { mode })
    await expect(client.session.sendRequest('vendor/none')).rejects.toMatchObject({ code: -32601 })
    expect(faults).toMatchObject([{ error: BROKEN }])
  })

  it('a result that cannot be written as JSON is not recorded, and reaches the caller', async () => {
    const telemetry = new FakeTelemetry()
    const trace = traceClient({ api: telemetry.api, recordResults: true })
    const ring: Record<string, unknown> = { content: [] }
    ring['structuredContent'] = ring
    await using client = await connect(createServer().server, { mode })
    const ctx = { session: client.session, method: 'tools/call', params: {}, options: {} }
    expect(await trace(ctx, async () => ring as JSONObject)).toBe(ring)
    expect(telemetry.span('tools/call').isEnded).toBe(true)
  })
})
