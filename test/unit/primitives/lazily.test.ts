import { expect, it, vi } from 'vitest'
import { lazily } from '../../../src/primitives/lazily.ts'

it('makes nothing before it is asked for', () => {
  const make = vi.fn(() => new Map())
  lazily(make)
  expect(make).not.toHaveBeenCalled()
})

it('makes one value, and gives the same at every call', () => {
  const make = vi.fn(() => new Map())
  const table = lazily(make)
  expect(table()).toBe(table())
  expect(make).toHaveBeenCalledTimes(1)
})

it('tries again after a failure', () => {
  const make = vi
    .fn(() => new Map())
    .mockImplementationOnce(() => {
      throw new Error('not yet')
    })
  const table = lazily(make)
  expect(table).toThrow('not yet')
  expect(table()).toBe(table())
})
