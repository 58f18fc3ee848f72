// The paths that a backtracking engine may take through a pattern, as an automaton without empty steps (Glushkov's).
// Each step carries in how many ways the engine may come to take it: `(a+)+` repeats `a` in two.
import { type CodePoints, overlap } from './code-points.ts'
import { type PatternTree, UnsafePattern } from './syntax.ts'

/** How much analysis may still be done for one schema. */
export interface Effort {
  left: number
}

export function exert(effort: Effort, amount: number): void {
  effort.left -= amount
  if (effort.left < 0) throw new UnsafePattern('is too complex to determine its running time')
}

/** Positions by the number of ways that lead to them. */
export type Ways = Map<number, number>

/** One position per character of the pattern. */
export interface Automaton {
  readonly sets: readonly CodePoints[]
  /** From each position, the positions that may come next. */
  readonly next: readonly Ways[]
  readonly first: Ways
}

/** Whether one character can lead to both positions. */
export function overlapAt(sets: readonly CodePoints[], p: number, q: number, effort: Effort): boolean {
  if (p === q) return true
  const a = sets[p] as CodePoints
  const b = sets[q] as CodePoints
  exert(effort, a.length + b.length)
  return overlap(a, b)
}

interface Fragment {
  readonly first: Ways
  readonly last: Ways
  /** In how many ways it matches nothing at all. */
  readonly emptyWays: number
}

// Copies make short fixed repetitions exact; longer ones are taken as loops, which errs on the safe side.
const MAX_COPIED_POSITIONS = 64

export function buildAutomaton(tree: PatternTree, effort: Effort): Automaton {
  const builder = new AutomatonBuilder(effort)
  const { first } = builder.build(tree)
  return { sets: builder.sets, next: builder.next, first }
}

class AutomatonBuilder {
  readonly sets: CodePoints[] = []
  readonly next: Ways[] = []
  readonly #effort: Effort

  constructor(effort: Effort) {
    this.#effort = effort
  }

  build(tree: PatternTree): Fragment {
    switch (tree.kind) {
      case 'set':
        return this.#position(tree.set)
      case 'sequence':
        return tree.parts.map((part) => this.build(part)).reduce((a, b) => this.#concatenate(a, b), nothing())
      case 'choice':
        return tree.options.map((option) => this.build(option)).reduce((a, b) => this.#either(a, b))
      case 'repeat':
        return this.#repeat(tree.body, tree.min, tree.max)
      default:
        // Assertions take no character. Ignoring them only adds paths.
        return nothing()
    }
  }

  #position(set: CodePoints): Fragment {
    exert(this.#effort, 1 + set.length)
    const position = this.sets.push(set) - 1
    this.next.push(new Map())
    return { first: new Map([[position, 1]]), last: new Map([[position, 1]]), emptyWays: 0 }
  }

  #concatenate(a: Fragment, b: Fragment): Fragment {
    this.#connect(a.last, b.first)
    return {
      first: this.#add(a.first, b.first, a.emptyWays),
      last: this.#add(b.last, a.last, b.emptyWays),
      emptyWays: a.emptyWays * b.emptyWays,
    }
  }

  #either(a: Fragment, b: Fragment): Fragment {
    return {
      first: this.#add(a.first, b.first, 1),
      last: this.#add(a.last, b.last, 1),
      emptyWays: a.emptyWays + b.emptyWays,
    }
  }

  #repeat(body: PatternTree, min: number, max: number): Fragment {
    if (max === 0) return nothing()
    const start = this.sets.length
    const once = this.build(body)
    const size = this.sets.length - start
    if (max === 1) return min === 1 ? once : { ...once, emptyWays: 1 }
    if (once.emptyWays > 0 && min > 1) return this.#repeatEmpty(body, once, min, max)
    if (min === max && size * min <= MAX_COPIED_POSITIONS) return this.#copy(body, once, min)
    return this.#loop(once, min)
  }

  /** A loop counts repetitions only by the path it took, so one copy of the body has all its paths. */
  #loop(body: Fragment, min: number): Fragment {
    this.#connect(body.last, body.first)
    // ECMA-262, RepeatMatcher: an optional repetition that matches nothing is given up, so nothing is matched one way.
    return min === 0 ? { ...body, emptyWays: 1 } : body
  }

  /** The required repetitions may each match nothing, so which of them do is a choice: only copies show it. */
  #repeatEmpty(body: PatternTree, once: Fragment, min: number, max: number): Fragment {
    if (min > MAX_COPIED_POSITIONS) throw new UnsafePattern('repeats many times what may match nothing')
    const required = this.#copy(body, once, min)
    return max === min ? required : this.#concatenate(required, this.#repeat(body, 0, max - min))
  }

  #copy(body: PatternTree, once: Fragment, times: number): Fragment {
    let all = once
    for (let copy = 1; copy < times; copy++) all = this.#concatenate(all, this.build(body))
    return all
  }

  #connect(from: Ways, to: Ways): void {
    exert(this.#effort, from.size * to.size)
    for (const [position, ways] of from) {
      const next = this.next[position] as Ways
      for (const [other, otherWays] of to) next.set(other, (next.get(other) ?? 0) + ways * otherWays)
    }
  }

  /** Changes the first of the two, which is not shared. */
  #add(sum: Ways, ways: Ways, factor: number): Ways {
    if (factor === 0) return sum
    exert(this.#effort, ways.size)
    for (const [position, amount] of ways) sum.set(position, (sum.get(position) ?? 0) + amount * factor)
    return sum
  }
}

function nothing(): Fragment {
  return { first: new Map(), last: new Map(), emptyWays: 1 }
}

/** Positions that lead to each other, or one position alone. */
export interface Component {
  readonly positions: readonly number[]
  /** Whether a match can repeat in it. */
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
    if (depth > MAX_LENGTH) throw new UnsafePattern('is too long to determine its running time')
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
