// Writes docs/project/spec-map.md and docs/project/faults.md from the tests, and fails on a row that nothing shows. Renew them with `-u`.
import { describe, expect, it } from 'vitest'
import checklist from '../spec/checklist.json' with { type: 'json' }
import composition from '../spec/composition.json' with { type: 'json' }
import composed from '../spec/composition-checklist.json' with { type: 'json' }
import { cell, describeEvidence, enginesOf, findEvidence, rowsIn } from '../spec/coverage.ts'
import { EXEMPTIONS, exemptionOf } from '../spec/exemptions.ts'
import extensions from '../spec/extensions.json' with { type: 'json' }
import faults from '../spec/faults.json' with { type: 'json' }

const evidence = findEvidence()
const points: readonly Point[] = composed
const rows = [...checklist, ...extensions, ...faults, ...composition, ...points]

describe('the maps', () => {
  it('show every row, or the reason why not', () => {
    const summed = new Set(points.filter(({ rows: others }) => others !== undefined).map(({ id }) => id))
    const holes = rows.filter(({ id }) => !evidence.has(id) && !summed.has(id) && exemptionOf(id) === undefined)
    expect(holes.map(({ id }) => id)).toEqual([])
  })

  it('sum up rows that exist', () => {
    const ids = new Set(composition.map(({ id }) => id))
    const others = points.flatMap(({ rows: sum = '' }) => [...rowsIn(sum)])
    expect(others.length).toBeGreaterThan(80)
    expect(others.filter((id) => !ids.has(id))).toEqual([])
  })

  it('show every row about many nodes on each engine that it concerns', () => {
    const holes = faults.flatMap(({ id, engines = [] }: { id: string; engines?: string[] }) => {
      const shown = enginesOf(id, evidence.get(id) ?? [])
      return engines.filter((engine) => !shown.has(engine)).map((engine) => `${id} (${engine})`)
    })
    expect(holes).toEqual([])
  })

  it('excuse nothing that is shown, and nothing that does not exist', () => {
    for (const start of Object.keys(EXEMPTIONS)) {
      const excused = rows.filter(({ id }) => id === start || (start.endsWith('-') && id.startsWith(start)))
      expect(excused, start).not.toEqual([])
      if (!start.endsWith('-')) expect(evidence.has(start), start).toBe(false)
    }
  })

  it('know no row that does not exist', () => {
    const ids = new Set(rows.map(({ id }) => id))
    expect([...evidence.keys()].filter((id) => !ids.has(id))).toEqual([])
  })

  it('read ids, lists and ranges', () => {
    expect([...rowsIn('F001 F002: S-HTTP-03, and R08–R10')]).toEqual(['F001', 'F002', 'S-HTTP-03', 'R08', 'R10', 'R09'])
    expect([...rowsIn('tasks T-01, T-02 and L-03: a T-04')]).toEqual(['tasks T-01', 'tasks T-02', 'tasks L-03'])
  })

  it('read ids of composed servers, and ranges of them', () => {
    expect([...rowsIn('compose G001 compose N01–N03: x, compose X34, X100')]).toEqual([
      'compose G001',
      'compose N01',
      'compose N02',
      'compose N03',
      'compose X34',
      'compose X100',
    ])
  })

  it('are written down for the specification', async () => {
    await expect(specMap()).toMatchFileSnapshot('../../docs/project/spec-map.md')
  })

  it('are written down for the faults', async () => {
    await expect(faultMap()).toMatchFileSnapshot('../../docs/project/faults.md')
  })
})

const HOW = `Each row names tests under \`test/\`, \`cli/test/\` and \`packages/\`; one in \`code\` is an entry of the manifest (\`test/interaction/requirements\`), which
runs on every transport and revision that it admits. \`test/docs/maps.test.ts\` writes this page and fails on a hole.`

function specMap(): string {
  const areas = groupByArea()
  const sections = [...areas].map(([area, members]) => {
    const lines = members.map(({ id, level, versions, text }) => {
      return `| ${id} | ${level} | ${versions} | ${cell(text)} | ${shownBy(id)} |`
    })
    return `## ${area}\n\n| row | level | versions | requirement | shown by |\n| --- | --- | --- | --- | --- |\n${lines.join('\n')}\n`
  })
  const extensionLines = extensions.map(({ id, side, level, versions, text }) => {
    return `| ${id} | ${side} | ${level} | ${versions} | ${cell(text)} | ${shownBy(id)} |`
  })
  sections.push(
    `## Extensions\n\n| row | side | level | versions | requirement | shown by |\n| --- | --- | --- | --- | --- | --- |\n${extensionLines.join('\n')}\n`,
  )
  return `# The specification, row by row\n\n${HOW} \`V26\` is 2026-07-28, \`L\` every revision before it; \`V24\`, \`V25a\`, \`V25b\` and
\`V25c\` are the four of them. \`C\` rows are about clients, \`S\` about servers, \`B\` about both. Rows of extensions begin
with its name, because their ids look like those of other documents.\n\n${sections.join('\n')}`
}

function faultMap(): string {
  const made = `## Servers made of servers\n\nMounts, proxies, gateways, transforms and servers from OpenAPI documents: seams of the kernel (K), names (N), proxies (P),\nauthorization (A), failures (G), OpenAPI (O) and transforms (T).\n\n| id | what happens, and what must come of it | shown by |\n| --- | --- | --- |\n${faultLines(composition)}\n`
  const checked = points.map((point) => `| ${point.id} | ${cell(point.fault)} | ${shownByOrSum(point)} |`)
  const list = `### The checklist\n\nWhat sums up other rows names them.\n\n| id | what is there | shown by |\n| --- | --- | --- |\n${checked.join('\n')}\n`
  return `# Faults and regressions\n\n${HOW}\n\n| id | what happens, and what must come of it | shown by |\n| --- | --- | --- |\n${faultLines(faults)}\n\n${made}\n${list}`
}

interface FaultRow {
  readonly id: string
  readonly fault: string
  readonly outcome?: string
}

/** A point of the checklist of composed servers. */
interface Point extends FaultRow {
  /** The rows that it sums up. */
  readonly rows?: string
}

function shownByOrSum({ id, rows: others }: Point): string {
  const sum = others === undefined ? [] : [others.replace('compose ', '')]
  return [...sum, ...(evidence.has(id) || others === undefined ? [shownBy(id)] : [])].join('; ')
}

function faultLines(table: readonly FaultRow[]): string {
  const lines = table.map((row) => {
    const fault = row.outcome === undefined ? row.fault : `${row.fault} → ${row.outcome}`
    return `| ${row.id} | ${cell(fault)} | ${shownBy(row.id)} |`
  })
  return lines.join('\n')
}

function shownBy(id: string): string {
  const shown = evidence.get(id)
  if (shown === undefined) return `*${exemptionOf(id) ?? 'nothing'}*`
  const engines = [...enginesOf(id, shown)].sort().join(', ')
  return describeEvidence(shown) + (engines === '' ? '' : ` (on ${engines})`)
}

function areaOf({ id }: { id: string }): string {
  return id.replace(/-\d+$/, '')
}

function groupByArea(): Map<string, typeof checklist> {
  const areas = new Map<string, typeof checklist>()
  for (const row of checklist) areas.set(areaOf(row), [...(areas.get(areaOf(row)) ?? []), row])
  return areas
}
