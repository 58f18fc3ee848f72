// Writes the published page: the table between its marks, and the chart. Rows that a run did not measure keep their figures, with the
// day and the way in which they were measured, so that a part of the table can be measured again by itself.
import { readFileSync, writeFileSync } from 'node:fs'
import { cpus, loadavg } from 'node:os'
import { drawChart } from './chart.ts'
import type { Row, Spread } from './figures.ts'
import { oursOf, type PublishedRow, readPublished, tableOfThisNode, writePublished } from './published.ts'

const page = new URL('../../docs/concepts/performance.md', import.meta.url)
const chart = new URL('../../docs/images/performance.svg', import.meta.url)

/** The oldest Node that is supported has the first table and the chart; any other has a second table. */
const MARKS = {
  oldest: ['<!-- figures -->', '<!-- end of figures -->'],
  newer: ['<!-- figures of a newer Node -->', '<!-- end of figures of a newer Node -->'],
} as const

/** What is above this, beside the oldest Node, is named as worse: below, two runs differ as much. */
const WORSE = 1.25

export interface Written {
  readonly rows: readonly Row[]
  /** The titles of all rows, in order. */
  readonly titles: readonly string[]
  readonly versions: readonly string[]
  readonly isQuick: boolean
}

export function writePage({ rows, titles, versions, isQuick }: Written): void {
  const table = tableOfThisNode
  const published = readPublished()
  const measured = { day: new Date().toISOString().slice(0, 10), isQuick, node: process.version }
  const load = Math.round(loadavg()[0] ?? 0)
  const known = new Map((published[table] ?? []).map((row) => [row.title, row]))
  for (const row of rows) known.set(row.title, { ...row, ...measured, load })
  const all = titles.flatMap((title) => known.get(title) ?? [])
  const now = { ...published, [table]: all }
  writePublished(now)
  writeTable(MARKS[table], all, versions, table === 'oldest' ? [] : worseThan(now.oldest ?? [], all))
  if (table === 'oldest') writeFileSync(chart, drawChart(all))
}

/** What is worse than with the oldest Node, in words. */
function worseThan(oldest: readonly PublishedRow[], newer: readonly PublishedRow[]): string[] {
  const before = new Map(oldest.map((row) => [row.title, row]))
  const worse = newer.flatMap((row) => {
    const old = before.get(row.title)
    const [from, to] = [old === undefined ? undefined : oursOf(old), oursOf(row)]
    if (from === undefined || to === undefined) return []
    const value = ({ micros, ratio }: Spread) => (row.unit === '×' ? ratio : micros)
    if (value(to) <= value(from) * WORSE) return []
    return [`- ${row.title}: ${value(from).toFixed(2)} became ${value(to).toFixed(2)}.`]
  })
  if (worse.length === 0) return ['No row is worse there by a quarter or more.', '']
  return ['These rows are worse there, by a quarter or more:', '', ...worse, '']
}

function writeTable(
  [start, end]: readonly [string, string],
  rows: readonly PublishedRow[],
  versions: readonly string[],
  remarks: readonly string[],
) {
  const [before, rest] = readFileSync(page, 'utf8').split(start)
  const after = rest?.split(end)[1]
  if (before === undefined || after === undefined) throw new Error('The page has lost the marks around its figures')
  const lines = [
    describeRun(rows, versions),
    '',
    ...remarks,
    '| Workload | mcpwire | Goal | Others |',
    '| --- | --- | --- | --- |',
    ...rows.map(lineOf),
  ]
  writeFileSync(page, `${before}${start}\n\n${lines.join('\n')}\n\n${end}${after}`)
}

function describeRun(rows: readonly PublishedRow[], versions: readonly string[]): string {
  const [processor] = cpus()
  const { platform, arch } = process
  const days = [...new Set(rows.map(({ day }) => day))].sort()
  const nodes = [...new Set(rows.map(({ node }) => node))]
  const loads = rows.map(({ load }) => load)
  const quickRows = rows.filter((row) => row.isQuick).length
  const quick = quickRows === 0 ? '' : `, ${quickRows} of ${rows.length} rows with \`--quick\``
  const machine = `${cpus().length} × ${processor?.model.trim() ?? 'unknown'}, ${platform} ${arch}, Node ${nodes.join(', ')}`
  const others =
    Math.max(...loads) > 2 * cpus().length
      ? ' Other programs used it at the same time, so the spread is wide and differences below a third mean little.'
      : ''
  return (
    `Measured on ${days.join(' and ')}${quick}, at a load of ${Math.min(...loads)} to ${Math.max(...loads)}. ` +
    `Machine: ${machine}.${others} Versions: ${versions.join(', ')}.`
  )
}

function lineOf({ title, unit, goal, ours, figures }: Row): string {
  const own = oursOf({ figures, ours })
  const others = figures.filter(({ name, ratio }) => name !== ours && !(unit === '×' && ratio === 1))
  const base =
    unit === '×' && figures[0] !== undefined ? ` (1 is ${figures[0].name.replace('floor', 'the baseline')})` : ''
  // Where ours is one of several sizes, the column does not say which.
  const size = own === undefined || goal !== undefined ? '' : `${own.name} `
  const text = own === undefined ? '' : `${size}${figureOf(own, unit)}`
  const goalText = goal === undefined ? '' : unit === 'KB' ? `${goal} KB` : `${goal}`
  return `| ${title}${base} | ${text} | ${goalText} | ${others.map((other) => `${other.name} ${figureOf(other, unit)}`).join('; ')} |`
}

function figureOf({ micros, ratio, low, high }: Spread, unit: Row['unit']): string {
  return unit === 'KB' ? `${micros.toFixed(1)} KB` : `${ratio.toFixed(2)} (${low.toFixed(2)}–${high.toFixed(2)})`
}
