// npm run soak:cluster [rounds]: sessions, streams and tasks on Redis, Postgres, NATS and SQLite while processes and the engine are killed and stopped; each round has
// another seed, which a failure names. CHAOS_SEED begins with that one. Each round also restarts all nodes under load, from an older
// release to this one and back: OLDER_RELEASE is its tree (default: the one that stored the last snapshot, where git has it).
import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describeParts, root, run } from './lib/run.js'

const rounds = Number(process.argv[2] ?? 60)
const first = Number(process.env.CHAOS_SEED ?? Date.now() % 1_000_000)
const ROUND_MS = 60_000
const older = process.env.OLDER_RELEASE ?? olderTree()
console.log(
  older === undefined ? 'The older release is this tree: git does not have another.' : `older release: ${older}`,
)

for (let round = 0; round < rounds; round += 1) {
  const seed = String(first + round)
  const env = { ...process.env, FULL_TESTS: '1' }
  run(`round ${round + 1} of ${rounds}, CHAOS_SEED=${seed}`, 'vitest', ['run', 'test/chaos/chaos.test.ts'], {
    env: { ...env, CHAOS_MS: String(ROUND_MS), CHAOS_SEED: seed },
  })
  run(`round ${round + 1} of ${rounds}, two releases`, 'vitest', ['run', 'test/cluster/rolling-restart.test.ts'], {
    env: older === undefined ? env : { ...env, OLDER_RELEASE: older },
  })
}
console.log(describeParts())

/** The tree of the commit that stored the last snapshot, in a folder of its own; `undefined` without git or its history. */
function olderTree() {
  const releases = readdirSync(new URL('test/snapshots/data', root)).sort((one, other) =>
    one.localeCompare(other, 'en', { numeric: true }),
  )
  const snapshot = `test/snapshots/data/${releases.at(-1)}/redis.json`
  const options = { cwd: root, encoding: 'utf8', maxBuffer: 1024 ** 3, stdio: ['pipe', 'pipe', 'ignore'] }
  try {
    const commit = execFileSync('git', ['log', '-1', '--format=%H', '--', snapshot], options).trim()
    if (commit === '') return undefined
    const folder = fileURLToPath(new URL('build/older-release', root))
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder, { recursive: true })
    const archive = execFileSync('git', ['archive', commit], { ...options, encoding: 'buffer' })
    execFileSync('tar', ['-x', '-C', folder], { ...options, input: archive })
    return folder
  } catch {
    return undefined
  }
}
