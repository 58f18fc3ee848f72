// Writes the published page: the table between its marks, and the chart.
import { readFileSync, writeFileSync } from 'node:fs'
import { cpus, loadavg } from 'node:os'
import { drawChart } from './chart.ts'
import type { Row, Spread } from './figures.ts'

const page = new URL('../../docs/concepts/performance.md', import.meta.url)
const chart = new URL('../../docs/images/performance.svg', import.meta.url)
/** The oldest Node that is supported has the first table and the chart; any other has a second table. */
const OLDEST_NODE = 'v20.'
const MARKS = {
  oldest: ['<!-- figures -->', '<!-- end of figures -->'],
  newer: ['<!-- figures of a newer Node -->', '<!-- end of figures of a newer Node -->'],
} as const

export function writePage(rows: readonly Row[], versions: readonly string[], isQuick: boolean): void {
  const isOldest = process.version.startsWith(OLDEST_NODE)
  const [start, end] = isOldest ? MARKS.oldest : MARKS.newer
  const [before, rest] = readFileSync(page, 'utf8').split(start)
  const after = rest?.split(end)[1]
  if (before === undefined || after === undefined) throw new Error('The page has lost the marks around its figures')
  const [processor] = cpus()
  const { platform, arch, version } = process
  const [load = 0] = loadavg()
  const machine = `${cpus().length} × ${processor?.model.trim() ?? 'unknown'}, ${platform} ${arch}, Node ${version}, load of the last minute ${load.toFixed(1)}`
  const lines = [
    `Measured on ${new Date().toISOString().slice(0, 10)}${isQuick ? ' with `--quick`' : ''}. Machine: ${machine}. Versions: ${versions.join(', ')}.`,
    '',
    '| Workload | mcpwire | Goal | Others |',
    '| --- | --- | --- | --- |',
    ...rows.map(lineOf),
  ]
  writeFileSync(page, `${before}${start}\n\n${lines.join('\n')}\n\n${end}${after}`)
  if (isOldest) writeFileSync(chart, drawChart(rows))
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
