// Writes the published page: the table between its marks, and the chart. Rows that a run did not measure keep their figures, with the
// day and the way in which they were measured, so that a part of the table can be measured again by itself.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus, loadavg } from 'node:os'
import { drawChart } from './chart.ts'
import type { Row, Spread } from './figures.ts'

const page = new URL('../../docs/concepts/performance.md', import.meta.url)
const chart = new URL('../../docs/images/performance.svg', import.meta.url)
const kept = new URL('../../bench/public/published.json', import.meta.url)

/** The oldest Node that is supported has the first table and the chart; any other has a second table. */
const OLDEST_NODE = 'v20.'
const MARKS = {
  oldest: ['<!-- figures -->', '<!-- end of figures -->'],
  newer: ['<!-- figures of a newer Node -->', '<!-- end of figures of a newer Node -->'],
} as const

/** A row as it was measured, on which day and how. */
interface PublishedRow extends Row {
  readonly day: string
  readonly isQuick: boolean
  readonly node: string
  /** Of the machine, in its last minute: above the number of its cores, others were at work too. */
  readonly load: number
}

type Published = Partial<Record<keyof typeof MARKS, readonly PublishedRow[]>>

export interface Written {
  readonly rows: readonly Row[]
  /** The titles of all rows, in order. */
  readonly titles: readonly string[]
  readonly versions: readonly string[]
  readonly isQuick: boolean
}

export function writePage({ rows, titles, versions, isQuick }: Written): void {
  const table = process.version.startsWith(OLDEST_NODE) ? 'oldest' : 'newer'
  const published: Published = existsSync(kept) ? JSON.parse(readFileSync(kept, 'utf8')) : {}
  const measured = { day: new Date().toISOString().slice(0, 10), isQuick, node: process.version }
  const load = Math.round(loadavg()[0] ?? 0)
  const known = new Map((published[table] ?? []).map((row) => [row.title, row]))
  for (const row of rows) known.set(row.title, { ...row, ...measured, load })
  const all = titles.flatMap((title) => known.get(title) ?? [])
  writeFileSync(kept, `${JSON.stringify({ ...published, [table]: all }, rounded, 2)}\n`)
  writeTable(MARKS[table], all, versions)
  if (table === 'oldest') writeFileSync(chart, drawChart(all))
}

function rounded(_key: string, value: unknown): unknown {
  return typeof value === 'number' ? Math.round(value * 1_000) / 1_000 : value
}

function writeTable(
  [start, end]: readonly [string, string],
  rows: readonly PublishedRow[],
  versions: readonly string[],
) {
  const [before, rest] = readFileSync(page, 'utf8').split(start)
  const after = rest?.split(end)[1]
  if (before === undefined || after === undefined) throw new Error('The page has lost the marks around its figures')
  const lines = [
    describeRun(rows, versions),
    '',
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
  return (
    `Measured on ${days.join(' and ')}${quick}, at a load of ${Math.min(...loads)} to ${Math.max(...loads)}. ` +
    `Machine: ${machine}. Versions: ${versions.join(', ')}.`
  )
}

function lineOf({ title, unit, goal, ours, figures }: Row): string {
  const own = figures.find(({ name }) => name === ours)
  const others = figures.filter(({ name, ratio }) => name !== ours && !(unit === '×' && ratio === 1))
  const base =
    unit === '×' && figures[0] !== undefined ? ` (1 is ${figures[0].name.replace('floor', 'the baseline')})` : ''
  const text = own === undefined ? '' : figureOf(own, unit)
  const goalText = goal === undefined ? '' : unit === 'KB' ? `${goal} KB` : `${goal}`
  return `| ${title}${base} | ${text} | ${goalText} | ${others.map((other) => `${other.name} ${figureOf(other, unit)}`).join('; ')} |`
}

function figureOf({ micros, ratio, low, high }: Spread, unit: Row['unit']): string {
  return unit === 'KB' ? `${micros.toFixed(1)} KB` : `${ratio.toFixed(2)} (${low.toFixed(2)}–${high.toFixed(2)})`
}
