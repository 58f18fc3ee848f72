// The figures that are published: what people meet first, beside peers from npm and beside the least that the same work can cost.
// `npm run bench -- public [--quick] [--write] [row …]`: rows by a part of their title. Measures the built package; `--write` writes
// docs/concepts/performance.md and its chart. With another Node than the oldest, as in
// `npx -y -p node@26 node scripts/bench.js public --write`, it writes the table of the newest.
import { createRequire } from 'node:module'
import { printRow, type Row } from './public/figures.ts'
import { PEER_VERSIONS } from './public/install-peers.ts'
import { ROWS } from './public/rows.ts'
import { writePage } from './public/write-page.ts'

const words = process.argv.slice(2)
const isQuick = words.includes('--quick')
const isWritten = words.includes('--write')
const wanted = words.filter((word) => !word.startsWith('--'))
const { version, devDependencies } = createRequire(import.meta.url)('mcpwire/package.json') as {
  version: string
  devDependencies: Record<string, string>
}
const planned = ROWS.filter(({ title }) => wanted.length === 0 || wanted.some((part) => title.includes(part)))
if (planned.length === 0) {
  console.error(
    `No row has ${wanted.join(' or ')} in its title. The titles are:\n${ROWS.map(({ title }) => `  ${title}`).join('\n')}`,
  )
  process.exit(1)
}

console.log(`mcpwire ${version}, Node ${process.version}. CPU time: medians, with quartiles in parentheses.`)
const rows: Row[] = []
const failed: string[] = []
const titles = ROWS.map(({ title }) => title)
const versions = [`mcpwire ${version}`, ...versionsOfPeers()]
const startedAt = performance.now()
for (const { title, measure, ...row } of planned) {
  const rowStartedAt = performance.now()
  try {
    const measured = { title, ...row, figures: await measure(isQuick) }
    rows.push(measured)
    printRow(measured)
    // After each row, so that a run that is stopped has written what it knows.
    if (isWritten) writePage({ rows: [measured], titles, versions, isQuick })
  } catch (error) {
    // The row keeps the figures that it had.
    failed.push(title)
    console.error(`\n${title}\n  could not be measured:`, error)
  }
  console.log(`  in ${secondsSince(rowStartedAt)} s`)
}
const missed = rows.filter(({ goal, ours, unit, figures }) => {
  const figure = figures.find(({ name }) => name === ours)
  return goal !== undefined && figure !== undefined && (unit === '×' ? figure.ratio : figure.micros) > goal
})
console.log(`\n${rows.length - missed.length} of ${rows.length} rows hold. Measured in ${secondsSince(startedAt)} s.`)
if (failed.length > 0) console.error(`Not measured: ${failed.join('; ')}.`)
process.exit(failed.length === 0 ? 0 : 1)

function secondsSince(start: number): string {
  return ((performance.now() - start) / 1_000).toFixed(1)
}

function versionsOfPeers(): string[] {
  const official = ['sdk', 'client', 'server'].map((name) => `@modelcontextprotocol/${name}`)
  const own = [...official, '@hono/node-server', 'zod'].map((name) => `${name} ${devDependencies[name]}`)
  return [...own, ...PEER_VERSIONS]
}
