// Determines how long a backtracking engine may take for a pattern: linear, polynomial, or exponential time.
// After Weber and Seidl, "On the degree of ambiguity of finite automata": a loop with two ways round on one word
// doubles the work with every turn; two loops in a row that share a word add one to the degree.

import {
  type Automaton,
  buildAutomaton,
  type Components,
  type Effort,
  exert,
  findComponents,
  overlapAt,
  type Ways,
} from './automaton.ts'
import type { CodePoints } from './code-points.ts'
import {
  findLookarounds,
  readPlain,
  rejectHugeCounts,
  sequence,
  startsAnchored,
  withoutBackreferences,
  withoutTrailingLoop,
} from './shape.ts'
import { loopsSharingWords } from './sharing.ts'
import { ANY_TEXT, type PatternTree, UnsafePattern } from './syntax.ts'

/** The work for a text of length n is at most about `spread · n^(degree + 1)`. */
export interface Cost {
  /** -1 where nothing repeats, so that the length of the text does not matter. */
  readonly degree: number
  readonly spread: number
}

const NO_LOOP = -1

/** Throws `UnsafePattern` where the work may be exponential or cannot be bounded. */
export function costOf(pattern: PatternTree, effort: Effort): Cost {
  rejectHugeCounts(pattern)
  const plain = readPlain(pattern)
  if (plain !== undefined) return { degree: plain.hasLoop ? 0 : NO_LOOP, spread: 1 + plain.fixedLength }
  const tree = withoutTrailingLoop(pattern)
  return costOfTree(startsAnchored(tree) ? tree : sequence([ANY_TEXT, tree]), effort)
}

/** The cost from one place of the text on, with what is looked at from there. */
function costOfTree(tree: PatternTree, effort: Effort): Cost {
  const own = costOfPart(tree, effort)
  let { degree, spread } = own
  for (const { body, isMoving } of findLookarounds(tree)) {
    const inner = costOfTree(body, effort)
    spread *= inner.spread
    // After a loop, the text ahead is looked at again from many places.
    if (inner.degree > NO_LOOP) degree = Math.max(degree, inner.degree + (isMoving ? own.degree + 1 : 0))
  }
  return { degree, spread }
}

function costOfPart(tree: PatternTree, effort: Effort): Cost {
  const automaton = buildAutomaton(withoutBackreferences(tree), effort)
  const components = findComponents(automaton)
  rejectExponential(automaton, components, effort)
  return measure(automaton, components, effort)
}

function rejectExponential(automaton: Automaton, { inOrder, indexOf }: Components, effort: Effort): void {
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
  // How many ways lead here on one text: by the widest choice at each step, and by counting all ways there are.
  const byChoices = inOrder.map(() => 1)
  const byCounting = inOrder.map(() => 0)
  // Wherever a loop is left, what follows it up to the next loop may be tried in vain.
  const fixedRuns = inOrder.map(({ isLoop }) => (isLoop ? 0 : 1))

  const starts = [...first]
  const widestStart = widestChoice(starts, sets, effort)
  for (const [to, ways] of starts) {
    raise(byChoices, indexOf[to], widestStart)
    add(byCounting, indexOf[to], ways)
  }
  for (const [index, { positions, isLoop }] of inOrder.entries()) {
    const steps = positions.map((position) => [...(next[position] as Ways)])
    const turns = steps.map((ways) => ways.filter(([to]) => indexOf[to] === index))
    const exits = steps.map((ways) => ways.filter(([to]) => indexOf[to] !== index))
    const widestTurn = largest(turns.map((ways) => widestChoice(ways, sets, effort)))
    const widestExit = largest(exits.map((ways) => widestChoice(ways, sets, effort)))
    byChoices[index] = at(byChoices, index) * widestTurn
    byCounting[index] = at(byCounting, index) * widestTurn
    for (const [to, ways] of exits.flat()) {
      const target = indexOf[to]
      raise(degrees, target, at(degrees, index))
      raise(byChoices, target, at(byChoices, index) * widestExit)
      add(byCounting, target, at(byCounting, index) * ways)
      if (!inOrder[target ?? 0]?.isLoop) raise(fixedRuns, target, at(fixedRuns, index) + 1)
    }
    if (!isLoop) continue
    for (const later of loopsSharingWords(automaton, index, components, effort)) {
      raise(degrees, later, at(degrees, index) + 1)
    }
  }
  const degree = inOrder.some(({ isLoop }) => isLoop) ? largest(degrees) : NO_LOOP
  const ways = largest(byChoices.map((amount, index) => Math.min(amount, at(byCounting, index))))
  return { degree, spread: Math.max(1, ways) * Math.max(1, largest(fixedRuns)) }
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

function at(values: readonly number[], index: number): number {
  return values[index] ?? 0
}

function add(values: number[], index: number | undefined, amount: number): void {
  if (index !== undefined) values[index] = at(values, index) + amount
}

function raise(values: number[], index: number | undefined, to: number): void {
  if (index !== undefined) values[index] = Math.max(at(values, index), to)
}
