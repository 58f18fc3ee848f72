// The server legs once more, through proxies: each scenario has to end as it does without one, with as many checks.
import { startServer } from './fixture.js'
import { runServerLegs } from './legs.js'

/** Ways through, each with the legs that it is for. Proxies stand from the server outward. */
const WAYS = [
  { name: 'proxy', hops: [[]] },
  { name: 'two-proxies', hops: [[], []] },
  { name: 'gateway', hops: [['--gateway']] },
  { name: 'to-modern', hops: [['--mode', 'modern']], only: '2025-11-25' },
  { name: 'to-legacy', hops: [['--mode', 'legacy']], only: '2026-07-28' },
]

/** Scenarios that end otherwise through a way, by name, each with its reason. */
const DIFFERS = [
  {
    way: /^to-legacy$/,
    scenario: /^input-required-/,
    reason: 'the tools of the fixture return rounds of the modern era as they are, which a legacy server cannot',
  },
  { way: /^to-/, scenario: /^tasks-/, reason: 'tasks do not cross the eras yet' },
  {
    way: /^to-modern$/,
    scenario: /^server-sse-polling$/,
    reason: 'modern sources have no streams that they close and resume',
  },
]

export async function runThrough(expected, direct) {
  const legs = []
  for (const way of WAYS) {
    const onWay = await runServerLegs(expected, {
      start: () => startWay(way.hops),
      prefix: `through-${way.name}-`,
      ...(way.only !== undefined && { revisions: [way.only], all: false }),
    })
    compare(way.name, direct, onWay)
    legs.push(...onWay)
  }
  return legs
}

async function startWay(hops) {
  const server = await startServer()
  const closing = [server.close]
  let { url } = server
  for (const args of hops) {
    const proxy = await startServer([...args, url], 'proxy.js')
    closing.unshift(proxy.close)
    url = proxy.url
  }
  return {
    url,
    close: async () => {
      for (const close of closing) await close()
    },
  }
}

/** What fails directly too is no fault of the way. */
function compare(way, direct, through) {
  const known = new Map(direct.flatMap(({ leg, outcomes }) => outcomes.map((one) => [`${leg} ${one.scenario}`, one])))
  for (const { leg, outcomes } of through) {
    for (const outcome of outcomes) {
      const reference = known.get(`${leg.replace(`through-${way}-`, '')} ${outcome.scenario}`)
      if (reference === undefined) continue
      const difference = differenceOf(reference, outcome)
      const excuse = DIFFERS.find((one) => one.way.test(way) && one.scenario.test(outcome.scenario))
      if (difference === undefined) {
        outcome.verdict = reference.verdict
        outcome.problems = reference.problems
      } else if (excuse !== undefined) {
        outcome.verdict = 'waits'
        outcome.problems = [excuse.reason]
      } else {
        outcome.verdict = 'fail'
        outcome.problems = [difference, ...outcome.problems]
      }
    }
  }
}

function differenceOf(one, other) {
  if (one.verdict !== other.verdict) return `ends with ${other.verdict}, directly with ${one.verdict}`
  const [checks, reference] = [other.checks?.length ?? 0, one.checks?.length ?? 0]
  return checks === reference ? undefined : `made ${checks} checks, directly ${reference}`
}
