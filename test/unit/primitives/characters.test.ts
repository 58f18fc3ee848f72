// The ranges are what Unicode says of these kinds of characters, for every code point there is.
import { expect, it } from 'vitest'
import { CONTROL_CHARACTER, LONE_SURROGATE, NOT_ASCII } from '../../../src/primitives/characters.ts'

it.each([
  ['a control character', CONTROL_CHARACTER, /\p{Cc}/u],
  ['a lone surrogate', LONE_SURROGATE, /\p{Cs}/u],
  ['what is not ASCII', new RegExp(NOT_ASCII, 'u'), /\P{ASCII}/u],
])('knows %s', (_kind, ours, published) => {
  const differing: number[] = []
  for (let code = 0; code <= 0x10ffff; code++) {
    const character = String.fromCodePoint(code)
    if (ours.test(character) !== published.test(character)) differing.push(code)
  }
  expect(differing).toEqual([])
})
