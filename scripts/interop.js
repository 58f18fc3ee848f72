// npm run interop [--write] [--through] [name …]: every client of the matrix against every server, over every transport and era that both
// have; with names, the pairs that have one of these peers. `--through` runs the pairs with a proxy in the middle instead. What is not
// here is installed into a folder that git ignores, or said to lack.
import { readFileSync, writeFileSync } from 'node:fs'
import { listCells, listPeerCells } from '../interop/matrix.js'
import { prepareCell } from '../interop/peers.js'
import { runCell } from '../interop/run-cell.js'
import { describeResults, hasFailed } from '../interop/table.js'
import { listThroughCells } from '../interop/through.js'
import { ensureInstalled } from './lib/install.js'
import { root, run } from './lib/run.js'

ensureInstalled()
run('build', 'scripts/build.js', [], { stdio: ['ignore', 'ignore', 'inherit'] })

const isThrough = process.argv.includes('--through')
const names = process.argv.slice(2).filter((word) => !word.startsWith('--'))
const isWanted = ({ client, server }) => names.length === 0 || names.includes(client) || names.includes(server)

const results = []
const cells = isThrough ? listThroughCells() : [...listCells(), ...listPeerCells()]
for (const cell of cells.filter(isWanted)) {
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

/** Each matrix has its own part of the page. */
function writeResults(text) {
  const page = new URL('docs/project/interop.md', root)
  const mark = isThrough ? '<!-- results through a proxy -->' : '<!-- results -->'
  const [before, rest = ''] = readFileSync(page, 'utf8').split(mark)
  const end = '\n```\n'
  const after = rest.slice(rest.indexOf(end) + end.length)
  writeFileSync(page, `${before}${mark}\n\n\`\`\`text\n${text}${end}${after}`)
}
