// Measurements of a backend, and what `observed` sees.
import { describe, expect, it, test } from 'vitest'
import { BackendError } from '../../../src/backend/backend-error.ts'
import { combine } from '../../../src/backend/combine.ts'
import { memory } from '../../../src/backend/memory/memory.ts'
import { type BackendOperation, observed } from '../../../src/backend/observed.ts'
import { Client } from '../../../src/client/client.ts'
import { MCPServer } from '../../../src/mcpserver/mcpserver.ts'
import { measureBackend } from '../../../src/telemetry/measure-backend.ts'
import { backendContract } from '../../../src/testing/backend-contract/contract.ts'
import { newTask } from '../../../src/testing/backend-contract/task-kit.ts'
import { FakeTelemetry } from './fake-api.ts'

describe('measureBackend()', () => {
  it('measures each operation by name, in seconds, with how it failed', async () => {
    const telemetry = new FakeTelemetry()
    const attributes = { 'db.system.name': 'redis' }
    const backend = measureBackend(memory(), { api: telemetry.api, attributes })
    await backend.records.put('k', 'v', { ttlMs: 1_000 })
    await backend.tasks?.create(newTask())
    expect(() => backend.records.get('a b')).toThrow(BackendError)
    await backend.close()
    expect(() => backend.limits.take('k', { perSecond: 1, burst: 1 })).toThrow(/closed/)

    const measured = telemetry.measured('mcp.backend.operation.duration')
    expect(measured.map((one) => one.attributes)).toEqual([
      { ...attributes, 'mcp.backend.operation': 'records.put' },
      { ...attributes, 'mcp.backend.operation': 'tasks.create' },
      { ...attributes, 'mcp.backend.operation': 'records.get', 'error.type': 'refused' },
      { ...attributes, 'mcp.backend.operation': 'limits.take', 'error.type': 'unavailable' },
    ])
    for (const { value } of measured) expect(value).toBeLessThan(60)
    expect(telemetry.histograms.get('mcp.backend.operation.duration')).toMatchObject({ unit: 's' })
    expect(JSON.stringify(telemetry.measurements)).not.toMatch(/"k"|a b/)
  })

  it('is a backend like any other: a server opens and closes it', async () => {
    const inner = memory()
    const backend = measureBackend(inner, { api: new FakeTelemetry().api })
    const server = new MCPServer('measured', { backend })
    const client = await Client.connect(server)
    expect((await backend.health()).isReady).toBe(true)
    await client.close()
    await server.close()
    expect(await combine({ ...backend }).health()).toMatchObject({ isReady: false })
    expect(await backend.health()).toEqual(await inner.health())
  })

  it('does not fail with the telemetry', async () => {
    const telemetry = new FakeTelemetry()
    const broken = () => {
      throw new Error('no meter')
    }
    const backend = measureBackend(memory(), { api: { ...telemetry.api, metrics: { getMeter: broken } } })
    expect(await backend.records.put('k', 'v', { ttlMs: 1_000 })).toEqual(expect.any(String))
  })
})

describe('observed()', () => {
  it('sees what takes time until it is done, and drops what the observer throws', async () => {
    const done: BackendOperation[] = []
    const { records, ...others } = memory()
    let settle = (_value: undefined) => {}
    const slow = Object.assign(Object.create(records) as typeof records, {
      get: () => new Promise<undefined>((resolve) => (settle = resolve)),
      put: async () => {
        throw new TypeError('not from an engine')
      },
    })
    const backend = observed(
      {
        ...others,
        records: slow,
        open: async () => {},
        close: async () => {},
        health: async () => ({ isReady: true }),
      },
      (one) => {
        done.push(one)
        throw new Error('the observer is broken')
      },
    )
    const got = backend.records.get('k')
    expect(done).toEqual([])
    settle(undefined)
    expect(await got).toBeUndefined()
    expect(done).toEqual([{ operation: 'records.get', durationMs: expect.any(Number) }])
    await expect(backend.records.put('k', 'v', { ttlMs: 1 })).rejects.toThrow('not from an engine')
    expect(done[1]).toMatchObject({ operation: 'records.put', failure: 'other' })
  })

  const make = () => {
    const clock = { time: 1_000_000, now: () => clock.time }
    const advance = (ms: number) => {
      clock.time += ms
    }
    return { backend: observed(memory({ clock }), () => {}), advance }
  }
  backendContract(make, { describe, test })
})
