// Random schedules of everything that can happen to calls between two dispatchers, and what must hold after each of them.
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { DispatchContext, Dispatcher, DispatcherOptions, Outbound } from '../../../src/dispatcher/dispatcher.ts'
import type { Fault } from '../../../src/dispatcher/fault.ts'
import { MCPError } from '../../../src/types/errors/errors.ts'
import type { JSONObject } from '../../../src/types/protocol/json.ts'
import { type PairFactory, pairs } from '../../support/peers.ts'
import { volume } from '../../support/volume.ts'

type Side = 0 | 1

interface Call {
  readonly tag: number
  readonly side: Side
  readonly timeoutMs: number
  readonly controller: AbortController
  readonly progress: number[]
  outcomes: unknown[]
  wasAborted: boolean
}

/** A handler at work, in the hands of the schedule. */
interface Work {
  readonly side: Side
  readonly tag: number
  readonly context: DispatchContext
  readonly signal: AbortSignal
  readonly isInline: boolean
  isDone: boolean
  resolve(result: JSONObject): void
  reject(error: Error): void
}

interface Wish {
  method: 'a' | 'inline' | 'at once'
  timeoutMs: number
  maxTotalMs?: number | undefined
}

type Step =
  | ({ do: 'call'; side: Side } & Wish)
  | { do: 'ask'; pick: number; timeoutMs: number }
  | { do: 'answer' | 'fail' | 'break'; pick: number }
  | { do: 'progress'; pick: number; value: number }
  | { do: 'abort'; pick: number }
  | { do: 'notify'; side: Side }
  | { do: 'wait'; ms: number }
  | { do: 'turn' }
  | { do: 'close'; side: Side; drainMs: number }

/** The code of an answer that is an error on purpose. */
const FAILED = -32_050

const side = fc.constantFrom<Side>(0, 1)
const pick = fc.nat(20)
const timeoutMs = fc.constantFrom(0, 5, 20, 20, Infinity, Infinity)

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('call' as const),
      side,
      method: fc.constantFrom('a' as const, 'a' as const, 'a' as const, 'inline' as const, 'at once' as const),
      timeoutMs,
      maxTotalMs: fc.constantFrom(undefined, undefined, 30),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('ask' as const), pick, timeoutMs }) },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constantFrom('answer' as const, 'fail' as const, 'break' as const), pick }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('progress' as const), pick, value: fc.nat(9) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('abort' as const), pick }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('notify' as const), side }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.constantFrom(1, 4, 5, 20, 31) }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('turn' as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('close' as const), side, drainMs: fc.constantFrom(0, 0, 10) }),
  },
)

interface Setting {
  readonly maxConcurrentRequests: number
  readonly maxWaitingBytes: number
  readonly holdTimeoutsWhileAnswering: boolean
}

const setting: fc.Arbitrary<Setting> = fc.record({
  maxConcurrentRequests: fc.constantFrom(1, 2, 256),
  // None, one, two, and more than any schedule has.
  maxWaitingBytes: fc.constantFrom(0, 1_200, 2_400, 1_000_000),
  holdTimeoutsWhileAnswering: fc.boolean(),
})

/** A handler broke on purpose, a connection was closed under a write, a bound of the setting was reached. */
const EXPECTED_FAULTS = new Set(['handler-failed', 'write-failed', 'overflow'])

/** Lets all jobs run. Immediates are real, timers are not. */
const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

/** Two connected dispatchers, whatever they were asked to do, and what became of it. */
class World {
  readonly calls: Call[] = []
  readonly works: Work[] = []
  readonly faults: Fault[] = []
  readonly dispatchers: readonly [Dispatcher, Dispatcher]
  readonly #sent = [0, 0]
  readonly #received = [0, 0]
  /** Notifications may wait for an inline request, and answers do not. */
  #mayHoldBack = false
  /** Rules that were broken where nobody would hear of an exception. */
  readonly #broken: string[] = []

  constructor(createPair: PairFactory, options: Setting) {
    const all: DispatcherOptions = {
      ...options,
      inlineMethods: ['inline'],
      onFault: (fault) => this.faults.push(fault),
    }
    this.dispatchers = createPair(all, all)
    for (const at of [0, 1] as const) {
      void this.dispatchers[at].run(
        (context, method, params) => this.#handle(at, context, method, params),
        (_context, method, params) => {
          if (method === 'n') this.#receive(at, params?.['n'] as number)
        },
      )
    }
  }

  take(step: Step): Promise<void> | undefined {
    const work = 'pick' in step ? this.#openWork(step.pick) : undefined
    switch (step.do) {
      case 'call':
        this.#call(step.side, this.dispatchers[step.side], step)
        return undefined
      case 'ask':
        if (work !== undefined) this.#call(work.side, work.context, { ...step, method: 'a' })
        return undefined
      case 'answer':
        work?.resolve({ tag: work.tag, sent: this.#sent[work.side] as number })
        return undefined
      case 'fail':
        work?.reject(new MCPError(FAILED, `failed ${work.tag}`))
        return undefined
      case 'break':
        work?.reject(new Error('secret'))
        return undefined
      case 'progress':
        void work?.context.reportProgress(step.value)
        return undefined
      case 'abort':
        this.#abort(this.calls[step.pick % Math.max(1, this.calls.length)])
        return undefined
      case 'notify':
        this.#notify(step.side)
        return undefined
      case 'wait':
        vi.advanceTimersByTime(step.ms)
        return turn()
      case 'turn':
        return turn()
      case 'close':
        void this.dispatchers[step.side].close({ drainMs: step.drainMs })
        return undefined
    }
  }

  /** Ends everything, in the time that closing may take. */
  async end(): Promise<void> {
    const closing = Promise.all(this.dispatchers.map((dispatcher) => dispatcher.close()))
    for (let second = 0; second < 3; second++) {
      await turn()
      vi.advanceTimersByTime(1_000)
    }
    await closing
    await turn()
    expect(this.#broken).toEqual([])
  }

  /** Handlers that ignored everything come to an end after all. */
  async finishWorks(): Promise<void> {
    for (const [index, work] of this.works.entries()) {
      if (work.isDone) continue
      if (index % 2 === 0) work.resolve({})
      else work.reject(new Error('late'))
    }
    await turn()
  }

  #call(from: Side, outbound: Outbound, { method, timeoutMs, maxTotalMs }: Wish): void {
    this.#mayHoldBack ||= method === 'inline'
    const controller = new AbortController()
    const call: Call = {
      tag: this.calls.length,
      side: from,
      timeoutMs,
      controller,
      progress: [],
      outcomes: [],
      wasAborted: false,
    }
    this.calls.push(call)
    const onProgress = ({ progress }: { progress: number }) => {
      this.#require(call.outcomes.length === 0, 'there is no progress after a call has settled')
      this.#require(progress > (call.progress.at(-1) ?? -1), 'progress increases')
      call.progress.push(progress)
    }
    const options = { timeoutMs, maxTotalMs, signal: controller.signal, onProgress }
    outbound.sendRawRequest(method, { tag: call.tag }, options).then(
      (result) => this.#settled(call, result),
      (error: unknown) => this.#settled(call, error),
    )
  }

  #settled(call: Call, outcome: unknown): void {
    call.outcomes.push(outcome)
    this.#require(isOutcomeOf(call, outcome), 'a call gets its own answer, and no secret')
    const sent = this.#mayHoldBack || outcome instanceof Error ? 0 : (outcome as JSONObject)['sent']
    this.#require(
      (this.#received[call.side] as number) >= ((sent ?? 0) as number),
      'an answer overtakes no notification',
    )
  }

  #handle(
    at: Side,
    context: DispatchContext,
    method: string,
    params: JSONObject | undefined,
  ): JSONObject | Promise<JSONObject> {
    const tag = params?.['tag'] as number
    this.#require(!this.works.some((work) => work.tag === tag), 'a call runs once')
    this.#require(!context.signal.aborted, 'what was cancelled does not start')
    this.#require(!this.works.some((work) => work.isInline && work.side === at && !work.isDone), 'inline is inline')
    if (method === 'at once') return { tag, sent: this.#sent[at] as number }
    return new Promise((resolve, reject) => {
      const work: Work = {
        side: at,
        tag,
        context,
        signal: context.signal,
        isInline: method === 'inline',
        isDone: false,
        resolve: (result) => {
          work.isDone = true
          resolve(result)
        },
        reject: (error) => {
          work.isDone = true
          reject(error)
        },
      }
      this.works.push(work)
    })
  }

  #openWork(pick: number): Work | undefined {
    const open = this.works.filter((work) => !work.isDone)
    return open[pick % Math.max(1, open.length)]
  }

  #abort(call: Call | undefined): void {
    if (call === undefined) return
    call.wasAborted ||= call.outcomes.length === 0
    call.controller.abort(new Error('aborted'))
  }

  #notify(from: Side): void {
    const n = (this.#sent[from] as number) + 1
    this.#sent[from] = n
    void this.dispatchers[from].notify('n', { n })
  }

  #receive(at: Side, n: number): void {
    this.#require(n > (this.#received[at] as number), 'notifications come in order')
    this.#received[at] = n
  }

  #require(holds: boolean, rule: string): void {
    if (!holds) this.#broken.push(rule)
  }
}

function isOutcomeOf(call: Call, outcome: unknown): boolean {
  if (outcome instanceof MCPError) {
    return outcome.code === FAILED ? outcome.message === `failed ${call.tag}` : !outcome.message.includes('secret')
  }
  if (outcome instanceof Error) return call.wasAborted
  return (outcome as JSONObject)['tag'] === call.tag
}

describe.each(pairs)('any schedule between two $kind dispatchers', ({ createPair }) => {
  const unhandled: unknown[] = []
  const note = (error: unknown) => unhandled.push(error)

  beforeEach(() => {
    unhandled.length = 0
    process.on('unhandledRejection', note)
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  })

  afterEach(() => {
    vi.useRealTimers()
    process.off('unhandledRejection', note)
  })

  const runs = { seed: 77, numRuns: 1_000 }
  const schedule = fc.array(step, { minLength: 1, maxLength: 30 })

  it('F077 settles each call exactly once, in order, and leaves nothing behind', async () => {
    await fc.assert(
      fc.asyncProperty(setting, schedule, async (options, steps) => {
        const world = new World(createPair, options)
        for (const next of steps) await world.take(next)
        await world.end()
        expect(world.calls.every((call) => call.outcomes.length === 1)).toBe(true)
        expect(vi.getTimerCount()).toBe(0)
        expect(world.works.every((work) => work.isDone || work.signal.aborted)).toBe(true)
        await world.finishWorks()
        expect(world.calls.every((call) => call.outcomes.length === 1)).toBe(true)
        expect(world.faults.filter(({ kind }) => !EXPECTED_FAULTS.has(kind))).toEqual([])
        expect(unhandled).toEqual([])
      }),
      // Over both pairs, a hundred thousand.
      { ...runs, numRuns: volume(runs.numRuns, 50_000) },
    )
  })

  it('F079 tells the handler of each call that was given up, and keeps every timeout', async () => {
    const roomy = { maxConcurrentRequests: 256, maxWaitingBytes: 1_000_000, holdTimeoutsWhileAnswering: false }
    // A question that waits for its answer stops the clock of the call it belongs to.
    const calls = schedule.map((steps) => steps.filter((next) => next.do !== 'close' && next.do !== 'ask'))
    await fc.assert(
      fc.asyncProperty(calls, async (steps) => {
        const world = new World(createPair, roomy)
        for (const next of steps) await world.take(next)
        vi.advanceTimersByTime(100)
        await turn()
        const overdue = world.calls.filter((call) => call.timeoutMs !== Infinity || call.wasAborted)
        expect(overdue.every((call) => call.outcomes.length === 1)).toBe(true)
        const open = world.works.filter((work) => !work.isDone)
        const isOver = (work: Work) => world.calls[work.tag]?.outcomes.length === 1
        expect(open.map((work) => work.signal.aborted)).toEqual(open.map(isOver))
        await world.end()
      }),
      runs,
    )
  })
})
