// The rows of the published table, each with how it is measured and what it may be at most.
import type { Row, Spread } from './figures.ts'
import { GROWTH_ROWS } from './rows-growth.ts'
import { PROCESS_ROWS } from './rows-process.ts'
import { START_ROWS } from './rows-start.ts'
import { TRANSPORT_ROWS } from './rows-transports.ts'

export interface PlannedRow extends Omit<Row, 'figures'> {
  readonly measure: (isQuick: boolean) => Promise<Spread[]>
}

export const ROWS: readonly PlannedRow[] = [...PROCESS_ROWS, ...TRANSPORT_ROWS, ...GROWTH_ROWS, ...START_ROWS]
