// A part of the interop matrix in which every pair of client, server, transport and era appears; `npm run interop` runs all.
import { describe, expect, it } from 'vitest'
import { listPairwise } from '../../interop/matrix.js'
import { runCell } from '../../interop/run-cell.js'

const CELL_LIMIT_MS = 600_000

describe('interop', () => {
  for (const cell of listPairwise()) {
    const { client, server, transport, era } = cell
    // This cell takes half a minute where other tests run beside it.
    const isLong = server === 'everything' && transport === 'stdio'
    it.runIf(!isLong || process.env['FULL_TESTS'] === '1')(
      `${client} → ${server} over ${transport}, ${era}`,
      { timeout: CELL_LIMIT_MS },
      async () => {
        const outcomes = Object.entries(await runCell(cell))
        expect(outcomes.filter(([, outcome]) => outcome.startsWith('failed'))).toEqual([])
        expect(outcomes.length).toBeGreaterThan(2)
      },
    )
  }
})
