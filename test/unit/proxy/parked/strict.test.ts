// Calls of a legacy source that wait for a modern caller, against a model: any order of questions, answers and ends.
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { MCPError } from '../../../../src/types/errors/errors.ts'
import type { JSONObject } from '../../../../src/types/protocol/json.ts'
import { isFull } from '../../../engines/full.ts'
import {
  OWNERS,
  type Owner,
  openScene,
  PARK_MS,
  passTime,
  type Scene,
  stopClock,
  textOf,
  turns,
  until,
  type Work,
} from './scene.ts'

beforeAll(stopClock)
afterAll(() => {
  vi.useRealTimers()
})

const DO = [
  ...([
    'call',
    'call',
    'ask',
    'ask',
    'ask',
    'ask two',
    'answer all',
    'answer all',
    'answer one',
    'answer none',
  ] as const),
  ...([
    'end',
    'end',
    'withdraw',
    'cancel',
    'old state',
    'other caller',
    'other call',
    'expire',
    'forget',
    'cut off',
  ] as const),
]

interface Step {
  readonly do: (typeof DO)[number]
  /** Of the call, among those that are open. */
  readonly which: number
  readonly owner: Owner
}

const steps = fc.array(
  fc.record({ do: fc.constantFrom(...DO), which: fc.nat(20), owner: fc.constantFrom(...OWNERS) }),
  { minLength: 10, maxLength: 60, size: 'max' },
)

/** What is known of a call that is not over. */
interface Call {
  readonly id: number
  readonly owner: Owner
  /** The request that is open at the front; none while the call is parked. */
  front: Promise<JSONObject> | undefined
  abort: AbortController
  /** Questions by their keys, which stay the same. */
  readonly keys: Map<number, string>
  /** Questions that nobody has answered. */
  open: Set<number>
  readonly states: string[]
  /** The source is done, well or not. */
  ended: 'well' | 'lost' | undefined
}

class Model {
  readonly #scene: Scene
  readonly calls: Call[] = []
  #ids = 0

  constructor(scene: Scene) {
    this.#scene = scene
  }

  async take({ do: what, which, owner }: Step): Promise<void> {
    if (what === 'call') return this.#begin(owner)
    if (what === 'expire') return this.#expire()
    if (what === 'forget') return this.#forget(owner)
    if (what === 'cut off') return this.#cutOff()
    const call = this.calls[which % this.calls.length]
    if (call === undefined) return
    if (what === 'ask') return this.#ask(call, 1)
    if (what === 'ask two') return this.#ask(call, 2)
    if (what === 'end') return this.#end(call)
    if (what === 'withdraw') return this.#withdraw(call)
    if (what === 'cancel') return this.#cancel(call)
    if (call.front !== undefined) return
    if (what === 'answer all') return this.#answer(call, [...call.open])
    if (what === 'answer one') return this.#answer(call, [...call.open].slice(0, 1))
    if (what === 'answer none') return this.#answer(call, [])
    const state = what === 'old state' ? call.states.at(-2) : call.states.at(-1)
    if (state === undefined) return
    const by = what === 'other caller' ? OWNERS.find((one) => one !== call.owner) : call.owner
    const inputResponses = Object.fromEntries([...call.keys.values()].map((key) => [key, answerFor(call, 0)]))
    const id = what === 'other call' ? call.id + 3_000 : call.id
    const refused = this.#scene.send(by as Owner, id, { requestState: state, inputResponses })
    await expect(passTime(refused)).rejects.toMatchObject({ code: -32602 })
  }

  /** All of it comes to an end, and nothing is left. */
  async finish(): Promise<void> {
    while (this.calls.length > 0) {
      const [call] = this.calls as [Call]
      if (call.front !== undefined) await this.#end(call)
      else await this.#expire()
    }
    expect(await this.#scene.parked()).toBe(0)
    for (const { end } of this.#scene.work.values()) end.resolve()
    await turns()
    for (const { questions, isOver } of this.#scene.work.values()) {
      expect(isOver).toBe(true)
      expect(questions.map(({ answers }) => answers)).toEqual(questions.map(() => 1))
    }
  }

  async #begin(owner: Owner): Promise<void> {
    this.#ids += 1
    const id = this.#ids
    const abort = new AbortController()
    const front = this.#scene.send(owner, id, {}, abort.signal)
    front.catch(() => {})
    this.calls.push({ id, owner, front, abort, keys: new Map(), open: new Set(), states: [], ended: undefined })
    await until(() => this.#scene.work.has(id))
  }

  async #ask(call: Call, count: number): Promise<void> {
    if (call.ended !== undefined) return
    for (let n = 0; n < count; n += 1) {
      call.open.add(this.#workOf(call).questions.length)
      this.#scene.ask(call.id)
    }
    if (call.front === undefined) return turns()
    await this.#isAsked(call)
  }

  /** The front is answered with exactly the open questions. */
  async #isAsked(call: Call): Promise<void> {
    const result = await passTime(call.front as Promise<JSONObject>)
    call.front = undefined
    expect(result['resultType']).toBe('input_required')
    const asked = Object.entries(result['inputRequests'] as Record<string, { params: { message: string } }>)
    const texts = asked.map(([, { params }]) => params.message)
    expect(texts.sort()).toEqual([...call.open].map((question) => textOf(call.id, question)).sort())
    for (const [key, { params }] of asked) {
      const question = Number(/\d+$/.exec(params.message)?.[0])
      expect(call.keys.get(question) ?? key).toBe(key)
      call.keys.set(question, key)
    }
    const state = String(result['requestState'])
    expect(call.states).not.toContain(state)
    call.states.push(state)
  }

  async #answer(call: Call, questions: readonly number[]): Promise<void> {
    const known = questions.filter((question) => call.keys.has(question))
    const inputResponses = Object.fromEntries(
      known.map((question) => [call.keys.get(question), answerFor(call, question)]),
    )
    const requestState = call.states.at(-1) as string
    call.abort = new AbortController()
    call.front = this.#scene.send(call.owner, call.id, { requestState, inputResponses }, call.abort.signal)
    call.front.catch(() => {})
    for (const question of known) call.open.delete(question)
    if (call.ended !== undefined) return this.#isOver(call)
    if (call.open.size > 0) await this.#isAsked(call)
    else await until(() => known.every((question) => this.#answerTo(call, question) !== undefined))
    for (const question of known) expect(this.#answerTo(call, question)).toEqual(answerFor(call, question))
  }

  async #end(call: Call): Promise<void> {
    if (call.ended === undefined) {
      call.ended = 'well'
      this.#workOf(call).end.resolve()
      await turns()
    }
    if (call.front !== undefined) await this.#isOver(call)
  }

  /** The caller learns how its call ended. */
  async #isOver(call: Call): Promise<void> {
    const outcome = await passTime((call.front as Promise<JSONObject>).catch((error: unknown) => error))
    if (call.ended === 'well') expect(outcome).toMatchObject({ content: [{ text: `result ${call.id}` }] })
    else expect(outcome).toBeInstanceOf(MCPError)
    this.#drop(call)
  }

  async #withdraw(call: Call): Promise<void> {
    const [question] = call.open
    if (question === undefined) return
    call.open.delete(question)
    this.#workOf(call).questions[question]?.abort.abort()
    await turns()
  }

  async #cancel(call: Call): Promise<void> {
    if (call.front === undefined) return
    call.abort.abort()
    await expect(passTime(call.front)).rejects.toThrow()
    await until(() => this.#workOf(call).ctx.signal.aborted || call.ended !== undefined)
    this.#drop(call)
  }

  /** Whoever does not come back is not waited for. */
  async #expire(): Promise<void> {
    await vi.advanceTimersByTimeAsync(PARK_MS)
    await turns()
    const isGone = (call: Call) => call.front === undefined
    for (const call of this.calls.filter(isGone)) this.#isGivenUp(call)
  }

  async #forget(owner: Owner): Promise<void> {
    await passTime(this.#scene.forget(owner))
    await turns()
    for (const call of this.calls.filter((one) => one.owner === owner)) {
      if (call.front !== undefined) await expect(passTime(call.front)).rejects.toBeInstanceOf(MCPError)
      this.#isGivenUp(call)
    }
  }

  async #cutOff(): Promise<void> {
    this.#scene.cutOff()
    await turns()
    for (const call of [...this.calls]) {
      call.ended ??= 'lost'
      call.open.clear()
      if (call.front !== undefined) await this.#isOver(call)
    }
  }

  #isGivenUp(call: Call): void {
    if (call.ended === undefined) expect(this.#workOf(call).ctx.signal.aborted).toBe(true)
    this.#drop(call)
  }

  #drop(call: Call): void {
    this.calls.splice(this.calls.indexOf(call), 1)
  }

  #answerTo(call: Call, question: number): unknown {
    return this.#workOf(call).questions[question]?.answer
  }

  #workOf(call: Call): Work {
    return this.#scene.work.get(call.id) as Work
  }

  /** Calls that wait for their caller, as the proxy counts them. */
  async check(): Promise<void> {
    expect(await this.#scene.parked()).toBeGreaterThanOrEqual(
      this.calls.filter((call) => call.front === undefined).length,
    )
    expect(await this.#scene.parked()).toBeLessThanOrEqual(this.calls.length)
  }
}

function answerFor(call: Call, question: number): JSONObject {
  return { action: 'accept', content: { text: `answer to ${textOf(call.id, question)}` } }
}

describe('calls that are parked', () => {
  it('compose P20 compose G021 compose G022 compose G023 go as the model says, in any order', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (taken) => {
        await using scene = await openScene()
        const model = new Model(scene)
        for (const step of taken) {
          await model.take(step)
          await model.check()
        }
        await model.finish()
      }),
      isFull ? { numRuns: 3_000 } : { seed: 30, numRuns: 60 },
    )
  })
})
