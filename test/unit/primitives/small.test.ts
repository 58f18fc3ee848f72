// The primitives that fit on a page each.
import { afterEach, describe, expect, it, vi } from 'vitest'
import { platform as nodePlatform } from '../../../src/node/platform.ts'
import { forgetAbort, listenForAbort } from '../../../src/primitives/async/abort.ts'
import { CleanupStack } from '../../../src/primitives/async/cleanup.ts'
import { Deadlines } from '../../../src/primitives/async/deadlines.ts'
import { createDeferred } from '../../../src/primitives/async/promises.ts'
import { BoundedQueue } from '../../../src/primitives/async/queue.ts'
import { monotonicNow, settlesWithin } from '../../../src/primitives/async/timer.ts'
import { platform as webPlatform } from '../../../src/primitives/platform-web.ts'

afterEach(() => {
  vi.useRealTimers()
})

describe('createDeferred', () => {
  it('settles once, from outside', async () => {
    const first = createDeferred<number>()
    first.resolve(1)
    first.reject(new Error('too late'))
    expect(await first.promise).toBe(1)
    const second = createDeferred()
    second.reject(new Error('no'))
    await expect(second.promise).rejects.toThrow('no')
  })
})

describe('settlesWithin', () => {
  it('tells whether work was done in time, and leaves no timer', async () => {
    vi.useFakeTimers()
    expect(await settlesWithin(Promise.resolve(), 10)).toBe(true)
    expect(await settlesWithin(Promise.reject(new Error('x')), 10)).toBe(true)
    expect(vi.getTimerCount()).toBe(0)
    const late = settlesWithin(new Promise(() => {}), 10)
    await vi.advanceTimersByTimeAsync(10)
    expect(await late).toBe(false)
  })
})

describe('CleanupStack', () => {
  it('runs cleanups once, last first, and goes on after one that fails', async () => {
    const events: string[] = []
    const stack = new CleanupStack({ onError: (error) => events.push((error as Error).message) })
    stack.defer(() => events.push('first'))
    stack.defer(() => Promise.reject(new Error('second failed')))
    stack.defer(async () => {
      await Promise.resolve()
      events.push('third')
    })
    await Promise.all([stack.close(), stack.close()])
    await stack[Symbol.asyncDispose]()
    expect(events).toEqual(['third', 'second failed', 'first'])
  })

  it('does not wait for ever for one of them', async () => {
    vi.useFakeTimers()
    const events: string[] = []
    const stack = new CleanupStack({
      timeoutMs: 100,
      onError: (error) => {
        events.push((error as Error).message)
        throw new Error('from the listener')
      },
    })
    stack.defer(() => events.push('after'))
    stack.defer(() => new Promise(() => {}))
    const closing = stack.close()
    await vi.advanceTimersByTimeAsync(100)
    await closing
    expect(events).toEqual(['A cleanup took longer than 100 ms and was left behind', 'after'])
  })

  it('closes at once what was opened too late', async () => {
    const stack = new CleanupStack()
    await stack.close()
    const cleanup = vi.fn()
    stack.defer(cleanup)
    await stack.close()
    expect(cleanup).toHaveBeenCalledTimes(1)
  })
})

describe('BoundedQueue', () => {
  it('gives items in order, also to a reader that came first', async () => {
    const queue = new BoundedQueue<number>(10)
    const early = queue.next()
    for (const n of [1, 2, 3]) queue.push(n)
    queue.end()
    const rest: number[] = []
    for await (const n of queue) rest.push(n)
    expect(await early).toEqual({ done: false, value: 1 })
    expect(rest).toEqual([2, 3])
    expect(queue.push(4)).toBeUndefined()
    expect(await queue.next()).toEqual({ done: true, value: undefined })
  })

  it('drops the oldest item past its bound, and says which', () => {
    const queue = new BoundedQueue<number>(2)
    expect([queue.push(1), queue.push(2), queue.push(3), queue.push(4)]).toEqual([undefined, undefined, 1, 2])
    expect(queue.size).toBe(2)
  })

  it('ends with an error after what is in it', async () => {
    const queue = new BoundedQueue<number>(2)
    queue.push(1)
    queue.end(new Error('lost'))
    expect(await queue.next()).toEqual({ done: false, value: 1 })
    await expect(queue.next()).rejects.toThrow('lost')
    const waiting = new BoundedQueue<number>(2)
    const reader = waiting.next()
    waiting.end(new Error('lost too'))
    await expect(reader).rejects.toThrow('lost too')
  })

  it('stays small however much passes through', async () => {
    const queue = new BoundedQueue<number>(4)
    for (let n = 0; n < 10_000; n++) {
      queue.push(n)
      expect(await queue.next()).toEqual({ done: false, value: n })
    }
    expect(queue.size).toBe(0)
  })

  it('is discarded when its reader stops', async () => {
    const queue = new BoundedQueue<number>(4)
    queue.push(1)
    queue.push(2)
    for await (const n of queue) {
      expect(n).toBe(1)
      break
    }
    expect(queue.size).toBe(0)
    expect(await queue.next()).toEqual({ done: true, value: undefined })
  })

  it('has one reader, and a capacity', async () => {
    const queue = new BoundedQueue<number>(4)
    void queue.next()
    await expect(queue.next()).rejects.toThrow('one reader')
    expect(() => new BoundedQueue(0)).toThrow(RangeError)
  })
})

describe('Deadlines', () => {
  const entry = (dueInMs: number) => ({ dueAt: monotonicNow() + dueInMs, onDue: vi.fn() })

  it('calls each at its time, once', async () => {
    vi.useFakeTimers()
    const deadlines = new Deadlines()
    const entries = [30, 10, 20].map(entry)
    for (const item of entries) deadlines.add(item)
    await vi.advanceTimersByTimeAsync(15)
    expect(entries.map((item) => item.onDue.mock.calls.length)).toEqual([0, 1, 0])
    await vi.advanceTimersByTimeAsync(100)
    expect(entries.map((item) => item.onDue.mock.calls.length)).toEqual([1, 1, 1])
    expect(deadlines.size).toBe(0)
  })

  it('follows entries that move or go', async () => {
    vi.useFakeTimers()
    const deadlines = new Deadlines()
    const [moved, gone, sooner] = [entry(10), entry(10), entry(1_000)]
    for (const item of [moved, gone, sooner]) deadlines.add(item)
    deadlines.move(moved, monotonicNow() + 50)
    deadlines.move(sooner, monotonicNow() + 20)
    deadlines.delete(gone)
    await vi.advanceTimersByTimeAsync(30)
    expect([moved, gone, sooner].map((item) => item.onDue.mock.calls.length)).toEqual([0, 0, 1])
    await vi.advanceTimersByTimeAsync(30)
    expect(moved.onDue).toHaveBeenCalledTimes(1)
  })

  it('F097 lets what has arrived be read first when the loop was blocked', async () => {
    vi.useFakeTimers()
    const deadlines = new Deadlines()
    const [answered, silent] = [entry(50), entry(50)]
    for (const item of [answered, silent]) deadlines.add(item)
    // The clock goes on while no timer can fire.
    const now = monotonicNow()
    const clock = vi.spyOn(performance, 'now').mockReturnValue(now + 5_000)
    await vi.advanceTimersByTimeAsync(50)
    expect([answered, silent].map((item) => item.onDue.mock.calls.length)).toEqual([0, 0])
    deadlines.delete(answered)
    // However long that takes: a few turns are all that it gets.
    clock.mockReturnValue(now + 10_000)
    for (let turn = 0; turn < 8; turn++) await vi.advanceTimersByTimeAsync(1)
    expect([answered, silent].map((item) => item.onDue.mock.calls.length)).toEqual([0, 1])
    expect(vi.getTimerCount()).toBe(0)
    clock.mockRestore()
  })

  it('uses one timer for all, and none after clear()', () => {
    vi.useFakeTimers()
    const deadlines = new Deadlines()
    for (let n = 0; n < 1_000; n++) deadlines.add(entry(1_000 + n))
    expect(vi.getTimerCount()).toBe(1)
    deadlines.clear()
    expect(vi.getTimerCount()).toBe(0)
  })
})

describe('listenForAbort', () => {
  it('puts one listener on a signal for any number of ours, and none when they are gone', () => {
    const controller = new AbortController()
    const added = vi.spyOn(controller.signal, 'addEventListener')
    const removed = vi.spyOn(controller.signal, 'removeEventListener')
    const listeners = Array.from({ length: 100 }, () => vi.fn())
    for (const listener of listeners) listenForAbort(controller.signal, listener)
    forgetAbort(controller.signal, listeners[0]!)
    expect(added).toHaveBeenCalledTimes(1)
    expect(removed).not.toHaveBeenCalled()
    controller.abort()
    expect(removed).toHaveBeenCalledTimes(1)
    expect(listeners.map((listener) => listener.mock.calls.length)).toEqual([0, ...Array(99).fill(1)])
  })
})

describe('forgetAbort', () => {
  it('keeps a listener from being called that another one takes away', () => {
    const controller = new AbortController()
    const second = vi.fn()
    listenForAbort(controller.signal, () => forgetAbort(controller.signal, second))
    listenForAbort(controller.signal, second)
    controller.abort()
    expect(second).not.toHaveBeenCalled()
  })
})

describe('the platform', () => {
  it('of Node carries a value along asynchronous calls', async () => {
    const storage = nodePlatform.createAmbientStorage<string>()
    const seen = await storage.run('outer', async () => {
      await Promise.resolve()
      return [storage.get(), storage.run('inner', () => storage.get())]
    })
    expect(seen).toEqual(['outer', 'inner'])
    expect(storage.get()).toBeUndefined()
  })

  it('F213 of other runtimes says what is missing, and what to do', () => {
    expect(webPlatform.runtime).toBe('web')
    expect(() => webPlatform.createAmbientStorage()).toThrow(
      'An ambient context is not supported by this runtime; pass the context along as an argument',
    )
  })
})
