// V5: how long it takes from a save to an answer of the new code, for a server with zod and a client that is connected.
// The times count on a machine that has nothing else to do: they are asserted with BUDGETS=1 and printed otherwise.
import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { isFull } from '../../../test/engines/full.ts'
import { COMBINATIONS, StartedDev, serverText } from './started-dev.ts'

const SAVES = 40
const [MAX_MEDIAN_MS, MAX_P95_MS] = [250, 500]
/** A developer looks at the result before the next save. */
const PAUSE_MS = 300

const isAsserted = process.env['BUDGETS'] === '1'

describe.runIf(isFull || isAsserted)('V5 from a save to the new code', () => {
  it.each(COMBINATIONS)('over %s with a %s client', async (transport, mode) => {
    await using dev = await StartedDev.start({ transport, mode })
    const times: number[] = []
    for (let version = 2; version < SAVES + 2; version += 1) {
      await wait(PAUSE_MS)
      const saved = performance.now()
      await dev.write(serverText(version))
      while ((await dev.call('version')) !== version) await wait(5)
      times.push(performance.now() - saved)
    }
    times.sort((a, b) => a - b)
    const [median = 0, p95 = 0] = [times[SAVES / 2], times[Math.ceil(SAVES * 0.95) - 1]].map((ms) =>
      Math.round(ms ?? 0),
    )
    console.log(`${transport} ${mode}: median ${median} ms, p95 ${p95} ms, longest ${Math.round(times.at(-1) ?? 0)} ms`)
    if (!isAsserted) return
    expect(median).toBeLessThanOrEqual(MAX_MEDIAN_MS)
    expect(p95).toBeLessThanOrEqual(MAX_P95_MS)
  })
})
