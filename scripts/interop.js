// npm run interop [--write] [name …]: every client of the matrix against every server, over every transport and era that both have; with
// names, the pairs that have one of these peers. What is not here is installed into a folder that git ignores, or said to lack.
import { readFileSync, writeFileSync } from 'node:fs'
import { listCells, listPeerCells } from '../interop/matrix.js'
import { prepareCell } from '../interop/peers.js'
import { runCell } from '../interop/run-cell.js'
import { describeResults, hasFailed } from '../interop/table.js'
import { ensureInstalled } from './lib/install.js'
import { root, run } from './lib/run.js'

ensureInstalled()
run('build', 'scripts/build.js', [], { stdio: ['ignore', 'ignore', 'inherit'] })

const names = process.argv.slice(2).filter((word) => word !== '--write')
const isWanted = ({ client, server }) => names.length === 0 || names.includes(client) || names.includes(server)

const results = []
for (const cell of [...listCells(), ...listPeerCells()].filter(isWanted)) {
  const reason = prepareCell(cell)
  results.push(reason === undefined ? { cell, outcomes: await runCell(cell) } : { cell, reason })
  process.stdout.write(hasFailed(results.at(-1)) ? 'F' : '.')
}
const table = describeResults(results)
console.log(`\n\n${table}`)
if (process.argv.includes('--write')) writeResults(table)
const failures = results.filter(hasFailed).length
console.log(
  failures === 0 ? '\nAll of them understand each other.' : `\n${failures} pairs do not understand each other.`,
)
process.exit(failures === 0 ? 0 : 1)

function writeResults(text) {
  const page = new URL('docs/project/interop.md', root)
  const [before] = readFileSync(page, 'utf8').split('<!-- results -->')
  writeFileSync(page, `${before}<!-- results -->\n\n\`\`\`text\n${text}\n\`\`\`\n`)
}
