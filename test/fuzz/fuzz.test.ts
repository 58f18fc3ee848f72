// Each target of `npm run fuzz`, a fixed number of times with a fixed seed: the same inputs at any load.
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { FUZZ_TARGETS } from '../../fuzz/targets.ts'

describe('npm run fuzz', () => {
  afterAll(async () => {
    for (const target of FUZZ_TARGETS) await target.close?.()
  })

  it.each(FUZZ_TARGETS)('$name: $about', async ({ property, runs }) => {
    await fc.assert(property, { seed: 20_260_728, numRuns: runs, endOnFailure: false })
  })

  it('has eight targets, each with a name of its own', () => {
    expect(FUZZ_TARGETS.map(({ name }) => name)).toEqual([
      ...new Set(['json', 'lines', 'events', 'http', 'messages', 'templates', 'schema', 'oauth']),
    ])
  })
})
