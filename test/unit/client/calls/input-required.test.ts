// The driver of multi-round-trip requests.
import { afterEach, describe, expect, it, vi } from 'vitest'
import {
  finishRounds,
  isInputRequired,
  type RoundInput,
  type RoundTrips,
} from '../../../../src/client/calls/input-required.ts'
import { createDeferred } from '../../../../src/primitives/async/promises.ts'
import { MCPError } from '../../../../src/types/errors/errors.ts'
import { InputRequiredRoundsExceededError, InvalidResultError } from '../../../../src/types/errors/failures.ts'
import type { InputRequest, InputRequiredResult, InputResponse } from '../../../../src/types/features/input-required.ts'
import { settle } from '../../../support/peers.ts'

interface Done {
  done: true
}

const done: Done = { done: true }
const roots: InputRequest = { method: 'roots/list' }
const asks = (...keys: string[]): InputRequiredResult => ({
  resultType: 'input_required',
  inputRequests: Object.fromEntries(keys.map((key) => [key, roots])),
})
const withState = (requestState: string): InputRequiredResult => ({ resultType: 'input_required', requestState })
const answerOf = (key: string): InputResponse => ({ roots: [{ uri: `file:///${key}` }] })

/** A server that answers the legs with these results, and a client that answers every question. */
function setUp(results: (Done | InputRequiredResult)[], options: Partial<RoundTrips<Done>> = {}) {
  const legs: RoundInput[] = []
  const trips: RoundTrips<Done> = {
    maxRounds: 10,
    send: async (input) => {
      legs.push(input)
      return results.shift()!
    },
    answer: vi.fn(async (key) => answerOf(key)),
    ...options,
  }
  return { legs, trips }
}

afterEach(() => {
  vi.useRealTimers()
})

describe('finishRounds', () => {
  it('answers all questions under their keys and returns the state', async () => {
    const { legs, trips } = setUp([done])
    const asked = { ...asks('a', 'b'), requestState: '  é\u0000 {"x": 1} ' }
    expect(await finishRounds(asked, trips)).toBe(done)
    expect(legs).toEqual([
      { inputResponses: { a: answerOf('a'), b: answerOf('b') }, requestState: '  é\u0000 {"x": 1} ' },
    ])
  })

  it('takes an empty state for a state, and none for none', async () => {
    const { legs, trips } = setUp([asks('b'), done])
    await finishRounds({ ...asks('a'), requestState: '' }, trips)
    expect(legs[0]).toHaveProperty('requestState', '')
    expect(legs[1]).not.toHaveProperty('requestState')
  })

  it('sends only what the latest round asked for', async () => {
    const { legs, trips } = setUp([asks('second'), done])
    await finishRounds({ ...asks('first'), requestState: 'one' }, trips)
    expect(legs[1]).toEqual({ inputResponses: { second: answerOf('second') } })
  })

  it('answers questions at the same time', async () => {
    const answers = new Map([
      ['a', createDeferred<InputResponse>()],
      ['b', createDeferred<InputResponse>()],
    ])
    const { legs, trips } = setUp([done], { answer: vi.fn((key: string) => answers.get(key)!.promise) })
    const finished = finishRounds(asks('a', 'b'), trips)
    await settle()
    expect(trips.answer).toHaveBeenCalledTimes(2)
    answers.get('b')!.resolve(answerOf('b'))
    answers.get('a')!.resolve(answerOf('a'))
    await finished
    expect(legs[0]!.inputResponses).toEqual({ a: answerOf('a'), b: answerOf('b') })
  })

  it('treats __proto__ as an ordinary key', async () => {
    const { legs, trips } = setUp([done])
    const question = JSON.parse('{"resultType":"input_required","inputRequests":{"__proto__":{"method":"roots/list"}}}')
    await finishRounds(question, trips)
    expect(Object.keys(legs[0]!.inputResponses!)).toEqual(['__proto__'])
    expect(({} as Record<string, unknown>)['roots']).toBeUndefined()
  })

  it('ends with the first rejection, aborts the other questions, and sends nothing', async () => {
    const refusal = new MCPError(-1, 'no')
    let siblingSignal: AbortSignal | undefined
    const { legs, trips } = setUp([done], {
      answer: (key, _request, signal) => {
        if (key === 'refused') return Promise.reject(refusal)
        siblingSignal = signal
        return new Promise(() => {})
      },
    })
    await expect(finishRounds(asks('slow', 'refused'), trips)).rejects.toBe(refusal)
    expect(siblingSignal?.aborted).toBe(true)
    expect(legs).toEqual([])
  })

  it('F098 stops after the last round allowed', async () => {
    const { legs, trips } = setUp(Array.from({ length: 20 }, () => asks('again')))
    const finished = finishRounds(asks('first'), trips)
    await expect(finished).rejects.toThrow(InputRequiredRoundsExceededError)
    await expect(finished).rejects.toMatchObject({ rounds: 10 })
    expect(legs).toHaveLength(10)
  })

  it('allows a result in the last round', async () => {
    const { trips } = setUp([asks('second'), done], { maxRounds: 2 })
    expect(await finishRounds(asks('first'), trips)).toBe(done)
  })

  it('rejects a result without questions and without state', async () => {
    const { trips } = setUp([done])
    await expect(finishRounds({ resultType: 'input_required' }, trips)).rejects.toThrow(InvalidResultError)
  })

  it('waits before it repeats a state without questions: 50 ms, doubling to 250, again from 50 after a question', async () => {
    vi.useFakeTimers()
    const { legs, trips } = setUp([
      withState('2'),
      withState('3'),
      withState('4'),
      withState('5'),
      asks('a'),
      withState('7'),
      done,
    ])
    const finished = finishRounds(withState('1'), trips)
    const pauses = [50, 100, 200, 250, 250]
    for (const [index, pause] of pauses.entries()) {
      await vi.advanceTimersByTimeAsync(pause - 1)
      expect(legs).toHaveLength(index)
      await vi.advanceTimersByTimeAsync(1)
    }
    expect(legs.slice(0, 5)).toEqual(
      ['1', '2', '3', '4', '5'].map((requestState) => ({ inputResponses: {}, requestState })),
    )
    expect(legs).toHaveLength(6)
    await vi.advanceTimersByTimeAsync(50)
    expect(await finished).toBe(done)
  })

  it('stops waiting when the caller aborts', async () => {
    vi.useFakeTimers()
    const controller = new AbortController()
    const { legs, trips } = setUp([done], { signal: controller.signal })
    const finished = finishRounds(withState('1'), trips)
    const outcome = expect(finished).rejects.toThrow('enough')
    controller.abort(new Error('enough'))
    await outcome
    expect(legs).toEqual([])
    expect(vi.getTimerCount()).toBe(0)
  })

  it('stops waiting for answers when the caller aborts, and aborts the callbacks', async () => {
    const controller = new AbortController()
    let signalOfAnswer: AbortSignal | undefined
    const { trips } = setUp([done], {
      signal: controller.signal,
      answer: (_key, _request, signal) => {
        signalOfAnswer = signal
        return new Promise(() => {})
      },
    })
    const finished = finishRounds(asks('a'), trips)
    await settle()
    controller.abort(new Error('enough'))
    await expect(finished).rejects.toThrow('enough')
    expect(signalOfAnswer?.aborted).toBe(true)
  })

  it('calls no callback when the caller has aborted already', async () => {
    const { trips } = setUp([done], { signal: AbortSignal.abort(new Error('before')) })
    await expect(finishRounds(asks('a'), trips)).rejects.toThrow('before')
    expect(trips.answer).not.toHaveBeenCalled()
  })
})

describe('isInputRequired', () => {
  it('reads the result type only', () => {
    expect(isInputRequired(asks('a'))).toBe(true)
    expect(isInputRequired({ inputRequests: {}, requestState: 'x' })).toBe(false)
    expect(isInputRequired(Object.create({ resultType: 'input_required' }))).toBe(false)
  })
})
