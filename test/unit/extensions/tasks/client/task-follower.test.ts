import { describe, expect, it, vi } from 'vitest'
import { type FollowerOptions, TaskFollower } from '../../../../../src/extensions/tasks/client/task-follower.ts'
import { TaskWatcher } from '../../../../../src/extensions/tasks/client/task-watcher.ts'
import { type WaitEnd, waitForEnd } from '../../../../../src/extensions/tasks/client/waiting.ts'
import { MCPError } from '../../../../../src/types/errors/errors.ts'
import { LimitError, TransportError } from '../../../../../src/types/errors/failures.ts'
import { TaskGoneError } from '../../../../../src/types/extensions/task-errors.ts'
import type { TaskState } from '../../../../../src/types/extensions/tasks.ts'
import type { InputResponse } from '../../../../../src/types/features/input-required.ts'
import {
  completed,
  FakeClock,
  FakePort,
  gaps,
  question,
  settle,
  state,
  TASK_ID,
} from '../../../../support/fake-tasks.ts'

const unreachable = () => new TransportError('No complete response')
const busy = () => new TransportError('Service Unavailable', { status: 503 })
const accepted: InputResponse = { action: 'accept', content: {} }

function follow(answers: ConstructorParameters<typeof FakePort>[1], options: Partial<FollowerOptions> = {}) {
  const clock = new FakeClock()
  const port = new FakePort(clock, answers)
  const answer = vi.fn(async (_key: string, _request: unknown, _signal: AbortSignal) => accepted)
  const follower = new TaskFollower({
    taskId: TASK_ID,
    port,
    clock,
    state: state(),
    keptUntil: clock.now() + 3_600_000,
    answer,
    ...options,
  })
  return { clock, port, answer, follower }
}

function watched(
  answers: ConstructorParameters<typeof FakePort>[1],
  granted: FakePort['granted'] | null = (ids) => ids,
) {
  const clock = new FakeClock()
  const port = new FakePort(clock, answers)
  port.granted = granted ?? undefined
  const watcher = new TaskWatcher(port, clock)
  const createFollower = (taskId = TASK_ID) =>
    new TaskFollower({
      taskId,
      port,
      clock,
      watcher,
      state: state({ taskId }),
      keptUntil: Infinity,
      answer: async () => accepted,
    })
  return { clock, port, watcher, follower: createFollower(), createFollower }
}

/** What a wait came to, once it has. */
function outcomeOf(wait: Promise<WaitEnd>): { end?: WaitEnd } {
  const outcome: { end?: WaitEnd } = {}
  void wait.then((end) => {
    outcome.end = end
  })
  return outcome
}

describe('the pace of polls', () => {
  it('tasks T-35: keeps the newest interval of the server', async () => {
    const { clock, port, follower } = follow(
      [state({ pollIntervalMs: 2_000 }), state({ pollIntervalMs: 700 }), state({ pollIntervalMs: 700 }), completed()],
      { state: state({ pollIntervalMs: 1_000 }) },
    )
    const startedAt = clock.now()
    const outcome = outcomeOf(waitForEnd(follower, clock, {}))
    await clock.advance(10_000)
    expect(outcome.end?.kind).toBe('final')
    expect(gaps([startedAt, ...port.polls])).toEqual([1_000, 2_000, 700, 700])
  })

  it.each([
    ['0', 0, 100],
    ['negative', -5, 100],
    ['fractional', 250.5, 251],
    ['huge', 1e12, 60_000],
  ])('keeps an interval that is %s within 100 ms and 60 s', async (_name, pollIntervalMs, expected) => {
    const { clock, port, follower } = follow([state({ pollIntervalMs }), completed()], { state: undefined })
    outcomeOf(waitForEnd(follower, clock, {}))
    await clock.advance(70_000)
    expect(gaps(port.polls)).toEqual([expected])
  })

  it('doubles from 100 ms to 5 s where the server names no interval', async () => {
    const { clock, port, follower } = follow([state()], { state: undefined })
    const stop = new AbortController()
    void waitForEnd(follower, clock, { signal: stop.signal })
    await clock.advance(60_000)
    expect(gaps(port.polls).slice(0, 7)).toEqual([200, 400, 800, 1_600, 3_200, 5_000, 5_000])
    stop.abort()
  })

  it('asks at once for the state of a task that is resumed, and of a handle that waits for input', async () => {
    for (const known of [undefined, state({ status: 'input_required', pollIntervalMs: 60_000 })]) {
      const { clock, port, follower } = follow([completed()], { state: known })
      void waitForEnd(follower, clock, {})
      await settle()
      expect(port.polls).toHaveLength(1)
      expect(clock.timers).toBe(0)
    }
  })

  it('waits longer after each failed poll, and at least as long as the server asks', async () => {
    const tooMany = new TransportError('busy', { status: 429, retryAfterMs: 45_000 })
    const { clock, port, follower } = follow([unreachable(), unreachable(), unreachable(), tooMany, completed()], {
      state: undefined,
    })
    const outcome = outcomeOf(waitForEnd(follower, clock, {}))
    await clock.advance(120_000)
    expect(outcome.end?.kind).toBe('final')
    const [first = 0, second = 0, third = 0, last = 0] = gaps(port.polls)
    expect(first).toBeGreaterThanOrEqual(250)
    expect(second).toBeGreaterThanOrEqual(500)
    expect(third).toBeGreaterThanOrEqual(1_000)
    expect(last).toBe(45_000)
  })
})

describe('polls that fail', () => {
  it.each([
    ['no response', unreachable()],
    ['429', new TransportError('', { status: 429 })],
    ['502', new TransportError('', { status: 502 })],
    ['503', new TransportError('', { status: 503 })],
    ['504', new TransportError('', { status: 504 })],
    ['the error 429', new MCPError(429, 'Too many requests', { retryAfterMs: 10 })],
    ['a timeout of ours', new MCPError(-32001, 'not in time', undefined, { local: true })],
  ])('are repeated after %s', async (_name, error) => {
    const { clock, follower } = follow([error, error, completed()])
    const outcome = outcomeOf(waitForEnd(follower, clock, {}))
    await clock.advance(60_000)
    expect(outcome.end?.kind).toBe('final')
  })

  it('of a busy server are repeated until it keeps the task no longer', async () => {
    const { clock, port, follower } = follow([busy()])
    const outcome = outcomeOf(waitForEnd(follower, clock, {}))
    await clock.advance(3_500_000)
    expect(outcome.end).toBeUndefined()
    await clock.advance(200_000)
    expect(outcome.end).toMatchObject({ kind: 'given-up', mustCancel: false, error: busy() })
    expect(clock.timers).toBe(0)
    expect(port.cancels).toEqual([])
  })

  it('of a busy server are repeated for five minutes where the server keeps the task without limit', async () => {
    const { clock, follower } = follow([busy()], { keptUntil: Infinity, state: state({ ttlMs: null }) })
    const outcome = outcomeOf(waitForEnd(follower, clock, {}))
    await clock.advance(290_000)
    expect(outcome.end).toBeUndefined()
    await clock.advance(60_000)
    expect(outcome.end?.kind).toBe('given-up')
  })

  it('that get no response are repeated for a minute, and then whoever waits learns of it', async () => {
    const { clock, port, follower } = follow([unreachable()])
    const startedAt = clock.now()
    const outcome = outcomeOf(waitForEnd(follower, clock, {}))
    await clock.advance(60_000)
    expect(outcome.end).toBeUndefined()
    await clock.runUntil(() => outcome.end !== undefined)
    expect(outcome.end).toEqual({ kind: 'unreachable', error: unreachable() })
    expect(clock.now() - startedAt).toBeLessThanOrEqual(95_000)
    expect(clock.timers).toBe(0)
    expect(port.cancels).toEqual([])
  })

  it('that get no response mean nothing once the server is back within that time', async () => {
    const { clock, follower } = follow([
      ...Array.from({ length: 5 }, unreachable),
      state(),
      ...Array.from({ length: 5 }, unreachable),
      busy(),
      unreachable(),
      completed(),
    ])
    const outcome = outcomeOf(waitForEnd(follower, clock, {}))
    await clock.advance(600_000)
    expect(outcome.end?.kind).toBe('final')
  })

  it('that time out are repeated three times, since the server may only be slow', async () => {
    const timeout = () => new MCPError(-32001, 'not in time', undefined, { local: true })
    const slow = async (clock: FakeClock) => {
      await new Promise<void>((resolve) => void clock.setTimer(resolve, 60_000))
      throw timeout()
    }
    const { clock, port, follower } = follow([completed()])
    port.answers = [() => slow(clock), () => slow(clock), completed()]
    const first = outcomeOf(waitForEnd(follower, clock, {}))
    await clock.runUntil(() => first.end !== undefined)
    expect(first.end?.kind).toBe('final')
    const silent = follow([completed()])
    silent.port.answers = [() => slow(silent.clock)]
    const second = outcomeOf(waitForEnd(silent.follower, silent.clock, {}))
    await silent.clock.runUntil(() => second.end !== undefined)
    expect(second.end).toEqual({ kind: 'unreachable', error: timeout() })
    expect(silent.port.polls).toHaveLength(3)
  })

  it('that get no response end each wait after its own time, and a new wait has the whole time again', async () => {
    const { clock, port, follower } = follow([unreachable()])
    const short = outcomeOf(waitForEnd(follower, clock, {}))
    const long = outcomeOf(waitForEnd(follower, clock, { timeoutMs: 1_800_000 }))
    await clock.advance(600_000)
    expect(short.end?.kind).toBe('unreachable')
    expect(long.end).toBeUndefined()
    const again = outcomeOf(waitForEnd(follower, clock, { unreachableMs: 1_200_000 }))
    await clock.advance(1_000_000)
    expect(again.end).toBeUndefined()
    await clock.advance(600_000)
    expect([long.end?.kind, again.end?.kind]).toEqual(['stopped', 'unreachable'])
    const polls = port.polls.length
    port.answers = [unreachable(), unreachable(), completed()]
    const last = outcomeOf(waitForEnd(follower, clock, {}))
    await clock.advance(120_000)
    expect(last.end?.kind).toBe('final')
    expect(port.polls.length - polls).toBe(3)
  })

  it('end the wait when the connection is over', async () => {
    const { clock, port, follower } = follow([unreachable()])
    port.ended.abort()
    const outcome = outcomeOf(waitForEnd(follower, clock, {}))
    await clock.advance(1_000)
    expect(outcome.end?.kind).toBe('given-up')
  })

  it.each([
    ['401', new TransportError('', { status: 401 })],
    ['500', new TransportError('', { status: 500 })],
    ['-32601', new MCPError(-32601, 'no such method')],
  ])('end the wait after %s, without a cancel', async (_name, error) => {
    const { clock, port, follower } = follow([error])
    const outcome = outcomeOf(waitForEnd(follower, clock, {}))
    await clock.advance(1_000)
    expect(outcome.end).toEqual({ kind: 'given-up', error, mustCancel: false })
    expect(port.polls).toHaveLength(1)
  })

  it('that say -32602 mean that the task is gone, for good', async () => {
    const { clock, port, follower } = follow([new MCPError(-32602, 'unknown task')])
    const outcome = outcomeOf(waitForEnd(follower, clock, {}))
    await clock.advance(1_000)
    expect(outcome.end).toMatchObject({ kind: 'gone', error: expect.any(TaskGoneError) })
    expect((await waitForEnd(follower, clock, {})).kind).toBe('gone')
    expect(port.polls).toHaveLength(1)
  })

  it('that say -32602 after a lost connection are repeated once', async () => {
    const unknown = new MCPError(-32602, 'unknown task')
    const recovered = follow([unreachable(), unknown, completed()])
    const first = outcomeOf(waitForEnd(recovered.follower, recovered.clock, {}))
    await recovered.clock.advance(60_000)
    expect(first.end?.kind).toBe('final')
    const lost = follow([unreachable(), unknown, unknown])
    const second = outcomeOf(waitForEnd(lost.follower, lost.clock, {}))
    await lost.clock.advance(60_000)
    expect(second.end?.kind).toBe('gone')
    expect(lost.port.polls).toHaveLength(3)
  })
})

describe('the limits of a wait', () => {
  it('traps X-25: an abort is heard at once, and no poll follows', async () => {
    const { clock, port, follower } = follow([() => new Promise<TaskState>(() => {})])
    const stop = new AbortController()
    const outcome = outcomeOf(waitForEnd(follower, clock, { signal: stop.signal }))
    await clock.advance(1_000)
    expect(port.polls).toHaveLength(1)
    stop.abort(new Error('enough'))
    await settle()
    expect(outcome.end).toEqual({ kind: 'stopped', error: new Error('enough') })
    expect(clock.timers).toBe(0)
    await clock.advance(100_000)
    expect(port.polls).toHaveLength(1)
  })

  it('a signal that is aborted already ends the wait before anything is sent', async () => {
    const { clock, port, follower } = follow([completed()], { state: undefined })
    const { kind } = await waitForEnd(follower, clock, { signal: AbortSignal.abort() })
    expect(kind).toBe('stopped')
    expect(port.polls).toEqual([])
  })

  it('each answered poll is a sign of life, however long the task takes', async () => {
    const { clock, follower } = follow([state({ pollIntervalMs: 60_000 })], { state: undefined })
    const outcome = outcomeOf(waitForEnd(follower, clock, { timeoutMs: 1_000 }))
    await clock.advance(600_000)
    expect(outcome.end).toBeUndefined()
  })

  it('timeoutMs ends the wait for a server that does not answer', async () => {
    const { clock, follower } = follow([() => new Promise<TaskState>(() => {})], { state: undefined })
    const outcome = outcomeOf(waitForEnd(follower, clock, { timeoutMs: 1_000 }))
    await clock.advance(999)
    expect(outcome.end).toBeUndefined()
    await clock.advance(1)
    expect(outcome.end).toMatchObject({ kind: 'stopped', error: { code: -32001, local: true } })
    expect(clock.timers).toBe(0)
  })

  it('timeoutMs counts over failed polls', async () => {
    const { clock, follower } = follow([unreachable()], { state: undefined })
    const outcome = outcomeOf(waitForEnd(follower, clock, { timeoutMs: 10_000 }))
    await clock.advance(10_000)
    expect(outcome.end).toMatchObject({ kind: 'stopped', error: { code: -32001 } })
  })

  it('maxTotalMs ends every wait', async () => {
    const { clock, follower } = follow([state()], { state: undefined })
    const outcome = outcomeOf(waitForEnd(follower, clock, { maxTotalMs: 10_000 }))
    await clock.advance(10_000)
    expect(outcome.end).toMatchObject({ kind: 'stopped', error: { code: -32001, local: true } })
    expect(clock.timers).toBe(0)
  })

  it('the task is followed on for others who wait', async () => {
    const { clock, port, follower } = follow([state(), state(), state(), completed()])
    const stop = new AbortController()
    const first = outcomeOf(waitForEnd(follower, clock, { signal: stop.signal }))
    const second = outcomeOf(waitForEnd(follower, clock, {}))
    await clock.advance(600)
    stop.abort()
    await clock.advance(60_000)
    expect(first.end?.kind).toBe('stopped')
    expect(second.end?.kind).toBe('final')
    expect(port.polls).toHaveLength(4)
  })
})

describe('states', () => {
  it('tasks T-36: reports each change once, and the final state last', async () => {
    const half = state({ statusMessage: 'half', lastUpdatedAt: '2026-01-01T00:00:01.000Z' })
    const { clock, follower } = follow([state(), half, half, { ...half }, completed()])
    const seen: (string | undefined)[] = []
    void waitForEnd(follower, clock, { onStatus: ({ status, statusMessage }) => seen.push(statusMessage ?? status) })
    await clock.advance(60_000)
    expect(seen).toEqual(['half', 'completed'])
  })

  it('a status that nobody knows is not final', async () => {
    const { clock, follower } = follow([state({ status: 'paused' }), state({ status: 'paused' }), completed()])
    const seen: string[] = []
    const outcome = outcomeOf(waitForEnd(follower, clock, { onStatus: ({ status }) => seen.push(status) }))
    await clock.advance(60_000)
    expect(seen).toEqual(['paused', 'completed'])
    expect(outcome.end?.kind).toBe('final')
  })

  it('nothing is asked after the end', async () => {
    const { clock, port, follower } = follow([completed()])
    void waitForEnd(follower, clock, {})
    await clock.advance(1_000)
    await waitForEnd(follower, clock, {})
    await clock.advance(100_000)
    expect(port.polls).toHaveLength(1)
    expect(clock.timers).toBe(0)
  })
})

describe('questions', () => {
  const asking = (...keys: string[]) =>
    state({ status: 'input_required', inputRequests: Object.fromEntries(keys.map((key) => [key, question(key)])) })

  it('tasks T-38: each key is answered once, however often it is shown', async () => {
    const { clock, port, answer, follower } = follow([
      asking('q1'),
      asking('q1', 'q2'),
      asking('q2'),
      asking('q1'),
      completed(),
    ])
    const outcome = outcomeOf(waitForEnd(follower, clock, {}))
    await clock.advance(60_000)
    expect(outcome.end?.kind).toBe('final')
    expect(answer.mock.calls.map(([key]) => key)).toEqual(['q1', 'q2'])
    expect(port.updates).toEqual([{ q1: accepted }, { q2: accepted }])
  })

  it('traps X-28: polls go on while the user thinks, so that the end is heard and the question is withdrawn', async () => {
    const signals: AbortSignal[] = []
    const { clock, port, follower } = follow([asking('q1'), asking('q1'), state({ status: 'cancelled' })], {
      answer: (_key, _request, signal) => {
        signals.push(signal)
        return new Promise<InputResponse>(() => {})
      },
    })
    const outcome = outcomeOf(waitForEnd(follower, clock, {}))
    await clock.advance(60_000)
    expect(outcome.end).toMatchObject({ kind: 'final', state: { status: 'cancelled' } })
    expect(signals.map(({ aborted }) => aborted)).toEqual([true])
    expect(port.updates).toEqual([])
  })

  it('traps X-31: an abort while an answer is collected wins over the answer', async () => {
    const stop = new AbortController()
    const { clock, port, follower } = follow([asking('q1')], {
      answer: async () => {
        stop.abort(new Error('enough'))
        return accepted
      },
    })
    const outcome = outcomeOf(waitForEnd(follower, clock, { signal: stop.signal }))
    await clock.advance(1_000)
    expect(outcome.end).toEqual({ kind: 'stopped', error: new Error('enough') })
    expect(port.updates).toEqual([])
  })

  it('is not asked where whoever waits gives up on hearing of it', async () => {
    const { clock, answer, follower } = follow([asking('q1')])
    const stop = new AbortController()
    void waitForEnd(follower, clock, { signal: stop.signal, onStatus: () => stop.abort() })
    await clock.advance(10_000)
    expect(answer).not.toHaveBeenCalled()
  })

  it('a question whose wait was given up is asked again for the next one who waits', async () => {
    const { clock, port, follower } = follow([asking('q1'), asking('q1'), completed()], {
      answer: vi
        .fn()
        .mockImplementationOnce(() => new Promise(() => {}))
        .mockResolvedValue(accepted),
    })
    const stop = new AbortController()
    void waitForEnd(follower, clock, { signal: stop.signal })
    await clock.advance(200)
    stop.abort()
    const outcome = outcomeOf(waitForEnd(follower, clock, {}))
    await clock.advance(60_000)
    expect(outcome.end?.kind).toBe('final')
    expect(port.updates).toEqual([{ q1: accepted }])
  })

  it('sends the same answer again where the connection failed', async () => {
    const { clock, port, answer, follower } = follow([asking('q1')])
    let failures = 2
    port.onUpdate = () => {
      failures -= 1
      if (failures >= 0) throw unreachable()
      port.answers = [completed()]
    }
    const outcome = outcomeOf(waitForEnd(follower, clock, {}))
    await clock.advance(60_000)
    expect(outcome.end?.kind).toBe('final')
    expect(answer).toHaveBeenCalledTimes(1)
    expect(port.updates).toEqual([{ q1: accepted }, { q1: accepted }, { q1: accepted }])
  })

  it('one that is rejected ends the wait, and the task is to be cancelled', async () => {
    const { clock, follower } = follow([asking('q1')], { answer: () => Promise.reject(new Error('no')) })
    const outcome = outcomeOf(waitForEnd(follower, clock, {}))
    await clock.advance(1_000)
    expect(outcome.end).toEqual({ kind: 'given-up', error: new Error('no'), mustCancel: true })
    expect(clock.timers).toBe(0)
  })

  it('a server that asks without end is given up after 100 questions', async () => {
    let asked = 0
    const { clock, answer, follower } = follow([
      () => {
        asked += 1
        return asking(`q${asked}`)
      },
    ])
    const outcome = outcomeOf(waitForEnd(follower, clock, {}))
    await clock.advance(3_000_000)
    expect(outcome.end).toMatchObject({ kind: 'given-up', mustCancel: true, error: expect.any(LimitError) })
    expect(answer).toHaveBeenCalledTimes(100)
  })

  it('traps X-30: input_required with nothing left to answer is given up after 20 polls and 60 s', async () => {
    const slow = follow([{ ...asking('q1'), pollIntervalMs: 10_000 }])
    const first = outcomeOf(waitForEnd(slow.follower, slow.clock, {}))
    await slow.clock.advance(195_000)
    expect(first.end).toBeUndefined()
    await slow.clock.advance(30_000)
    expect(first.end).toMatchObject({ kind: 'given-up', mustCancel: true, error: { code: -32001 } })
    const fast = follow([{ ...asking(), pollIntervalMs: 100 }])
    const second = outcomeOf(waitForEnd(fast.follower, fast.clock, {}))
    await fast.clock.advance(60_000)
    expect(second.end).toBeUndefined()
    await fast.clock.advance(1_000)
    expect(second.end).toMatchObject({ kind: 'given-up', mustCancel: true })
  })
})

describe('a subscription', () => {
  it('takes over from the third poll on, and polls become rare', async () => {
    const { clock, port, follower } = watched([state({ pollIntervalMs: 1_000 })])
    const outcome = outcomeOf(waitForEnd(follower, clock, {}))
    await clock.advance(1_099)
    expect(port.polls).toHaveLength(1)
    expect(port.watches).toHaveLength(0)
    await clock.advance(1)
    expect(port.watches.map(({ ids }) => ids)).toEqual([[TASK_ID]])
    await clock.advance(63_000)
    // One poll after the acknowledgement, for what changed before it; then one every 30 s.
    expect(gaps(port.polls)).toEqual([1_000, 1_000, 30_000, 30_000])
    port.watches[0]?.receiver.changed(completed())
    await settle()
    expect(outcome.end?.kind).toBe('final')
    expect(port.watches[0]?.isClosed).toBe(true)
    expect(clock.timers).toBe(0)
  })

  it('is one for all tasks, replaced without a gap when a task joins', async () => {
    const { clock, port, watcher, follower, createFollower } = watched([state({ pollIntervalMs: 1_000 })])
    port.get = async (taskId) => state({ taskId, pollIntervalMs: 1_000 })
    const other = createFollower('task-2')
    void waitForEnd(follower, clock, {})
    await clock.advance(3_000)
    const closedBefore: boolean[] = []
    const { granted } = port
    port.granted = (ids) => {
      closedBefore.push(port.watches[0]?.isClosed === true)
      return granted?.(ids) ?? []
    }
    void waitForEnd(other, clock, {})
    await clock.advance(3_000)
    expect(port.watches.map(({ ids, isClosed }) => [ids, isClosed])).toEqual([
      [[TASK_ID], true],
      [[TASK_ID, 'task-2'], false],
    ])
    expect(closedBefore).toEqual([false])
    expect([watcher.isWatching(TASK_ID), watcher.isWatching('task-2')]).toEqual([true, true])
  })

  it('that ends gives way to polls at once', async () => {
    const { clock, port, follower } = watched([state({ pollIntervalMs: 1_000 })])
    void waitForEnd(follower, clock, {})
    await clock.advance(15_000)
    const before = port.polls.length
    port.watches[0]?.receiver.ended()
    await settle()
    expect(port.polls).toHaveLength(before + 1)
    await clock.advance(1_000)
    expect(port.polls).toHaveLength(before + 2)
  })

  it.each([
    ['does not offer it', null],
    ['does not grant it', () => []],
  ])('is not tried again where the server %s, and polls go on', async (_name, granted) => {
    const { clock, port, follower } = watched([state({ pollIntervalMs: 1_000 })], granted)
    const watch = vi.spyOn(port, 'watch')
    void waitForEnd(follower, clock, {})
    await clock.advance(10_000)
    expect(port.polls.length).toBeGreaterThanOrEqual(9)
    expect(watch).toHaveBeenCalledTimes(1)
  })

  it('goes on for other tasks when one of them is not granted, as one that is gone', async () => {
    const { clock, port, watcher, createFollower } = watched([])
    port.get = async (taskId) => {
      port.polls.push(clock.now())
      return state({ taskId, pollIntervalMs: 1_000 })
    }
    port.granted = (ids) => ids.filter((id) => id !== 'gone')
    void waitForEnd(createFollower('gone'), clock, {})
    await clock.advance(5_000)
    // The id that was not granted is polled at its own pace, and not asked for again.
    expect(port.polls).toHaveLength(5)
    void waitForEnd(createFollower('there'), clock, {})
    await clock.advance(5_000)
    expect(port.watches.map(({ ids, isClosed }) => [ids, isClosed])).toEqual([
      [['gone'], true],
      [['there'], false],
    ])
    expect([watcher.isWatching('gone'), watcher.isWatching('there')]).toEqual([false, true])
  })

  it('that the server refuses for one more task stays as it is for the others', async () => {
    const { clock, port, watcher, follower, createFollower } = watched([])
    port.get = async (taskId) => state({ taskId, pollIntervalMs: 1_000 })
    void waitForEnd(follower, clock, {})
    await clock.advance(5_000)
    port.granted = () => {
      throw new MCPError(-32602, 'Bad id')
    }
    void waitForEnd(createFollower('bad'), clock, {})
    await clock.advance(5_000)
    expect([watcher.isWatching(TASK_ID), watcher.isWatching('bad')]).toEqual([true, false])
    port.granted = (ids) => ids
    void waitForEnd(createFollower('good'), clock, {})
    await clock.advance(5_000)
    expect(port.watches.at(-1)?.ids).toEqual([TASK_ID, 'good'])
  })

  it.each([
    ['a new one grants none of its tasks', () => []],
    [
      'the server refuses subscriptions from now on',
      () => {
        throw new MCPError(-32601, 'Method not found')
      },
    ],
  ])('gives way to polls at once where %s', async (_name, granted) => {
    const { clock, port, follower, createFollower } = watched([])
    const polls: number[] = []
    port.get = async (taskId) => {
      if (taskId === TASK_ID) polls.push(clock.now())
      return state({ taskId, pollIntervalMs: 1_000 })
    }
    void waitForEnd(follower, clock, {})
    await clock.advance(5_000)
    expect(polls).toHaveLength(3)
    port.granted = granted
    void waitForEnd(createFollower('other'), clock, {})
    await clock.advance(6_000)
    expect(polls.length).toBeGreaterThanOrEqual(6)
    expect(port.watches[0]?.isClosed).toBe(true)
  })

  it('that reports an older state than the last poll changes nothing', async () => {
    const newer = state({ statusMessage: 'newer', lastUpdatedAt: '2026-01-01T00:00:09.000Z', pollIntervalMs: 1_000 })
    const { clock, port, follower } = watched([newer])
    const seen: (string | undefined)[] = []
    void waitForEnd(follower, clock, { onStatus: ({ statusMessage }) => seen.push(statusMessage) })
    await clock.advance(5_000)
    port.watches[0]?.receiver.changed(state({ statusMessage: 'older' }))
    await settle()
    expect(seen).toEqual(['newer'])
    expect(follower.state?.statusMessage).toBe('newer')
  })

  it('that reports an end without the result makes the client ask for it', async () => {
    const { clock, port, follower } = watched([state({ pollIntervalMs: 1_000 })])
    const outcome = outcomeOf(waitForEnd(follower, clock, {}))
    await clock.advance(5_000)
    port.answers = [completed('whole')]
    port.watches[0]?.receiver.changed(state({ status: 'completed' }))
    await settle()
    expect(outcome.end).toMatchObject({ kind: 'final', state: { result: { content: [{ text: 'whole' }] } } })
  })
})
