// The loops of an automaton: sets of positions that can all be reached from each other (Tarjan's algorithm).
import type { Automaton } from './automaton.ts'
import { UnsafePattern } from './syntax.ts'

/** Positions that lead to each other, or one position alone. */
export interface Component {
  readonly positions: readonly number[]
  /** Whether one can go round in it. */
  readonly isLoop: boolean
}

export interface Components {
  /** In the order in which a match passes through them. */
  readonly inOrder: readonly Component[]
  /** The index in that order, by position. */
  readonly indexOf: readonly number[]
}

// The search goes as deep as the longest way through the pattern.
const MAX_LENGTH = 1_000

export function findComponents({ next }: Automaton): Components {
  const order: number[] = []
  const low: number[] = []
  const stack: number[] = []
  const isOnStack = new Set<number>()
  const found: number[][] = []

  function visit(position: number, depth: number): void {
    if (depth > MAX_LENGTH) throw new UnsafePattern('is too long to tell how long it may take')
    const rank = order.push(position) - 1
    rankOf.set(position, rank)
    low[position] = rank
    stack.push(position)
    isOnStack.add(position)
    for (const other of next[position]?.keys() ?? []) {
      if (!rankOf.has(other)) visit(other, depth + 1)
      if (isOnStack.has(other)) low[position] = Math.min(low[position] ?? rank, low[other] ?? rank)
    }
    if (low[position] === rank) found.push(takeComponent(position))
  }

  function takeComponent(root: number): number[] {
    const positions = stack.splice(stack.lastIndexOf(root))
    for (const position of positions) isOnStack.delete(position)
    return positions
  }

  const rankOf = new Map<number, number>()
  for (const position of next.keys()) if (!rankOf.has(position)) visit(position, 0)

  const inOrder = found.reverse().map((positions) => ({ positions, isLoop: goesRound(positions) }))
  const indexOf: number[] = []
  for (const [index, { positions }] of inOrder.entries()) for (const position of positions) indexOf[position] = index
  return { inOrder, indexOf }

  function goesRound(positions: readonly number[]): boolean {
    const [only] = positions
    return positions.length > 1 || (only !== undefined && (next[only]?.has(only) ?? false))
  }
}
