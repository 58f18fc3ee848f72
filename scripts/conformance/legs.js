// The runs of the suite: which scenarios, at which revision, and what came of each.
import { startServer } from './fixture.js'
import { clientMayFail, judge } from './gate.js'
import { listScenarios, makeResultFolder, readChecks, runSuite } from './suite.js'

export const REVISIONS = ['2025-11-25', '2026-07-28']
const CLIENT = 'node build/conformance/client.js'
const CLIENT_LIMIT_MS = '120000'

/** All server legs, one after the other against one server: two at once would hear each other's notifications. */
export async function runServerLegs(
  expected,
  { start = () => startServer(), prefix = '', revisions = REVISIONS, all = true } = {},
) {
  const server = await start()
  const legs = []
  const runOne = async (leg, wanted, args) => {
    const where = { leg, prefix, side: 'server' }
    legs.push(await runLeg(where, wanted, ['--url', server.url, ...args], expected))
  }
  try {
    for (const revision of revisions) {
      await runOne(`server-${revision}`, await listScenarios('server', revision), ['--requirements', revision])
    }
    if (all) await runOne('server-all', await listScenarios('server'), ['--suite', 'all'])
  } finally {
    await server.close()
  }
  return legs
}

/** The client legs as the suite runs them: everything at once. */
export async function runClientLegs(expected) {
  const legs = []
  for (const revision of REVISIONS) {
    const wanted = await listScenarios('client', revision)
    const where = { leg: `client-${revision}`, side: 'client' }
    legs.push(await runLeg(where, wanted, clientArgs('--requirements', revision), expected))
  }
  const all = await listScenarios('client')
  legs.push(await runLeg({ leg: 'client-all', side: 'client' }, all, clientArgs('--suite', 'all'), expected))
  return legs
}

/** Each client scenario by itself at each revision, so that the client's own exit code counts. */
export async function runClientsSingly(expected, concurrency = 2) {
  const runs = await listSingleRuns()
  const folder = makeResultFolder('client-singly')
  const outcomes = new Array(runs.length)
  let next = 0
  const work = async () => {
    while (next < runs.length) {
      const index = next++
      outcomes[index] = await runSingly(runs[index], folder, expected)
    }
  }
  await Promise.all(Array.from({ length: concurrency }, work))
  return { leg: 'client-singly', outcomes }
}

async function listSingleRuns() {
  const runs = []
  for (const { scenario, versions } of await listScenarios('client')) {
    const isExtension = versions[0] === 'extension'
    const wanted = isExtension ? [undefined] : versions.filter((version) => REVISIONS.includes(version))
    for (const version of wanted.length > 0 ? wanted : [versions.at(-1)]) runs.push({ scenario, version })
  }
  return runs
}

async function runSingly({ scenario, version }, parent, expected) {
  const folder = `${parent}/${version ?? 'extension'}`
  const wire = version === undefined ? [] : ['--spec-version', version]
  const { exitCode } = await runSuite(['client', ...clientArgs('--scenario', scenario), ...wire, '-o', folder])
  const key = `client-singly ${version ?? 'extension'} ${scenario}`
  const checks = readChecks(folder, 'client', scenario)
  return judge({
    scenario,
    version,
    key,
    checks,
    exitCode: clientMayFail(scenario) ? undefined : exitCode,
    expectedIds: expected[key],
  })
}

async function runLeg({ leg, prefix = '', side }, wanted, args, expected) {
  const folder = makeResultFolder(prefix + leg)
  await runSuite([side, ...args, '-o', folder])
  const outcomes = wanted.map(({ scenario, isScored }) => {
    const key = `${leg} ${scenario}`
    return judge({ scenario, isScored, key, checks: readChecks(folder, side, scenario), expectedIds: expected[key] })
  })
  return { leg: prefix + leg, outcomes }
}

function clientArgs(...selection) {
  return ['--command', CLIENT, '--timeout', CLIENT_LIMIT_MS, ...selection]
}
