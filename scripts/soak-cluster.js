// npm run soak:cluster [rounds]: sessions, streams and tasks on Redis, Postgres, NATS and SQLite while processes and the engine are killed and stopped; each round has
// another seed, which a failure names. CHAOS_SEED begins with that one.
import { describeParts, run } from './lib/run.js'

const rounds = Number(process.argv[2] ?? 60)
const first = Number(process.env.CHAOS_SEED ?? Date.now() % 1_000_000)
const ROUND_MS = 60_000

for (let round = 0; round < rounds; round += 1) {
  const seed = String(first + round)
  run(`round ${round + 1} of ${rounds}, CHAOS_SEED=${seed}`, 'vitest', ['run', 'test/chaos/chaos.test.ts'], {
    env: { ...process.env, FULL_TESTS: '1', CHAOS_MS: String(ROUND_MS), CHAOS_SEED: seed },
  })
}
console.log(describeParts())
