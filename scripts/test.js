// npm test [file …]: build, checks, tests, conformance, package checks; with arguments, those tests alone. `--full` (npm run
// test:full): these, and whatever takes longer and must pass as well. At its end each part has its minutes.
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { ensureInstalled } from './lib/install.js'
import { describeParts, root, run } from './lib/run.js'

ensureInstalled()
const isFull = process.argv.includes('--full')
const wanted = process.argv.slice(2).filter((argument) => argument !== '--full')
const report = new URL('build/test-report.json', root)
mkdirSync(new URL('build', root), { recursive: true })
// That of an earlier run would be taken for this one's.
rmSync(report, { force: true })
/** Engines that this machine does not have: the tests write it. */
const notTested = new URL('build/not-tested.txt', root)
rmSync(notTested, { force: true })

// Also where a part fails, which ends the process.
process.on('exit', () => {
  if (existsSync(report)) {
    const { numPassedTests, numFailedTests, numPendingTests } = JSON.parse(readFileSync(report, 'utf8'))
    console.log(`\n${numPassedTests} passed, ${numFailedTests} failed, ${numPendingTests} skipped`)
  }
  if (existsSync(notTested)) {
    console.log(`not tested here: ${[...new Set(readFileSync(notTested, 'utf8').trim().split('\n'))].join(', ')}`)
  }
  console.log(`\n${describeParts()}`)
})

if (!process.env.MCP_SCHEMA_DIR) {
  console.log('MCP_SCHEMA_DIR is not set: the tests against the published schemas are skipped.')
}
run('build', 'scripts/build.js')
run('other runtimes', 'scripts/install-runtimes.js', isFull ? ['--full'] : [])
if (wanted.length === 0) run('check', 'scripts/check.js')
run(
  'tests',
  'vitest',
  ['run', '--reporter=dot', '--reporter=json', '--outputFile.json=build/test-report.json', ...wanted],
  { env: { ...process.env, ...(isFull && { FULL_TESTS: '1' }) } },
)
if (wanted.length === 0) {
  run('conformance', 'scripts/conformance.js', isFull ? [] : ['--short'])
  run('package', 'scripts/check-package.js')
}
if (isFull) {
  run('conformance on three nodes', 'scripts/conformance.js', ['--short', '--cluster'])
  run('conformance through proxies', 'scripts/conformance.js', ['--short', '--through'])
  run('start', 'scripts/start.js')
  run('start with a login', 'scripts/start.js', ['--auth'])
  run('interop', 'scripts/interop.js')
  run('inspector', 'scripts/inspector.js')
  run('soak over stdio', 'scripts/soak-stdio.js', ['100'])
  run('soak over HTTP', 'scripts/soak-http.js', ['500', '--without-long-tests'])
}
