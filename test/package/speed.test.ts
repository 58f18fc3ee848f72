// The core paths, measured as the published table is: the CPU time of a process, × that of the least that the same work can cost,
// both of this run. The bounds are three times the figures of that table, so that a busy machine changes nothing and a path that got
// several times as long fails. Each may be measured a second time.
import { afterAll, describe, expect, it } from 'vitest'
import type { Spread } from '../../bench/public/figures.ts'
import { compareHttp } from '../../bench/public/http.ts'
import { paceOf } from '../../bench/public/pace.ts'
import { compareFresh, compareWorkers } from '../../bench/public/processes.ts'
import { publishedRatio } from '../../bench/public/published.ts'
import { compareQuestions, QUESTIONS } from '../../bench/public/questions.ts'

const ROUNDS = 5
const MARGIN = 3

const warm = paceOf(true, { rounds: ROUNDS, runs: 2_000, warmUp: 30_000 }, ROUNDS)

/** By the title of its row in the published table, where the last contender is ours. */
const PATHS: readonly [title: string, measure: () => Promise<Spread[]>][] = [
  [
    'in process: the first 1,000 calls, zod input and output',
    () => compareFresh('calls', ['floor', 'mcpwire'], { ...warm, runs: 1_000 }),
  ],
  ['in process: calls when warm, modern', () => compareWorkers('calls', ['floor', 'mcpwire'], warm)],
  ['in process: calls when warm, legacy', () => compareWorkers('calls', ['floor, legacy', 'mcpwire, legacy'], warm)],
  [
    'HTTP by fetch: toFetch() over @hono/node-server, beside a handler by hand there',
    () =>
      compareHttp('fetch', ['floor', 'mcpwire'], paceOf(true, { rounds: ROUNDS, runs: 800, warmUp: 4_000 }, ROUNDS), {
        atOnce: 16,
      }),
  ],
  ['questions: one in a call, modern beside legacy', () => compareQuestions(paceOf(true, QUESTIONS, ROUNDS))],
  [
    'growth: an update that nobody watches, many subscriptions (9,000; 1,000 in a quick run) beside 10',
    () => compareWorkers('updates', ['10 subscriptions', '1,000 subscriptions'], warm),
  ],
]

const table: string[] = []
afterAll(() => console.log(`Core paths, CPU time × the floor of this run:\n${table.join('\n')}`))

describe('core paths cost at most three times what is published', () => {
  it.each(PATHS)('%s', async (title, measure) => {
    const published = publishedRatio(title)
    // What costs less than the floor may cost as much.
    const bound = Math.max(published, 1) * MARGIN
    let ratio = Number.POSITIVE_INFINITY
    for (let tries = 0; tries < 2 && ratio > bound; tries++) {
      const ours = (await measure()).at(-1)
      ratio = ours?.ratio ?? Number.NaN
      const spread = `${ours?.low.toFixed(2)}–${ours?.high.toFixed(2)}`
      table.push(`  ${title}: ${ratio.toFixed(2)} (${spread}; published ${published}, at most ${bound.toFixed(1)})`)
    }
    expect(ratio).toBeLessThanOrEqual(bound)
  })
})
