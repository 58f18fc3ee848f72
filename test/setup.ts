// Invariant I1: no fault may reach the process. Vitest fails on unhandled rejections and exceptions by
// itself; process warnings (listener leaks, overflowing timers) are turned into failures here.
import { afterEach, expect, vi } from 'vitest'

const warnings: Error[] = []
process.on('warning', (warning) => warnings.push(warning))

afterEach(() => {
  expect(warnings.splice(0), 'process warnings raised during the test').toEqual([])
})

// `vi.waitFor` gives up after a second unless told otherwise, which is an assertion about the machine's speed.
const { waitFor } = vi
vi.waitFor = (callback, options) =>
  waitFor(callback, typeof options === 'number' ? options : { timeout: 60_000, interval: 20, ...options })
