// The core paths, measured as the published table is: the CPU time of a process, × that of the least that the same work can cost,
// both of this run. The bounds are three times the published figures, so that a busy machine changes nothing and a path that got
// several times as long fails. Each may be measured a second time.
import { afterAll, describe, expect, it } from 'vitest'
import type { Spread } from '../../bench/public/figures.ts'
import { compareHttp } from '../../bench/public/http.ts'
import { compareWorkers } from '../../bench/public/processes.ts'
import { compareQuestions } from '../../bench/public/questions.ts'

const ROUNDS = 5
const MARGIN = 3

const warm = { rounds: ROUNDS, runs: 1_000, warmUp: 4_000 }

/** With the figure that is published for it; one below 1 counts as 1. */
const PATHS: readonly [name: string, published: number, measure: () => Promise<Spread[]>][] = [
  [
    'the first 1,000 calls in process',
    4.2,
    () => compareWorkers('calls', ['floor', 'mcpwire'], { rounds: ROUNDS, runs: 1_000 }),
  ],
  ['a call in process, modern', 1, () => compareWorkers('calls', ['floor', 'mcpwire'], warm)],
  ['a call in process, legacy', 1.7, () => compareWorkers('calls', ['floor, legacy', 'mcpwire, legacy'], warm)],
  [
    'a call of toFetch() over @hono/node-server',
    1.5,
    () => compareHttp('fetch', ['floor', 'mcpwire'], { rounds: ROUNDS, requests: 400, warmUp: 1_500, atOnce: 16 }),
  ],
  ['a question, modern beside legacy', 2.3, () => compareQuestions(ROUNDS)],
  [
    'an update that nobody watches, 1,000 subscriptions beside 10',
    1,
    () => compareWorkers('updates', ['10 subscriptions', '1,000 subscriptions'], warm),
  ],
]

const table: string[] = []
afterAll(() => console.log(`Core paths, CPU time × the floor of this run:\n${table.join('\n')}`))

describe('core paths cost at most three times what is published', () => {
  it.each(PATHS)('%s', async (name, published, measure) => {
    const bound = published * MARGIN
    let ratio = Number.POSITIVE_INFINITY
    for (let tries = 0; tries < 2 && ratio > bound; tries++) {
      const figures = await measure()
      ratio = figures.at(-1)?.ratio ?? Number.NaN
      const spread = `${figures.at(-1)?.low.toFixed(2)}–${figures.at(-1)?.high.toFixed(2)}`
      table.push(
        `  ${name.padEnd(62)} ${ratio.toFixed(2)} (${spread}; published ${published}, at most ${bound.toFixed(1)})`,
      )
    }
    expect(ratio).toBeLessThanOrEqual(bound)
  })
})
