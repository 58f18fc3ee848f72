import { expect, it } from 'vitest'
import { Rounds } from '../../../../src/server/middleware/counted-requests.ts'

it('takes a request for a further round when its state comes for the first time', () => {
  const rounds = new Rounds(10)
  expect(rounds.isFurther(undefined)).toBe(false)
  expect(rounds.isFurther('a')).toBe(true)
  expect(rounds.isFurther('a')).toBe(false)
  expect(rounds.isFurther('b')).toBe(true)
})

it('tells long states apart by either end', () => {
  const rounds = new Rounds(10)
  const middle = 'x'.repeat(10_000)
  for (const state of [`a${middle}a`, `a${middle}b`, `b${middle}a`]) {
    expect(rounds.isFurther(state)).toBe(true)
    expect(rounds.isFurther(state)).toBe(false)
  }
})

it('remembers the latest, as many as it may', () => {
  const rounds = new Rounds(2)
  for (const state of ['a', 'b', 'c']) rounds.isFurther(state)
  expect(rounds.isFurther('c')).toBe(false)
  expect(rounds.isFurther('b')).toBe(false)
  expect(rounds.isFurther('a')).toBe(true)
})
