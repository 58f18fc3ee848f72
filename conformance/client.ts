// The client for the official conformance suite: one scenario per run.
import { authScenarios } from './client/auth.ts'
import { scenario } from './client/environment.ts'
import { protocolScenarios } from './client/protocol.ts'
import { skillScenarios } from './client/skills.ts'

const scenarios = new Map(Object.entries({ ...protocolScenarios, ...authScenarios, ...skillScenarios }))

const run = scenarios.get(scenario)
if (run === undefined) {
  console.error(`There is no scenario '${scenario}'`)
  process.exit(2)
}
try {
  await run()
  console.log(`${scenario}: done`)
  process.exit(0)
} catch (error) {
  console.error(error)
  process.exit(1)
}
