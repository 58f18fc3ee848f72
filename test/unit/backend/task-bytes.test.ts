// How much of its limits of bytes a task store in memory has used: measured from outside, by what still fits.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { TASK_BYTES } from '../../../src/backend/byte-budget.ts'
import { MemoryTaskStore } from '../../../src/backend/memory-task-store.ts'
import { type Claim, NOBODY } from '../../../src/backend/task-store.ts'
import { LimitedTaskStore } from '../../../src/extensions/tasks/server/limited-store.ts'
import { newTask } from '../../../src/testing/backend-contract/task-kit.ts'
import { heapUsed, MIB } from '../../support/heap.ts'

const MAX = 100_000
const LEASE = { claimFor: { worker: 'worker', leaseMs: 1e9 } }
const LONG = 3_600_000

function open(limits: { maxBytesPerOwner?: number; maxBytes?: number } = { maxBytesPerOwner: MAX }) {
  const clock = { now: 1_000_000 }
  const store = new LimitedTaskStore(new MemoryTaskStore({ now: () => clock.now }), {
    perOwner: 1e9,
    total: 1e9,
    ...limits,
  } as never)
  const start = async (given: Partial<Parameters<MemoryTaskStore['create']>[0]> = {}) =>
    (await store.create({ ...newTask({ input: '', ttlMs: 60_000, keepMs: 0 }), ...given }, LEASE)) as Claim

  /** Whether a task with so long an input would be taken. Leaves nothing behind. */
  const fits = async (length: number, owner: string) => {
    try {
      return await store.discard(await start({ owner, input: 'x'.repeat(length) }))
    } catch {
      return false
    }
  }

  /** The bytes that the tasks of an owner have taken of `MAX`. */
  const used = async (owner = 'ada') => {
    let [most, tooMuch] = [-1, MAX]
    while (tooMuch - most > 1) {
      const middle = Math.floor((most + tooMuch) / 2)
      if (await fits(middle, owner)) most = middle
      else tooMuch = middle
    }
    return MAX - TASK_BYTES - most
  }
  return { store, clock, start, used }
}

const finished = (text: string) => ({ status: 'completed', text }) as const
const full = (limit: string) => ({ name: 'BackendError', kind: 'too-large', limit: { name: limit, max: MAX } })

describe('what a task in memory counts', () => {
  it('is its input, the steps and answers that it begins with, and 2 KiB', async () => {
    const { start, used } = open()
    expect(await used()).toBe(0)
    await start({ input: 'x'.repeat(500) })
    expect(await used()).toBe(TASK_BYTES + 500)
    await start({ steps: { pay: 'x'.repeat(100) }, answers: { name: 'x'.repeat(1_000) } })
    expect(await used()).toBe(2 * TASK_BYTES + 500 + 103 + 1_004)
  })

  it('is twice the length of a text with characters above U+00FF', async () => {
    const { start, used } = open()
    await start({ input: `é${'x'.repeat(99)}` })
    expect(await used()).toBe(TASK_BYTES + 100)
    await start({ input: `€${'x'.repeat(99)}` })
    expect(await used()).toBe(2 * TASK_BYTES + 100 + 200)
  })

  it('is each step once, with its name', async () => {
    const { store, start, used } = open()
    const claim = await start()
    await store.keepStep(claim, 'pay', 'x'.repeat(100))
    await store.keepStep(claim, 'pay', 'x'.repeat(100))
    expect(await used()).toBe(TASK_BYTES + 103)
  })

  it('is each question with its key, and then its answer in place of it', async () => {
    const { store, start, used } = open()
    const claim = await start()
    await store.ask(claim, { name: 'x'.repeat(500), age: 'x'.repeat(50) })
    await store.ask(claim, { name: 'x'.repeat(500) })
    expect(await used()).toBe(TASK_BYTES + 504 + 53)
    await store.answer(claim.id, { name: 'x'.repeat(20), unasked: 'x'.repeat(5_000) })
    expect(await used()).toBe(TASK_BYTES + 24 + 53)
  })

  it('is nothing but its outcome and 2 KiB once it has ended, and nothing once it is gone', async () => {
    const { store, clock, start, used } = open()
    const ending = {
      finish: (claim: Claim) => store.finish(claim, finished('x'.repeat(700))),
      cancel: (claim: Claim) => store.cancel(claim.id, 0).then(() => store.get(claim.id)),
    }
    for (const [end, left] of [
      ['finish', 700],
      ['cancel', 0],
    ] as const) {
      const claim = await start({ input: 'x'.repeat(500), steps: { pay: 'x'.repeat(100) } })
      await store.ask(claim, { name: 'x'.repeat(500) })
      await ending[end](claim)
      expect(await used(), end).toBe(TASK_BYTES + left)
      clock.now += LONG
      expect(await used(), end).toBe(0)
    }
  })

  it('is given back in whatever order things happen', async () => {
    const step = fc.constantFrom(
      'start',
      'claim',
      'step',
      'ask',
      'answer',
      'park',
      'release',
      'finish',
      'cancel',
      'wait',
    )
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(step, fc.nat(9)), { maxLength: 40 }), async (steps) => {
        const { store, clock, start, used } = open({ maxBytes: MAX })
        const claims: Claim[] = []
        for (const [name, n] of steps) {
          const claim = claims[n % Math.max(1, claims.length)]
          const text = 'x'.repeat(1_000 * n)
          const act = async () => {
            if (name === 'start') claims.push(await start({ input: text, maxAttempts: 3 }))
            else if (name === 'wait') clock.now += 10_000 * n
            else if (name === 'claim')
              claims.push(...(await store.claim('worker', { kinds: ['report'], max: 1, leaseMs: 15_000 })))
            else if (claim === undefined) return
            else if (name === 'step') await store.keepStep(claim, `step ${n}`, text)
            else if (name === 'ask') await store.ask(claim, { [`question ${n}`]: text })
            else if (name === 'answer') await store.answer(claim.id, { [`question ${n}`]: text })
            else if (name === 'park') await store.park(claim)
            else if (name === 'release') await store.release(claim)
            else if (name === 'finish') await store.finish(claim, finished(text))
            else await store.cancel(claim.id, 1_000 * n)
          }
          await act().catch((error: unknown) => expect(error).toMatchObject(full('maxBytes')))
        }
        for (const { id } of claims) await store.cancel(id, 0)
        clock.now += LONG
        expect(await used()).toBe(0)
      }),
    )
  })
})

describe('a store in memory that is full', () => {
  it('takes no task, step, question, answer or outcome that does not fit, and goes on with what fits', async () => {
    const { store, start, used } = open()
    const claim = await start()
    await store.ask(claim, { name: '?' })
    const before = await used()
    const tooLong = 'x'.repeat(MAX - before + 1)
    await expect(start({ input: tooLong })).rejects.toMatchObject(full('maxBytesPerOwner'))
    await expect(store.keepStep(claim, 'pay', tooLong)).rejects.toMatchObject(full('maxBytesPerOwner'))
    await expect(store.ask(claim, { age: tooLong })).rejects.toMatchObject(full('maxBytesPerOwner'))
    await expect(store.answer(claim.id, { name: tooLong })).rejects.toMatchObject(full('maxBytesPerOwner'))
    await expect(store.finish(claim, finished('x'.repeat(MAX)))).rejects.toMatchObject(full('maxBytesPerOwner'))
    expect(await used()).toBe(before)
    expect(await store.keepStep(claim, 'pay', 'paid')).toBe(true)
    expect(await store.answer(claim.id, { name: 'Ada' })).toBe('taken')
    expect(await store.finish(claim, finished('done'))).toBe('finished')
  })

  it('takes the outcome of a task up to 2 KiB, and a longer one in place of what the task needs no more', async () => {
    const { store, start, used } = open()
    const [small, large] = [await start(), await start({ input: 'x'.repeat(50_000) })]
    await start({ input: 'x'.repeat(MAX - (await used()) - TASK_BYTES) })
    await expect(start()).rejects.toMatchObject(full('maxBytesPerOwner'))
    await expect(store.finish(small, finished('x'.repeat(2_049)))).rejects.toMatchObject(full('maxBytesPerOwner'))
    expect(await store.finish(small, finished('x'.repeat(2_048)))).toBe('finished')
    expect(await store.finish(large, finished('x'.repeat(40_000)))).toBe('finished')
  })

  it('is full for one owner alone, or for all, and for callers that nobody verified only with all others', async () => {
    const own = open()
    await own.start({ input: 'x'.repeat(MAX - TASK_BYTES) })
    await expect(own.start()).rejects.toMatchObject(full('maxBytesPerOwner'))
    await own.start({ owner: 'bob', input: 'x'.repeat(MAX - TASK_BYTES) })
    for (let count = 0; count < 3; count++) await own.start({ owner: NOBODY, input: 'x'.repeat(MAX) })

    const all = open({ maxBytes: MAX })
    await all.start({ owner: NOBODY, input: 'x'.repeat(MAX - 2 * TASK_BYTES) })
    await all.start({ owner: 'bob' })
    for (const owner of [NOBODY, 'bob', 'ada']) {
      await expect(all.start({ owner }), owner).rejects.toMatchObject(full('maxBytes'))
    }
  })
})

describe('the memory itself', () => {
  it('holds neither the input of tasks that have ended nor anything of owners that have none', async () => {
    const { store, start } = open({})
    const before = await heapUsed()
    for (let n = 0; n < 64; n++) await store.finish(await start({ input: flat(`${n}`, MIB / 4) }), finished(''))
    for (let n = 0; n < 16_000; n++) await store.discard(await start({ owner: flat(`${n}`, 1_024) }))
    const after = await heapUsed()
    // The store is still in use.
    expect(await store.countOpen()).toBe(0)
    expect(after - before).toBeLessThan(4 * MIB)
  })
})

/** A text of its own, which shares no memory with another one. Longer ones than 1 MB would not be in the heap. */
function flat(start: string, length: number): string {
  return Buffer.from(start.padEnd(length, 'x')).toString('latin1')
}
