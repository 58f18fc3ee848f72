// Invariant I1: no fault may reach the process. Vitest fails on unhandled rejections and exceptions by
// itself; process warnings (listener leaks, overflowing timers) are turned into failures here.
import { afterEach, expect } from 'vitest'

const warnings: Error[] = []
process.on('warning', (warning) => warnings.push(warning))

afterEach(() => {
  expect(warnings.splice(0), 'process warnings raised during the test').toEqual([])
})
