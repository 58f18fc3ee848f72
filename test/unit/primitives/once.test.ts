import { expect, it } from 'vitest'
import { Once } from '../../../src/primitives/once.ts'

it('is new once for each text', () => {
  const once = new Once()
  expect([once.isNew('a'), once.isNew('b'), once.isNew('a')]).toEqual([true, true, false])
})

it('keeps only so many texts, and only the beginning of long ones', () => {
  const once = new Once()
  const long = 'x'.repeat(1_000)
  expect([once.isNew(`${long}a`), once.isNew(`${long}b`)]).toEqual([true, false])
  for (let n = 1; n < 1_000; n += 1) expect(once.isNew(String(n))).toBe(true)
  expect(once.isNew('one more')).toBe(false)
})
