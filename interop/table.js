// The matrix as a table for people.

/** One line for each cell, then what failed and what a pair cannot do. */
export function describeResults(results) {
  const lines = [['client', 'server', 'over', 'era', 'checks', 'result']]
  const notes = []
  for (const { cell, outcomes, reason } of results) {
    const { client, server, transport, era } = cell
    const row = [client, server, transport, era]
    if (reason !== undefined) {
      lines.push([...row, '', reason])
      continue
    }
    const entries = Object.entries(outcomes)
    const failed = entries.filter(([, outcome]) => outcome.startsWith('failed'))
    const passed = entries.filter(([, outcome]) => outcome === 'ok')
    lines.push([...row, `${passed.length}/${entries.length}`, failed.length === 0 ? 'ok' : 'FAILED'])
    for (const [check, outcome] of entries) {
      if (outcome !== 'ok') notes.push(`${client} → ${server}, ${transport}, ${era}: ${check}: ${outcome}`)
    }
  }
  const widths = lines[0].map((_, column) => Math.max(...lines.map((line) => line[column].length)))
  const table = lines.map((line) =>
    line
      .map((cell, column) => cell.padEnd(widths[column]))
      .join('  ')
      .trimEnd(),
  )
  return [...table, ...(notes.length > 0 ? ['', ...notes] : [])].join('\n')
}

export function hasFailed({ outcomes = {} }) {
  return Object.values(outcomes).some((outcome) => outcome.startsWith('failed'))
}
