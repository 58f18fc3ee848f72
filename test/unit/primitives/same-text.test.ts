import { expect, it } from 'vitest'
import { isSameText } from '../../../src/primitives/same-text.ts'

it.each([
  ['abc', 'abc', true],
  ['abc', 'abd', false],
  ['abc', 'ab', false],
  ['ab', 'abc', false],
  ['', 'a', false],
  ['', '', true],
])('%j and %j: %s', (one, other, isSame) => {
  expect(isSameText(one, other)).toBe(isSame)
})
