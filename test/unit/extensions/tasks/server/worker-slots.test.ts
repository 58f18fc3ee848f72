// The places of runs in a process: who gets one, in which order, and that none is lost.
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { type WorkerSlot, WorkerSlots } from '../../../../../src/extensions/tasks/server/runs/worker-slots.ts'

function open(max: number) {
  const onFree = vi.fn()
  const slots = new WorkerSlots(max, onFree)
  const take = () => slots.take() as WorkerSlot
  return { slots, take, onFree }
}

/** Whether the run goes on, once all that can happen has happened. */
async function goesOn(entering: Promise<void>): Promise<boolean> {
  const settled = entering.then(() => true)
  return Promise.race([settled, new Promise<boolean>((resolve) => setImmediate(() => resolve(false)))])
}

describe('the slots of workers', () => {
  it('there are so many; a run that waits for an answer leaves its own to others', () => {
    const { slots, take, onFree } = open(2)
    const first = take()
    take()
    expect([slots.free, slots.take()]).toEqual([0, undefined])
    first.leave()
    expect(slots.free).toBe(1)
    expect(onFree).toHaveBeenLastCalledWith(true)
    take()
    expect(slots.free).toBe(0)
  })

  it('a run that goes on takes a free one, or the next one, before new runs', async () => {
    const { slots, take, onFree } = open(1)
    const first = take()
    first.leave()
    expect(await goesOn(first.enter())).toBe(true)
    expect(slots.free).toBe(0)
    first.leave()
    const second = take()
    onFree.mockClear()
    const entering = first.enter()
    expect(await goesOn(entering)).toBe(false)
    second.close()
    expect(await goesOn(entering)).toBe(true)
    expect([slots.free, onFree.mock.calls]).toEqual([0, []])
  })

  it('one that was reserved and is not needed goes to the run that waits for one', async () => {
    const { slots, take } = open(2)
    const first = take()
    first.leave()
    expect(slots.reserve()).toBe(2)
    const entering = first.enter()
    expect(await goesOn(entering)).toBe(false)
    slots.release(2)
    expect(await goesOn(entering)).toBe(true)
    expect(slots.free).toBe(1)
  })

  it('a run with several questions takes one again when the last of them is answered', async () => {
    const { slots, take } = open(1)
    const run = take()
    run.leave()
    run.leave()
    await run.enter()
    expect(slots.free).toBe(1)
    await run.enter()
    expect(slots.free).toBe(0)
  })

  it('a run that asks another question while it waits for one goes on with both answers', async () => {
    const { slots, take } = open(1)
    const run = take()
    run.leave()
    const other = take()
    const first = run.enter()
    run.leave()
    const second = run.enter()
    expect([await goesOn(first), await goesOn(second)]).toEqual([false, false])
    other.close()
    expect([await goesOn(first), await goesOn(second)]).toEqual([true, true])
    expect(slots.free).toBe(0)
    run.close()
    expect(slots.free).toBe(1)
  })

  it('a run that ends while it waits for one gets none, and waits no more', async () => {
    const { slots, take } = open(1)
    const ended = take()
    ended.leave()
    const other = take()
    const entering = ended.enter()
    ended.close()
    expect(await goesOn(entering)).toBe(true)
    other.close()
    expect(slots.free).toBe(1)
    ended.leave()
    await ended.enter()
    ended.close()
    expect(slots.free).toBe(1)
  })

  it('in any order of events none is lost, and never more are held than there are', async () => {
    const step = fc.tuple(fc.constantFrom('take', 'leave', 'enter', 'close', 'reserve', 'release'), fc.nat(5))
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 3 }), fc.array(step, { maxLength: 40 }), async (max, steps) => {
        const { slots } = open(max)
        const runs: { slot: WorkerSlot; waits: number; entering: Promise<void>[] }[] = []
        let reserved = 0
        for (const [name, n] of steps) {
          const run = runs[n % Math.max(1, runs.length)]
          if (name === 'take') {
            const slot = slots.take()
            if (slot !== undefined) runs.push({ slot, waits: 0, entering: [] })
          } else if (name === 'reserve') reserved += slots.reserve()
          else if (name === 'release') {
            slots.release(reserved)
            reserved = 0
          } else if (run === undefined) continue
          else if (name === 'close') run.slot.close()
          else if (name === 'leave') {
            run.slot.leave()
            run.waits += 1
          } else if (name === 'enter' && run.waits > 0) {
            run.waits -= 1
            run.entering.push(run.slot.enter())
          }
          expect(slots.free).toBeGreaterThanOrEqual(0)
          expect(slots.free).toBeLessThanOrEqual(max)
        }
        slots.release(reserved)
        for (const { slot } of runs) slot.close()
        await Promise.all(runs.flatMap(({ entering }) => entering))
        expect(slots.free).toBe(max)
      }),
    )
  })
})
