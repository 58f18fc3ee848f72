// Reads the tables of a mapping document: every table with the columns there, here, from and remark.

export interface Row {
  /** The heading above the table. */
  readonly section: string
  readonly there: readonly string[]
  /** Empty where there is no counterpart. */
  readonly here: readonly string[]
  /** The entry point, or a dash. */
  readonly from: string
  readonly remark: string
}

/** In place of what stands beside it. */
const SAME = 'the same names'

const HEADER = ['there', 'here', 'from', 'remark']

/** Throws where a table has other columns, or a row is not as wide as its table. */
export function readRows(document: string): Row[] {
  const rows: Row[] = []
  let section = ''
  let isInTable = false
  for (const line of document.split('\n')) {
    section = /^## (.+)$/.exec(line)?.[1] ?? section
    const cells = line.startsWith('|') ? readCells(line) : undefined
    if (cells === undefined) isInTable = false
    else if (isInTable) rows.push(...readRow(section, cells))
    else if (cells.join() === HEADER.join()) isInTable = true
    else throw new Error(`A table under '${section}' has the columns ${cells.join(', ')}`)
  }
  return rows
}

function readCells(line: string): string[] {
  return line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim())
}

function readRow(section: string, cells: readonly string[]): Row[] {
  const [there = '', here = '', from = '', remark = ''] = cells
  if (cells.length !== HEADER.length) throw new Error(`A row under '${section}' has ${cells.length} cells: ${there}`)
  if (/^-+$/.test(there)) return []
  const names = readNames(there)
  const row = {
    section,
    there: names,
    here: here === SAME ? names : readNames(here),
    from: from.replaceAll('`', ''),
    remark,
  }
  if (row.there.length === 0 || (row.here.length === 0 && here !== '—')) {
    throw new Error(`A row under '${section}' names nothing: ${there}`)
  }
  return [row]
}

function readNames(cell: string): string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name as string)
}
