// The server legs once more, through proxies: each scenario has to end as it does without one, with the same checks.
import { startServer } from './fixture.js'
import { REVISIONS, runServerLegs } from './legs.js'

const [LEGACY, MODERN] = REVISIONS

/** Ways through. Proxies stand from the server outward; `server` holds arguments of the server itself, which is asked directly too. */
const WAYS = [
  { name: 'proxy', hops: [[]], isShort: true },
  { name: 'two-proxies', hops: [[], []] },
  { name: 'gateway', hops: [['--gateway']] },
  { name: 'stdio', hops: [['--command']], withoutServer: true },
  { name: 'to-modern', hops: [['--mode', 'modern']], only: LEGACY, isShort: true },
  { name: 'to-legacy', hops: [['--mode', 'legacy']], only: MODERN, server: ['--straight'], isShort: true },
]

/** Scenarios that end otherwise through a way, each with its reason. One that ends as it does directly does not belong here. */
const DIFFERS = [
  {
    way: 'to-legacy',
    scenario: /^tasks-(?:lifecycle|capability-negotiation|wire-fields|mrtr-composition)$/,
    reason:
      'legacy sources do not tell which calls become tasks at once: the task of the proxy begins when a call takes long',
  },
  ...['proxy', 'two-proxies', 'gateway', 'stdio', 'to-legacy'].map((way) => ({
    way,
    scenario: /^tasks-required-task-error$/,
    reason: 'the proxy sees a task of the source through for clients without tasks, in place of refusing their call',
  })),
  {
    way: 'to-modern',
    scenario: /^server-sse-polling$/,
    reason: 'modern sources have no streams that they close and resume',
  },
  {
    way: 'gateway',
    scenario: /^sep-2640-skills-manifest$/,
    reason: 'names of resources get the namespace, and only those of tools and prompts are mapped back here',
  },
  {
    way: 'stdio',
    scenario: /^server-sse-polling$/,
    reason: 'a process at the end of a pipe has no streams that it closes and resumes',
  },
]

/** Scenarios that tools written straight down do not pass, asked directly: the same has to come of them through the way. */
const STRAIGHT_FAILS = {
  'input-required-result-basic-elicitation':
    'it wants a question under a key of its own choice, which only the author of a round chooses',
  'input-required-result-ignore-extra-params':
    'it answers a question before it was asked, and only the author of a round chooses the key of a question',
}

/** Resolves to the legs through all ways, or through the short ones, judged by how they end directly. */
export async function runThrough(expected, direct, { isShort = false, only } = {}) {
  const legs = []
  const excused = new Set()
  for (const way of WAYS) {
    if (only === undefined ? isShort && way.isShort !== true : way.name !== only) continue
    const selection = way.only === undefined ? { all: !isShort } : { revisions: [way.only], all: false }
    const reference = way.server === undefined ? direct : await runStraight(way, expected, selection)
    const onWay = await runServerLegs(expected, {
      start: () => startWay(way),
      prefix: `through-${way.name}-`,
      ...selection,
    })
    for (const excuse of compare(way.name, reference, onWay)) excused.add(excuse)
    if (reference !== direct) legs.push(...reference)
    legs.push(...onWay)
  }
  describeExceptions(excused)
  return legs
}

/** The server with tools that are written straight down, asked directly. */
async function runStraight({ server }, expected, selection) {
  const legs = await runServerLegs(expected, { start: () => startServer(server), prefix: 'straight-', ...selection })
  for (const { outcomes } of legs) {
    for (const outcome of outcomes) {
      const reason = STRAIGHT_FAILS[outcome.scenario]
      if (reason === undefined) continue
      const isGone = outcome.verdict === 'pass'
      outcome.verdict = isGone ? 'fail' : 'waits'
      outcome.problems = [isGone ? `passes, but is listed as one that cannot: ${reason}` : reason]
    }
  }
  return legs
}

async function startWay({ hops, server: args = [], withoutServer }) {
  const closing = []
  let url
  if (withoutServer !== true) {
    const server = await startServer(args)
    closing.unshift(server.close)
    url = server.url
  }
  for (const hop of hops) {
    const proxy = await startServer(url === undefined ? hop : [...hop, url], 'proxy.js')
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

/** What fails directly too is no fault of the way. Returns the exceptions that were needed. */
function compare(way, direct, through) {
  const known = new Map(
    direct.flatMap(({ leg, outcomes }) =>
      outcomes.map((one) => [`${leg.replace('straight-', '')} ${one.scenario}`, one]),
    ),
  )
  const needed = new Set()
  for (const { leg, outcomes } of through) {
    for (const outcome of outcomes) {
      const reference = known.get(`${leg.replace(`through-${way}-`, '')} ${outcome.scenario}`)
      const difference = reference === undefined ? 'was not asked directly' : differenceOf(reference, outcome)
      const excuse = DIFFERS.find((one) => one.way === way && one.scenario.test(outcome.scenario))
      if (excuse !== undefined) needed.add(excuse)
      if (difference === undefined && excuse === undefined) {
        outcome.verdict = reference.verdict
        outcome.problems = reference.problems
      } else if (difference === undefined) {
        outcome.verdict = 'fail'
        outcome.problems = [`ends as it does directly, but is listed as an exception: ${excuse.reason}`]
      } else {
        outcome.verdict = excuse === undefined ? 'fail' : 'waits'
        outcome.problems = excuse === undefined ? [difference, ...outcome.problems] : [excuse.reason]
      }
    }
  }
  return needed
}

/** In what a scenario ends otherwise, as a sentence: by its verdict, the number of its checks, or what came of one. */
function differenceOf(direct, through) {
  const reached =
    STRAIGHT_FAILS[through.scenario] !== undefined && through.verdict === 'fail' ? 'waits' : through.verdict
  if (direct.verdict !== reached) return `ends with ${reached}, directly with ${direct.verdict}`
  const [ours, theirs] = [through.checks ?? [], direct.checks ?? []]
  if (ours.length !== theirs.length) return `made ${ours.length} checks, directly ${theirs.length}`
  const left = theirs.map(checkText)
  for (const check of ours.map(checkText)) {
    const index = left.indexOf(check)
    if (index === -1) return `the check ${check} is not one of those directly: ${left.join(', ')}`
    left.splice(index, 1)
  }
  return undefined
}

function checkText({ id, status }) {
  return `${id} (${status})`
}

function describeExceptions(excused) {
  console.log('\nScenarios that end otherwise through a way:')
  for (const { way, scenario, reason } of excused) console.log(`  ${way}: ${scenario.source}: ${reason}`)
  if (excused.size === 0) console.log('  none')
}
