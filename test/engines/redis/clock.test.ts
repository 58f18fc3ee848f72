// The clock of Redis jumps. It is the machine's, which a test must not set, so its scripts get another time.
import { expect, it, onTestFinished } from 'vitest'
import type { Backend } from '../../../src/backend/backend.ts'
import type { Claim } from '../../../src/backend/task-store.ts'
import { redis } from '../../../src/redis/redis.ts'
import { describeEngine, useEngine } from '../describe-engine.ts'
import { newTask } from '../failing-engine.ts'
import { startRedis } from '../redis.ts'
import { freshNamespace, PATIENT } from './clients.ts'
import { shiftedRedis } from './shifted-clock.ts'

const HOUR = 3_600
const CLAIM = { kinds: ['report'], max: 1, leaseMs: 60_000 }
const DONE = { status: 'completed', text: '{}' } as const

describeEngine('Redis', 'the clock of Redis', () => {
  const engine = useEngine(() => startRedis())

  async function fresh() {
    const shifted = shiftedRedis(engine().socket)
    const backend = redis(shifted.client, { namespace: freshNamespace(), ...PATIENT })
    onTestFinished(async () => {
      await backend.close()
      shifted.client.disconnect()
    })
    await backend.open()
    return { shifted, backend, tasks: backend.tasks as NonNullable<Backend['tasks']> }
  }

  it('D033 (redis): jumps an hour ahead and back: a task may run twice and ends once', async () => {
    const { shifted, tasks } = await fresh()
    const task = newTask({ maxAttempts: 3, ttlMs: 86_400_000 })
    await tasks.create(task)
    const [first] = await tasks.claim('a', CLAIM)
    expect(await tasks.claim('b', CLAIM)).toEqual([])
    shifted.aheadSeconds = HOUR
    const [second] = await tasks.claim('b', CLAIM)
    expect(second).toMatchObject({ id: task.id, attempt: 2 })
    shifted.aheadSeconds = -HOUR
    expect(await tasks.renew(first as Claim, 60_000)).toBe('lost')
    expect(await tasks.finish(first as Claim, DONE)).toBe('lost')
    expect(await tasks.renew(second as Claim, 60_000)).toBe('held')
    expect(await tasks.finish(second as Claim, DONE)).toBe('finished')
    expect(await tasks.finish(second as Claim, DONE)).toBe('already')
    expect(await tasks.get(task.id)).toMatchObject({ status: 'completed' })
  })

  it('D033 (redis): set back by an hour: a lost task comes back within the jump, and new ones are claimed at once', async () => {
    const { shifted, tasks } = await fresh()
    const lost = newTask({ maxAttempts: 2, ttlMs: 86_400_000 })
    await tasks.create(lost)
    await tasks.claim('a', CLAIM)
    shifted.aheadSeconds = -HOUR
    const later = newTask({ ttlMs: 86_400_000 })
    await tasks.create(later)
    expect(await tasks.claim('b', CLAIM)).toMatchObject([{ id: later.id }])
    shifted.aheadSeconds = 61
    expect(await tasks.claim('b', CLAIM)).toMatchObject([{ id: lost.id, attempt: 2 }])
  })

  it('D033 (redis): buckets and places recover from a jump in either direction', async () => {
    const { shifted, backend } = await fresh()
    const rate = { perSecond: 1, burst: 5 }
    shifted.aheadSeconds = HOUR
    for (let n = 0; n < 5; n += 1) expect(await backend.limits.take('b', rate)).toBe(0)
    expect(await backend.limits.hold('p', 'a', { max: 1, ttlMs: 60_000 })).toBe(true)
    shifted.aheadSeconds = 0
    const wait = await backend.limits.take('b', rate)
    expect(wait).toBeGreaterThan(0)
    expect(wait).toBeLessThanOrEqual(1_000)
    expect(await backend.limits.hold('p', 'a', { max: 1, ttlMs: 60_000 })).toBe(true)
    expect(await backend.limits.hold('p', 'b', { max: 1, ttlMs: 60_000 })).toBe(false)
    // The holder has renewed by the present clock.
    shifted.aheadSeconds = 61
    expect(await backend.limits.hold('p', 'b', { max: 1, ttlMs: 60_000 })).toBe(true)
  })
})
