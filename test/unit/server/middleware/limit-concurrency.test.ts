import { describe, expect, it } from 'vitest'
import { createDeferred, type Deferred } from '../../../../src/primitives/async/promises.ts'
import { limitConcurrency } from '../../../../src/server/middleware/limit-concurrency.ts'
import { connect } from '../../../../src/testing/connect.ts'
import { settle } from '../../../support/peers.ts'
import { eras, serverWith, text } from './support.ts'

/** A server whose calls run until the test lets them end. */
function heldServer(...args: Parameters<typeof limitConcurrency>) {
  const started: unknown[] = []
  const ends = new Map<unknown, Deferred<void>>()
  const { server, faults } = serverWith([limitConcurrency(...args)], async (_ctx, { n }) => {
    const end = createDeferred()
    started.push(n)
    ends.set(n, end)
    await end.promise
    return text(String(n))
  })
  return { server, faults, started, end: (n: number) => ends.get(n)?.resolve() }
}

describe.each(eras)('limitConcurrency in the %s era', (mode) => {
  it('lets so many run, some wait in the order they came, and refuses the rest', async () => {
    const { server, started, end } = heldServer({ max: 2, maxWaiting: 2 })
    await using client = await connect(server, { mode })
    const calls = [1, 2, 3, 4].map((n) => client.callTool('run', { n }))
    await settle()
    expect(started).toEqual([1, 2])
    await expect(client.callTool('run', { n: 5 })).rejects.toMatchObject({
      code: 503,
      message: expect.stringContaining('2 such requests are being handled and 2 wait'),
      data: { max: 2, maxWaiting: 2 },
    })
    end(2)
    await settle()
    expect(started).toEqual([1, 2, 3])
    end(1)
    await settle()
    for (const n of [3, 4]) end(n)
    const results = await Promise.all(calls)
    expect(results.map(({ content }) => content)).toEqual([1, 2, 3, 4].map((n) => text(String(n)).content))
  })

  it('takes a cancelled request out of the line', async () => {
    const { server, started, end } = heldServer({ max: 1, maxWaiting: 1 })
    await using client = await connect(server, { mode })
    const first = client.callTool('run', { n: 1 })
    await settle()
    const stop = new AbortController()
    const second = client.callTool('run', { n: 2 }, { signal: stop.signal })
    await settle()
    stop.abort(new Error('enough'))
    await expect(second).rejects.toThrow('enough')
    await settle()
    const third = client.callTool('run', { n: 3 })
    await settle()
    end(1)
    await first
    await settle()
    end(3)
    await third
    expect(started).toEqual([1, 3])
  })

  it('keeps the limit while calls come and go', async () => {
    const { server, started, end } = heldServer({ max: 1, maxWaiting: 1 })
    await using client = await connect(server, { mode })
    const calls = [1, 2].map((n) => client.callTool('run', { n }))
    await settle()
    end(1)
    await settle()
    calls.push(client.callTool('run', { n: 3 }))
    await settle()
    expect(started).toEqual([1, 2])
    end(2)
    await settle()
    expect(started).toEqual([1, 2, 3])
    end(3)
    await Promise.all(calls)
  })

  it('frees the place of a call that failed', async () => {
    let calls = 0
    const { server } = serverWith([limitConcurrency({ max: 1 })], () => {
      calls += 1
      if (calls === 1) throw new Error('broken')
      return text('fine')
    })
    await using client = await connect(server, { mode, raiseExceptions: false })
    await expect(client.callTool('run')).rejects.toThrow()
    expect(await client.callTool('run')).toMatchObject(text('fine'))
  })

  it('counts each tool by itself, and by another key where one is given', async () => {
    const byTool = heldServer({ max: 1, toolRefusal: 'result' })
    await using client = await connect(byTool.server, { mode })
    const calls = [client.callTool('one', { n: 1 }), client.callTool('two', { n: 2 })]
    await settle()
    expect(byTool.started).toEqual([1, 2])
    expect(await client.callTool('one', { n: 3 })).toMatchObject({ isError: true })
    for (const n of [1, 2]) byTool.end(n)
    await Promise.all(calls)

    const allTools = heldServer({ max: 1, key: ({ method }) => (method === 'tools/call' ? method : undefined) })
    await using other = await connect(allTools.server, { mode })
    const call = other.callTool('one', { n: 1 })
    await settle()
    await expect(other.callTool('two', { n: 2 })).rejects.toMatchObject({ code: 503 })
    allTools.end(1)
    await call
  })
})

it.each([{ max: 0 }, { max: 1.5 }, { max: 1, maxWaiting: -1 }])(
  'limitConcurrency refuses %j when it is made',
  (options) => {
    expect(() => limitConcurrency(options)).toThrow(RangeError)
  },
)
