// Tells how long a backtracking engine may take for a pattern: linear, polynomial, or too long for any input.
// After Weber and Seidl, "On the degree of ambiguity of finite automata": a loop with two ways round on one word
// doubles the work with every turn; two loops in a row that share a word add one to the degree.
import type { CodePoints } from './code-points.ts'
import { type Automaton, buildAutomaton, type Effort, exert, overlapAt, type Ways } from './pattern-automaton.ts'
import { type Components, findComponents } from './pattern-loops.ts'
import {
  containsLoop,
  findLookarounds,
  refuseHugeCounts,
  sequence,
  startsAnchored,
  withoutBackreferences,
  withoutTrailingLoop,
} from './pattern-shape.ts'
import { loopsSharingWords } from './pattern-sharing.ts'
import { ANY_TEXT, type PatternTree, UnsafePattern } from './pattern-syntax.ts'

/** The work for a text of length n is at most about `spread · n^(degree + 1)`. */
export interface Cost {
  readonly degree: number
  readonly spread: number
}

/** Throws `UnsafePattern` where the work may be exponential or cannot be bounded. */
export function costOf(pattern: PatternTree, effort: Effort): Cost {
  refuseHugeCounts(pattern)
  const tree = withoutTrailingLoop(pattern)
  const isAnchored = startsAnchored(tree)
  const whole = isAnchored ? tree : sequence([ANY_TEXT, tree])
  const main = costOfPart(whole, effort)
  let { degree, spread } = main
  for (const { body, isMoving } of findLookarounds(whole)) {
    const inner = costOfPart(body, effort)
    const hasLoop = containsLoop(body)
    // Inside of what repeats, the text ahead is looked at again from many places.
    if (hasLoop) degree = Math.max(degree, inner.degree + (isMoving ? main.degree + 1 : 0))
    spread *= inner.spread
  }
  return { degree, spread }
}

function costOfPart(tree: PatternTree, effort: Effort): Cost {
  const automaton = buildAutomaton(withoutBackreferences(tree), effort)
  const components = findComponents(automaton)
  refuseExponential(automaton, components, effort)
  return measure(automaton, components, effort)
}

function refuseExponential(automaton: Automaton, { inOrder, indexOf }: Components, effort: Effort): void {
  for (const [index, { positions, isLoop }] of inOrder.entries()) {
    const isInLoop = (position: number) => indexOf[position] === index
    if (isLoop && isAmbiguous(automaton, positions, isInLoop, effort)) {
      throw new UnsafePattern('repeats what can match the same text in several ways, which may take exponential time')
    }
  }
}

/** Whether, going round in a loop, two ways part and meet again on the same text: two walks in step, pair by pair. */
function isAmbiguous(
  { sets, next }: Automaton,
  positions: readonly number[],
  isInLoop: (position: number) => boolean,
  effort: Effort,
): boolean {
  const pairs = new Map<number, readonly [number, number]>()

  function turnsFrom(position: number): [number, number][] {
    return [...(next[position] as Ways)].filter(([to]) => isInLoop(to))
  }

  function addPair(p: number, q: number): void {
    if (overlapAt(sets, p, q, effort)) pairs.set(Math.min(p, q) * sets.length + Math.max(p, q), [p, q])
  }

  for (const position of positions) {
    const turns = turnsFrom(position)
    if (turns.some(([, ways]) => ways > 1)) return true
    exert(effort, turns.length ** 2)
    for (const [p] of turns) for (const [q] of turns) if (p < q) addPair(p, q)
  }
  for (const [p, q] of pairs.values()) {
    for (const [x] of turnsFrom(p)) {
      for (const [y] of turnsFrom(q)) {
        exert(effort, 1)
        if (x === y) return true
        addPair(x, y)
      }
    }
  }
  return false
}

/** Follows the components in order, and counts the loops that share words and the choices that overlap. */
function measure(automaton: Automaton, components: Components, effort: Effort): Cost {
  const { sets, next, first } = automaton
  const { inOrder, indexOf } = components
  const degrees = inOrder.map(() => 0)
  const spreads = inOrder.map(() => 1)
  const startSpread = widestChoice([...first], sets, effort)
  for (const [position] of first) raise(spreads, indexOf[position], startSpread)

  for (const [index, { positions, isLoop }] of inOrder.entries()) {
    const ways = positions.map((position) => [...(next[position] as Ways)])
    const turns = ways.map((steps) => steps.filter(([to]) => indexOf[to] === index))
    const exits = ways.map((steps) => steps.filter(([to]) => indexOf[to] !== index))
    const widestOf = (choices: [number, number][][]) =>
      largest(choices.map((steps) => widestChoice(steps, sets, effort)))
    raise(spreads, index, (spreads[index] ?? 1) * widestOf(turns))
    const spread = (spreads[index] ?? 1) * widestOf(exits)
    for (const [to] of exits.flat()) {
      raise(degrees, indexOf[to], degrees[index] ?? 0)
      raise(spreads, indexOf[to], spread)
    }
    if (!isLoop) continue
    for (const later of loopsSharingWords(automaton, index, components, effort)) {
      raise(degrees, later, (degrees[index] ?? 0) + 1)
    }
  }
  return { degree: largest(degrees), spread: Math.max(1, largest(spreads)) }
}

/** How many of the next steps one character may open at once. */
function widestChoice(ways: readonly [number, number][], sets: readonly CodePoints[], effort: Effort): number {
  let widest = 1
  for (const [p] of ways) {
    let sum = 0
    for (const [q, amount] of ways) if (overlapAt(sets, p, q, effort)) sum += amount
    widest = Math.max(widest, sum)
  }
  return widest
}

function largest(values: readonly number[]): number {
  return values.reduce((max, value) => Math.max(max, value), 0)
}

function raise(values: number[], index: number | undefined, to: number): void {
  if (index !== undefined) values[index] = Math.max(values[index] ?? 0, to)
}
