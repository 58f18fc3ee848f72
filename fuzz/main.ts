// npm run fuzz -- [--minutes 1] [--target lines] [--seed 1]: runs every target, or one, with new random inputs.
import { parseArgs } from 'node:util'
import fc from 'fast-check'
import type { FuzzTarget } from './target.ts'
import { FUZZ_TARGETS } from './targets.ts'

const RUNS_PER_ROUND = 500

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '1' },
    target: { type: 'string' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
})
const minutes = Number(values.minutes)
const seed = Number(values.seed)
const targets = FUZZ_TARGETS.filter(({ name }) => values.target === undefined || name === values.target)
const names = FUZZ_TARGETS.map(({ name }) => name).join(', ')
if (targets.length === 0) fail(`There is no target ${JSON.stringify(values.target)}; there are: ${names}`)
if (!(minutes > 0) || !Number.isSafeInteger(seed)) fail('--minutes is a positive number, and --seed a whole one')

console.log(`Seed ${seed}, ${minutes} min for each target`)
let failures = 0
for (const target of targets) {
  const isSound = await fuzz(target)
  if (!isSound) failures += 1
  await target.close?.()
}
process.exit(failures === 0 ? 0 : 1)

/** Runs until the time is over, or a failure is found. */
async function fuzz({ name, about, property }: FuzzTarget): Promise<boolean> {
  console.log(`\n${name}: ${about}`)
  const end = performance.now() + minutes * 60_000
  let runs = 0
  for (let round = seed; performance.now() < end; round += 1) {
    const details = await fc.check(property, {
      seed: round,
      numRuns: RUNS_PER_ROUND,
      interruptAfterTimeLimit: Math.max(1, end - performance.now()),
    })
    runs += details.numRuns
    if (details.failed && details.counterexample !== null) {
      console.error(fc.defaultReportMessage(details))
      console.error(`Try it again with: npm run fuzz -- --target ${name} --seed ${round}`)
      return false
    }
  }
  console.log(`  held ${runs} times`)
  return true
}

function fail(message: string): never {
  console.error(message)
  process.exit(2)
}
