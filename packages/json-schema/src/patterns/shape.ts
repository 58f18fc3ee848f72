// What the syntax tree of a pattern shows by itself, and the rewriting that makes the rest of the analysis simpler.
import { ANY_TEXT, type PatternTree, UnsafePattern } from './syntax.ts'

// Engines unroll counted repetitions; beyond this the pattern itself is the attack.
const MAX_UNROLLED_SIZE = 20_000

export function rejectHugeCounts(tree: PatternTree): void {
  if (unrolledSize(tree) > MAX_UNROLLED_SIZE) throw new UnsafePattern('repeats too often by count')
}

function unrolledSize(tree: PatternTree): number {
  if (tree.kind === 'repeat') {
    return unrolledSize(tree.body) * Math.max(1, Number.isFinite(tree.max) ? tree.max : tree.min)
  }
  return 1 + childrenOf(tree).reduce((sum, child) => sum + unrolledSize(child), 0)
}

function childrenOf(tree: PatternTree): readonly PatternTree[] {
  if (tree.kind === 'sequence') return tree.parts
  if (tree.kind === 'choice') return tree.options
  return tree.kind === 'repeat' || tree.kind === 'lookaround' ? [tree.body] : []
}

/** Whether anything repeats; a back-reference counts as a loop. */
function containsLoop(tree: PatternTree): boolean {
  if (tree.kind === 'backreference' || (tree.kind === 'repeat' && tree.max > 1)) return true
  return childrenOf(tree).some(containsLoop)
}

/** A match cannot fail in a loop that nothing follows: for a yes or no, `ab*` asks no more than `a`. */
export function withoutTrailingLoop(tree: PatternTree): PatternTree {
  if (tree.kind !== 'sequence') return tree
  const last = tree.parts.at(-1)
  if (last?.kind !== 'repeat' || last.body.kind !== 'set') return tree
  return sequence([...tree.parts.slice(0, -1), { ...last, max: last.min }])
}

/** Whether a match can only begin where the text does. */
export function startsAnchored(tree: PatternTree): boolean {
  if (tree.kind === 'assertion') return tree.isStart
  if (tree.kind === 'choice') return tree.options.every(startsAnchored)
  if (tree.kind !== 'sequence') return false
  const [first] = tree.parts
  return first !== undefined && startsAnchored(first)
}

/**
 * A plain pattern: one character class after another, at most one of which repeats more or less often; none of them where the
 * pattern may begin anywhere.
 */
export interface PlainPattern {
  /** Whether the length of the text matters: for what repeats, or for the place where the match begins. */
  readonly hasLoop: boolean
  /** How many characters there are outside of the loop. */
  readonly fixedLength: number
}

/** Most patterns are plain, and need no further analysis; `undefined` for those that are not. */
export function readPlain(tree: PatternTree): PlainPattern | undefined {
  if (tree.kind !== 'sequence') return undefined
  const isAnchored = startsAnchored(tree)
  let fixedLength = 0
  let loops = 0
  for (const part of tree.parts) {
    if (part.kind === 'assertion') continue
    if (part.kind === 'set') fixedLength += 1
    else if (part.kind !== 'repeat' || part.body.kind !== 'set') return undefined
    else if (part.min === part.max) fixedLength += part.max
    else loops += 1
  }
  if (!isAnchored) return loops === 0 ? { hasLoop: true, fixedLength } : undefined
  return loops <= 1 ? { hasLoop: loops === 1, fixedLength } : undefined
}

export interface Lookaround {
  readonly body: PatternTree
  /** Whether it is tried from more than one place of the text. */
  readonly isMoving: boolean
}

/** The lookarounds of a pattern, not those inside of them. */
export function findLookarounds(tree: PatternTree, isMoving = false): Lookaround[] {
  if (tree.kind === 'lookaround') return [{ body: tree.body, isMoving }]
  if (tree.kind === 'repeat') return findLookarounds(tree.body, isMoving || tree.max > 1)
  let isAfterLoop = isMoving
  return childrenOf(tree).flatMap((child) => {
    const found = findLookarounds(child, isAfterLoop)
    if (tree.kind === 'sequence' && child.kind !== 'lookaround' && containsLoop(child)) isAfterLoop = true
    return found
  })
}

/** A back-reference matches some text, and comparing it costs as a loop does. */
export function withoutBackreferences(tree: PatternTree, isRepeated = false): PatternTree {
  switch (tree.kind) {
    case 'backreference':
      if (isRepeated) throw new UnsafePattern('repeats a back-reference, which may take exponential time')
      return ANY_TEXT
    case 'sequence':
      return sequence(tree.parts.map((part) => withoutBackreferences(part, isRepeated)))
    case 'choice':
      return { kind: 'choice', options: tree.options.map((option) => withoutBackreferences(option, isRepeated)) }
    case 'repeat':
      return { ...tree, body: withoutBackreferences(tree.body, isRepeated || tree.max > 1) }
    default:
      return tree
  }
}

export function sequence(parts: readonly PatternTree[]): PatternTree {
  return { kind: 'sequence', parts }
}
