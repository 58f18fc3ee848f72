// Calls of a legacy source that wait for a modern caller: whatever happens at once, each ends once, and nothing reaches the wrong one.
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
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
} from './scene.ts'

beforeAll(stopClock)
afterAll(() => {
  vi.useRealTimers()
})

const DO = [
  ...([
    'call',
    'call',
    'call',
    'ask',
    'ask',
    'ask',
    'ask',
    'answer',
    'answer',
    'answer',
    'answer twice',
    'old state',
  ] as const),
  ...(['other caller', 'end', 'end', 'withdraw', 'cancel', 'expire', 'forget', 'cut off'] as const),
]

interface Step {
  readonly do: (typeof DO)[number]
  readonly which: number
  readonly owner: Owner
  /** Time until the next step: with 0 both happen at once. */
  readonly turns: number
}

const steps = fc.array(
  fc.record({
    do: fc.constantFrom(...DO),
    which: fc.nat(20),
    owner: fc.constantFrom(...OWNERS),
    turns: fc.constantFrom(0, 0, 0, 1, 2, 6),
  }),
  { minLength: 10, maxLength: 60, size: 'max' },
)

interface Call {
  readonly id: number
  readonly owner: Owner
  readonly states: string[]
  readonly keys: Map<string, string>
  readonly aborts: AbortController[]
  /** How many rounds brought the result: one at most. */
  results: number
}

class Players {
  readonly #scene: Scene
  readonly calls: Call[] = []
  readonly #rounds: Promise<void>[] = []
  #ids = 0

  constructor(scene: Scene) {
    this.#scene = scene
  }

  take({ do: what, which, owner }: Step): void {
    if (what === 'call') this.#begin(owner)
    else if (what === 'expire') vi.advanceTimersByTime(PARK_MS)
    else if (what === 'forget') this.#rounds.push(this.#scene.forget(owner))
    else if (what === 'cut off') this.#scene.cutOff()
    else if (this.calls.length > 0) this.#go(what, this.calls[which % this.calls.length] as Call)
  }

  #go(what: Step['do'], call: Call): void {
    const work = this.#scene.work.get(call.id)
    const [newest, older] = [call.states.at(-1), call.states.at(-2)]
    if (what === 'ask' && work?.isOver === false) this.#scene.ask(call.id)
    else if (what === 'end') work?.end.resolve()
    else if (what === 'withdraw') work?.questions.at(-1)?.abort.abort()
    else if (what === 'cancel') call.aborts.at(-1)?.abort()
    else if (what === 'old state') this.#answer(call, call.owner, older)
    else if (what === 'other caller') this.#answer(call, call.owner === 'ada' ? 'bob' : 'ada', newest)
    else if (what === 'answer' || what === 'answer twice') {
      this.#answer(call, call.owner, newest)
      if (what === 'answer twice') this.#answer(call, call.owner, newest)
    }
  }

  #begin(owner: Owner): void {
    this.#ids += 1
    const call: Call = { id: this.#ids, owner, states: [], keys: new Map(), aborts: [], results: 0 }
    this.calls.push(call)
    this.#send(call, owner, {})
  }

  #answer(call: Call, owner: Owner, requestState: string | undefined): void {
    if (requestState === undefined) return
    const inputResponses = Object.fromEntries([...call.keys].map(([key, text]) => [key, answerFor(text, owner)]))
    this.#send(call, owner, { requestState, inputResponses })
  }

  #send(call: Call, owner: Owner, more: JSONObject): void {
    const abort = new AbortController()
    if (owner === call.owner) call.aborts.push(abort)
    const round = this.#scene.send(owner, call.id, more, abort.signal).then(
      (result) => this.#read(call, owner, result),
      () => {},
    )
    // Looked at in the end.
    round.catch(() => {})
    this.#rounds.push(round)
  }

  #read(call: Call, owner: Owner, result: JSONObject): void {
    expect(owner).toBe(call.owner)
    if (result['resultType'] !== 'input_required') {
      expect(result).toMatchObject({ content: [{ text: `result ${call.id}` }] })
      call.results += 1
      return
    }
    const asked = Object.entries(result['inputRequests'] as Record<string, { params: { message: string } }>)
    for (const [key, { params }] of asked) {
      expect(params.message).toMatch(new RegExp(`^call ${call.id}, `))
      expect(call.keys.get(key) ?? params.message).toBe(params.message)
      call.keys.set(key, params.message)
    }
    call.states.push(String(result['requestState']))
  }

  /** Everything has come to its end, once. */
  async finish(): Promise<void> {
    await turns()
    for (const { end } of this.#scene.work.values()) end.resolve()
    await turns()
    await vi.advanceTimersByTimeAsync(PARK_MS)
    await passTime(Promise.all(this.#rounds))
    await turns()
    expect(await this.#scene.parked()).toBe(0)
    await until(() => [...this.#scene.work.values()].every(({ isOver }) => isOver))
    for (const call of this.calls) {
      expect(call.results).toBeLessThanOrEqual(1)
      for (const [n, { answer, answers }] of this.#scene.work.get(call.id)?.questions.entries() ?? []) {
        expect(answers).toBe(1)
        const ours = answerFor(textOf(call.id, n), call.owner)
        expect([ours, 'failed', { action: 'cancel' }]).toContainEqual(answer)
      }
    }
  }
}

function answerFor(text: string, owner: Owner): JSONObject {
  return { action: 'accept', content: { text: `${owner} on ${text}` } }
}

describe('calls that are parked', () => {
  it('compose P20 compose P11 end once, and hear no answer of another call or caller, whatever happens at once', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (taken) => {
        await using scene = await openScene()
        const players = new Players(scene)
        for (const step of taken) {
          players.take(step)
          await turns(step.turns)
        }
        await players.finish()
      }),
      isFull ? { numRuns: 3_000 } : { seed: 31, numRuns: 60 },
    )
  })
})
