// The figures that are published: what people meet first, beside peers from npm and beside the least that the same work can cost.
// `npm run bench -- public [--quick] [--write] [row …]`: rows by a part of their title. Measures the built package; `--write` writes
// docs/concepts/performance.md.
import { createRequire } from 'node:module'
import { printRow, type Row } from './public/figures.ts'
import { PEER_VERSIONS } from './public/install-peers.ts'
import { ROWS } from './public/rows.ts'
import { writePage } from './public/write-page.ts'

const words = process.argv.slice(2)
const isQuick = words.includes('--quick')
const wanted = words.filter((word) => !word.startsWith('--'))
const { version } = createRequire(import.meta.url)('mcpwire/package.json') as { version: string }

console.log(`mcpwire ${version}, Node ${process.version}. CPU time: medians, with quartiles in parentheses.`)
const rows: Row[] = []
const titles = ROWS.map(({ title }) => title)
const versions = [`mcpwire ${version}`, ...versionsOfPeers()]
for (const { title, measure, ...row } of ROWS) {
  if (wanted.length > 0 && !wanted.some((part) => title.includes(part))) continue
  const measured = { title, ...row, figures: await measure(isQuick) }
  rows.push(measured)
  printRow(measured)
  // After each row, so that a run that is stopped has written what it knows.
  if (words.includes('--write')) writePage({ rows: [measured], titles, versions, isQuick })
}
const missed = rows.filter(({ goal, ours, unit, figures }) => {
  const figure = figures.find(({ name }) => name === ours)
  return goal !== undefined && figure !== undefined && (unit === '×' ? figure.ratio : figure.micros) > goal
})
console.log(`\n${rows.length - missed.length} of ${rows.length} rows hold.`)
process.exit(0)

function versionsOfPeers(): string[] {
  const { devDependencies } = createRequire(import.meta.url)('mcpwire/package.json') as {
    devDependencies: Record<string, string>
  }
  const official = ['sdk', 'client', 'server'].map((name) => `@modelcontextprotocol/${name}`)
  const own = [...official, '@hono/node-server', 'zod'].map((name) => `${name} ${devDependencies[name]}`)
  return [...own, ...PEER_VERSIONS]
}
