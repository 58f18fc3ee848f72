// The chart of the published page: one bar for each contender of each row, as multiples of the floor, on a logarithmic scale.
import type { Row } from './figures.ts'

const WIDTH = 760
const LEFT = 190
const BAR = 16
const MAX = 100

export function drawChart(rows: readonly Row[]): string {
  const parts: string[] = []
  let y = 14
  for (const { title, unit, ours, figures } of rows.filter((row) => row.unit === '×')) {
    parts.push(text(0, y, title, 'title'))
    y += 8
    for (const { name, ratio } of figures) {
      const isOurs = name === ours
      const length = Math.max(2, (Math.log(Math.min(Math.max(ratio, 1), MAX)) / Math.log(MAX)) * (WIDTH - LEFT - 90))
      parts.push(text(LEFT - 8, y + 12, name.replace('floor', 'baseline'), 'name'))
      parts.push(
        `<rect x="${LEFT}" y="${y}" width="${length.toFixed(0)}" height="${BAR - 4}" class="${isOurs ? 'ours' : 'other'}"/>`,
      )
      parts.push(text(LEFT + length + 6, y + 11, `${unit} ${ratio.toFixed(2)}`, 'figure'))
      y += BAR
    }
    y += 18
  }
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${y}" role="img" aria-label="CPU time as multiples of the baseline">
<style>
text { font: 12px system-ui, sans-serif; fill: #24292f }
.title { font-weight: 600 }
.name { text-anchor: end }
.ours { fill: #0969da }
.other { fill: #8c959f }
@media (prefers-color-scheme: dark) { text { fill: #e6edf3 } .ours { fill: #4493f8 } .other { fill: #6e7681 } }
</style>
${parts.join('\n')}
</svg>
`
}

function text(x: number, y: number, value: string, kind: string): string {
  const safe = value.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
  return `<text x="${x.toFixed(0)}" y="${y.toFixed(0)}" class="${kind}">${safe}</text>`
}
