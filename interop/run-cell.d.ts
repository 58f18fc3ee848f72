import type { Cell } from './matrix.js'

export function runCell(cell: Cell): Promise<Record<string, string>>
