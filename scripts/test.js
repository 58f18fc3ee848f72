// npm test [file …]: build, checks, tests, conformance, package checks; with arguments, those tests alone.
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { ensureInstalled } from './lib/install.js'
import { root, run } from './lib/run.js'

ensureInstalled()
const wanted = process.argv.slice(2)
const report = new URL('build/test-report.json', root)
mkdirSync(new URL('build', root), { recursive: true })

if (!process.env.MCP_SCHEMA_DIR) {
  console.log('MCP_SCHEMA_DIR is not set: the tests against the published schemas are skipped.')
}
run('build', 'scripts/build.js')
run('other runtimes', 'scripts/install-runtimes.js')
if (wanted.length === 0) run('check', 'scripts/check.js')
run('tests', 'vitest', [
  'run',
  '--reporter=dot',
  '--reporter=json',
  '--outputFile.json=build/test-report.json',
  ...wanted,
])
if (wanted.length === 0) {
  run('conformance', 'scripts/conformance.js', ['--short'])
  run('package', 'scripts/check-package.js')
}

if (existsSync(report)) {
  const { numPassedTests, numFailedTests, numPendingTests } = JSON.parse(readFileSync(report, 'utf8'))
  console.log(`\n${numPassedTests} passed, ${numFailedTests} failed, ${numPendingTests} skipped`)
}
