import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MemoryTaskStore } from '../../../src/backend/memory-task-store.ts'
import type { Claim } from '../../../src/backend/task-store.ts'
import { newTask } from '../../../src/testing/backend-contract/task-kit.ts'

function open() {
  const clock = { now: 1_000_000 }
  const store = new MemoryTaskStore({ now: () => clock.now })
  const advance = (ms: number) => {
    clock.now += ms
  }
  return { store, advance }
}

describe('the task store in memory', () => {
  it('tasks L-14: a page costs as much as it holds, whatever else the owner has', async () => {
    let looks = 0
    const store = new MemoryTaskStore({
      now: () => {
        looks += 1
        return 1_000_000
      },
    })
    for (let count = 0; count < 2_000; count++) await store.create(newTask())
    for (let count = 0; count < 500; count++) await store.create(newTask({ dialect: 'core' }))
    looks = 0
    let after: string | undefined
    let listed = 0
    do {
      const page = await store.list('ada', { dialect: 'core', limit: 50, ...(after !== undefined && { after }) })
      listed += page.length
      after = page.at(-1)?.id
    } while (after !== undefined)
    expect(listed).toBe(500)
    expect(looks).toBeLessThanOrEqual(500)
    looks = 0
    expect(await store.list('ada', { dialect: 'other', limit: 50 })).toEqual([])
    expect(looks).toBe(0)
  })

  it('reports a listener that throws, and tells the others', async () => {
    const errors: unknown[] = []
    const store = new MemoryTaskStore({ onListenerError: (error) => errors.push(error) })
    let works = 0
    const nothing = () => {}
    const broken = new Error('broken')
    store.watch({
      changed: nothing,
      missed: nothing,
      work: () => {
        throw broken
      },
    })
    store.watch({ changed: nothing, missed: nothing, work: () => works++ })
    await store.create(newTask())
    expect(errors).toEqual([broken])
    expect(works).toBe(1)
  })

  type Step =
    | { do: 'advance'; ms: number }
    | { do: 'claim' }
    | { do: 'renew' | 'park' | 'release' | 'finish' | 'ask'; by: number }
    | { do: 'answer' | 'cancel' }

  const step: fc.Arbitrary<Step> = fc.oneof(
    fc.record({ do: fc.constant('advance' as const), ms: fc.constantFrom(1_000, 20_000, 40_000) }),
    fc.record({ do: fc.constant('claim' as const) }),
    fc.record({
      do: fc.constantFrom('renew' as const, 'park' as const, 'release' as const, 'finish' as const, 'ask' as const),
      by: fc.nat(5),
    }),
    fc.record({ do: fc.constantFrom('answer' as const, 'cancel' as const) }),
  )

  it('keeps its promises in any order of events', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 40 }),
        fc.integer({ min: 1, max: 3 }),
        async (steps, maxAttempts) => {
          const { store, advance } = open()
          const task = newTask({ maxAttempts, ttlMs: 100_000, keepMs: 50_000 })
          await store.create(task)
          const claims: Claim[] = []
          let finished = 0
          let last = await store.get(task.id)
          let asked = 0
          for (const one of steps) {
            const claim = 'by' in one ? claims[one.by % Math.max(1, claims.length)] : undefined
            if (one.do === 'advance') advance(one.ms)
            else if (one.do === 'claim')
              claims.push(...(await store.claim('w', { kinds: ['report'], max: 1, leaseMs: 30_000 })))
            else if (one.do === 'answer') await store.answer(task.id, { [`q${asked}`]: '!' })
            else if (one.do === 'cancel') await store.cancel(task.id, 10_000)
            else if (claim === undefined) continue
            else if (one.do === 'ask') await store.ask(claim, { [`q${++asked}`]: '?' })
            else if (one.do === 'renew') await store.renew(claim, 30_000)
            else if (one.do === 'park') await store.park(claim)
            else if (one.do === 'release') await store.release(claim)
            else if ((await store.finish(claim, { status: 'completed', text: String(claim.attempt) })) === 'finished')
              finished += 1

            const now = await store.get(task.id)
            expect(finished).toBeLessThanOrEqual(1)
            if (last !== undefined && now !== undefined) {
              expect(now.revision).toBeGreaterThanOrEqual(last.revision)
              expect(now.attempt).toBeGreaterThanOrEqual(last.attempt)
              expect(now.ttlMs ?? 0).toBeGreaterThanOrEqual(last.ttlMs ?? 0)
              if (['completed', 'failed', 'cancelled'].includes(last.status)) expect(now).toEqual(last)
              expect(now.status === 'input_required').toBe(Object.keys(now.questions).length > 0)
              expect(now.status === 'completed').toBe(finished === 1)
            }
            if (last === undefined) expect(now).toBeUndefined()
            last = now
          }
          // Every claim of one attempt was given out once.
          expect(new Set(claims.map(({ attempt }) => attempt)).size).toBe(claims.length)
          expect(await store.countOpen()).toBe(['working', 'input_required'].includes(last?.status ?? '') ? 1 : 0)
        },
      ),
      { numRuns: 500 },
    )
  })
})
