// npm run interop: every client of the matrix against every server, over every transport and era that both have.
import { listCells } from '../interop/matrix.js'
import { listPythonCells, runPythonCell } from '../interop/python.js'
import { runCell } from '../interop/run-cell.js'
import { describeResults, hasFailed } from '../interop/table.js'
import { ensureInstalled } from './lib/install.js'
import { run } from './lib/run.js'

ensureInstalled()
run('build', 'scripts/build.js', [], { stdio: ['ignore', 'ignore', 'inherit'] })

const results = []
for (const cell of listCells()) {
  results.push({ cell, outcomes: await runCell(cell) })
  process.stdout.write('.')
}
for (const cell of listPythonCells()) {
  results.push({ cell, ...(await runPythonCell(cell)) })
  process.stdout.write('.')
}
console.log(`\n\n${describeResults(results)}`)
const failures = results.filter(hasFailed).length
console.log(
  failures === 0 ? '\nAll of them understand each other.' : `\n${failures} pairs do not understand each other.`,
)
process.exit(failures === 0 ? 0 : 1)
