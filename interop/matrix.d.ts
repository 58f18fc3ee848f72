export interface Cell {
  readonly client: string
  readonly server: string
  readonly transport: string
  readonly era: 'legacy' | 'modern'
}
export function listCells(): Cell[]
export function listPairwise(): Cell[]
