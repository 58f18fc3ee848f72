import { expect, it } from 'vitest'
import { Rounds } from '../../../../src/server/middleware/counted-requests.ts'

const round = (resumedFrom?: string) => ({ resumedFrom })

it('takes a request for a further round when its state comes for the first time', () => {
  const rounds = new Rounds(10)
  expect(rounds.isFurther(round())).toBe(false)
  expect(rounds.isFurther(round('a'))).toBe(true)
  expect(rounds.isFurther(round('a'))).toBe(false)
  expect(rounds.isFurther(round('b'))).toBe(true)
})

it('tells long states apart by either end', () => {
  const rounds = new Rounds(10)
  const middle = 'x'.repeat(10_000)
  for (const state of [`a${middle}a`, `a${middle}b`, `b${middle}a`]) {
    expect(rounds.isFurther(round(state))).toBe(true)
    expect(rounds.isFurther(round(state))).toBe(false)
  }
})

it('remembers the latest, as many as it may', () => {
  const rounds = new Rounds(2)
  for (const state of ['a', 'b', 'c']) rounds.isFurther(round(state))
  expect(rounds.isFurther(round('c'))).toBe(false)
  expect(rounds.isFurther(round('b'))).toBe(false)
  expect(rounds.isFurther(round('a'))).toBe(true)
})
