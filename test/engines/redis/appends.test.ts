// Entries that are appended to a log in one turn go to Redis together, and come out as if each had gone alone.
import { connect } from 'node:net'
import fc from 'fast-check'
import { afterEach, expect, it } from 'vitest'
import type { Backend } from '../../../src/backend/backend.ts'
import { memory } from '../../../src/backend/memory/memory.ts'
import { redis } from '../../../src/redis/redis.ts'
import { describeEngine, useEngine } from '../describe-engine.ts'
import { ask, startRedis } from '../redis.ts'
import { freshNamespace, PATIENT } from './clients.ts'

const TTL = 3_600_000
const open: Backend[] = []

afterEach(async () => {
  for (const one of open.splice(0)) await one.close()
})

interface Step {
  readonly seq: number
  readonly writer: string
  readonly isLast: boolean
  /** Waits for everything so far, so that the next one begins another turn. */
  readonly isAwaited: boolean
}

describeEngine('Redis', 'appends to a log on Redis', () => {
  const server = useEngine(() => startRedis())

  async function opened(): Promise<Backend> {
    const backend = redis(server().url, { namespace: freshNamespace(), ...PATIENT })
    open.push(backend)
    await backend.open()
    return backend
  }

  const append = ({ logs }: Backend, seq: number, writer = 'w', isLast = false) =>
    Promise.resolve(logs.append('l', { seq, data: `${writer}${seq}` }, { writer, ttlMs: TTL, isLast }))

  it('those of one turn are one command, also where promises lie between them', async () => {
    const backend = await opened()
    await append(backend, 1)
    const before = await scriptsRun()
    const appends: Promise<string>[] = []
    for (let seq = 2; seq <= 12; seq += 1) {
      appends.push(append(backend, seq))
      await Promise.resolve()
    }
    expect(new Set(await Promise.all(appends))).toEqual(new Set(['kept']))
    expect((await scriptsRun()) - before).toBe(1)
    const page = await backend.logs.read('l', 0)
    expect(page?.entries.map(({ data }) => data)).toEqual(Array.from({ length: 12 }, (_, index) => `w${index + 1}`))
  })

  it('what follows in the same turn on that log does not overtake them', async () => {
    const backend = await opened()
    const appends = [append(backend, 1), append(backend, 2)]
    const page = await backend.logs.read('l', 0)
    expect(page?.lastSeq).toBe(2)
    await Promise.all(appends)
    const third = append(backend, 3)
    await backend.logs.drop('l')
    expect(await third).toBe('kept')
    expect(await backend.logs.read('l', 0)).toBeUndefined()
  })

  it('more than fit into one command keep their order', async () => {
    const backend = await opened()
    const outcomes = await Promise.all(Array.from({ length: 200 }, (_, index) => append(backend, index + 1)))
    expect(new Set(outcomes)).toEqual(new Set(['kept']))
    expect((await backend.logs.read('l', 0))?.entries.map(({ seq }) => seq)).toEqual(
      outcomes.map((_, index) => index + 1),
    )
  })

  it('in any order, by any writer, repeated or after the end, have the outcomes and entries that a log in memory has', async () => {
    const step: fc.Arbitrary<Step> = fc.record({
      seq: fc.integer({ min: 1, max: 6 }),
      writer: fc.constantFrom('a', 'b'),
      isLast: fc.integer({ min: 0, max: 7 }).map((n) => n === 0),
      isAwaited: fc.integer({ min: 0, max: 3 }).map((n) => n === 0),
    })
    const backend = await opened()
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 14 }), async (steps) => {
        const model = memory()
        await model.open()
        expect(await outcomesOf(backend, steps)).toEqual(await outcomesOf(model, steps))
        expect(await backend.logs.read('l', 0)).toEqual(await model.logs.read('l', 0))
        await backend.logs.drop('l')
        await model.close()
      }),
      { numRuns: 60 },
    )
  })

  async function outcomesOf(backend: Backend, steps: readonly Step[]): Promise<string[]> {
    const appends: Promise<string>[] = []
    for (const { seq, writer, isLast, isAwaited } of steps) {
      appends.push(append(backend, seq, writer, isLast))
      if (isAwaited) await Promise.all(appends)
    }
    return Promise.all(appends)
  }

  async function scriptsRun(): Promise<number> {
    const text = await ask(() => connect(server().socket), 'INFO commandstats')
    const count = (name: string) => Number(new RegExp(`cmdstat_${name}:calls=(\\d+)`).exec(text)?.[1] ?? 0)
    return count('evalsha') + count('eval')
  }
})
