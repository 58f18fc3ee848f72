// `npm test` prints the minutes of each part at its end.
import { describe, expect, it } from 'vitest'

interface RunScript {
  parts: { title: string; seconds: number }[]
  describeParts(): string
}

describe('the parts of a script', () => {
  it('are listed with their minutes, and with those of all of them', async () => {
    const path = '../../../scripts/lib/run.js'
    const { parts, describeParts } = (await import(path)) as RunScript
    parts.push({ title: 'build', seconds: 30 }, { title: 'conformance', seconds: 90 })
    expect(describeParts()).toBe('  build          0.5 min\n  conformance    1.5 min\n  in all         2.0 min')
  })
})
