// Finds pairs of loops that the same text can repeat: in the first, on the way to the second, and in the second. Each such pair
// adds one to the degree of the work.

import type { Components } from './automaton.ts'
import { type Automaton, type Effort, exert, overlapAt, type Ways } from './automaton.ts'
import { type CodePoints, overlap } from './code-points.ts'

// Where the search takes longer than this, the loops are taken to share a word, which errs on the safe side.
const MAX_SEARCH = 2_000

/** The components after the given loop that are loops and share a word with it. */
export function loopsSharingWords(
  automaton: Automaton,
  loop: number,
  components: Components,
  effort: Effort,
): readonly number[] {
  const { inOrder } = components
  const positions = inOrder[loop]?.positions ?? []
  return loopsReachedFrom(automaton, positions, components, effort).filter((later) => {
    const others = inOrder[later]?.positions ?? []
    const budget = { left: MAX_SEARCH }
    return positions.some((p) => others.some((q) => shareWord(automaton, p, q, components, effort, budget)))
  })
}

function loopsReachedFrom(
  { next }: Automaton,
  positions: readonly number[],
  { inOrder, indexOf }: Components,
  effort: Effort,
): number[] {
  const own = indexOf[positions[0] ?? 0]
  const reached = new Set(positions)
  const loops = new Set<number>()
  for (const position of reached) {
    for (const [other] of next[position] as Ways) {
      exert(effort, 1)
      reached.add(other)
      const index = indexOf[other] ?? 0
      if (index !== own && inOrder[index]?.isLoop) loops.add(index)
    }
  }
  return [...loops]
}

/** Whether one word leads from p to p, from p to q and from q to q: three walks in step, from (p, p, q) to (p, q, q). */
function shareWord(
  { sets, next }: Automaton,
  p: number,
  q: number,
  { indexOf }: Components,
  effort: Effort,
  budget: { left: number },
): boolean {
  const size = sets.length
  const known = new Set<number>()
  const triples: [number, number, number][] = [[p, p, q]]
  for (let triple = triples.pop(); triple !== undefined; triple = triples.pop()) {
    for (const [x] of next[triple[0]] as Ways) {
      if (indexOf[x] !== indexOf[p]) continue
      for (const [z] of next[triple[2]] as Ways) {
        if (indexOf[z] !== indexOf[q] || !overlapAt(sets, x, z, effort)) continue
        for (const [y] of next[triple[1]] as Ways) {
          budget.left -= 1
          if (budget.left < 0) return true
          if (!haveCommonCharacter(sets, x, y, z, effort)) continue
          if (x === p && y === q && z === q) return true
          const key = (x * size + y) * size + z
          if (known.has(key)) continue
          known.add(key)
          triples.push([x, y, z])
        }
      }
    }
  }
  return false
}

/** Pairwise overlap stands in for a character in all three sets; it can only find too much. */
function haveCommonCharacter(sets: readonly CodePoints[], x: number, y: number, z: number, effort: Effort): boolean {
  exert(effort, 1)
  return overlap(sets[x] as CodePoints, sets[y] as CodePoints) && overlap(sets[y] as CodePoints, sets[z] as CodePoints)
}
