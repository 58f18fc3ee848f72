// The matrix as a Markdown table.

/** Outcomes of checks that do not apply to a pair; they are counted separately. */
export const LEFT_OUT = ['not offered by this client', 'not offered by this server', 'not in this revision']

/** One line per cell, then the failures, and the known gaps. */
export function describeResults(results) {
  const lines = [['client', 'server', 'over', 'revision', 'checks', 'left out', 'result']]
  const failures = []
  const gaps = new Map()
  for (const { cell, outcomes, reason } of results) {
    const { client, server, back } = cell
    const transport = back === undefined ? cell.transport : `${cell.transport} → ${back.transport}`
    const revision = back === undefined ? (cell.revision ?? cell.era) : `${cell.era} → ${back.era}`
    const row = [client, server, transport, revision]
    const title = `${client} → ${server}, ${transport}, ${revision}`
    if (reason !== undefined) {
      lines.push([...row, '', '', `not run: ${reason}`])
      continue
    }
    const made = Object.entries(outcomes).filter(([, outcome]) => !LEFT_OUT.includes(outcome))
    const passed = made.filter(([, outcome]) => outcome === 'ok').length
    const isFine = !hasFailed({ outcomes })
    const left = Object.keys(outcomes).length - made.length
    lines.push([...row, `${passed}/${made.length}`, String(left || ''), isFine ? 'ok' : 'FAILED'])
    for (const [check, outcome] of made) {
      if (outcome.startsWith('failed')) failures.push(`${title}: ${check}: ${outcome}`)
      else if (outcome !== 'ok') gaps.set(`${check}: ${outcome}`, [...(gaps.get(`${check}: ${outcome}`) ?? []), title])
    }
  }
  const widths = lines[0].map((_, column) => Math.max(...lines.map((line) => line[column].length)))
  const table = lines.map((line) =>
    line
      .map((cell, column) => cell.padEnd(widths[column]))
      .join('  ')
      .trimEnd(),
  )
  const known = [...gaps].map(([gap, titles]) => `${gap} (${titles.join('; ')})`)
  const parts = [table, failures, known].filter((part) => part.length > 0)
  return parts.map((part) => part.join('\n')).join('\n\n')
}

export function hasFailed({ outcomes = {} }) {
  return Object.values(outcomes).some((outcome) => outcome.startsWith('failed'))
}
