// Prepares a parsed template for matching: by URI component, and in each by the literals that hold its expressions apart.
import { type Expression, type TemplatePart, upperCasePercents } from './parse.ts'

/** Expressions that stand side by side with no literal between them. */
export interface Run {
  readonly expressions: readonly Expression[]
  /** By index of an expression plus one, for each character: the next expression that has it as its lead. */
  readonly nextByLead: readonly ReadonlyMap<string, number>[]
}

/** One component of a URI: `literals[0] runs[0] literals[1] runs[1] … literals[n]`. */
export interface Section {
  readonly literals: readonly Needle[]
  readonly runs: readonly Run[]
  /** The run that takes what is left once those before it were read from the start and those after it from the end. */
  readonly pivot: number
}

/** The components of a template; those it does not have are `undefined`. */
export interface Sections {
  readonly path: Section
  readonly query: Section | undefined
  readonly fragment: Section | undefined
}

/** Divides a template where its own text or an operator begins a query or a fragment. */
export function divideTemplate(parts: readonly TemplatePart[]): Sections {
  const [beforeFragment, fragment] = divideAt('#', parts)
  const [path, query] = divideAt('?', beforeFragment)
  return {
    path: createSection(path),
    query: query.length === 0 ? undefined : createSection(query),
    fragment: fragment.length === 0 ? undefined : createSection(fragment),
  }
}

function divideAt(mark: '?' | '#', parts: readonly TemplatePart[]): [TemplatePart[], TemplatePart[]] {
  for (const [index, part] of parts.entries()) {
    if (typeof part !== 'string') {
      if (part.operator.lead === mark) return [parts.slice(0, index), parts.slice(index)]
      continue
    }
    const at = part.indexOf(mark)
    if (at === -1) continue
    const before = at === 0 ? [] : [part.slice(0, at)]
    return [
      [...parts.slice(0, index), ...before],
      [part.slice(at), ...parts.slice(index + 1)],
    ]
  }
  return [[...parts], []]
}

function createSection(parts: readonly TemplatePart[]): Section {
  const literals = ['']
  const runs: Expression[][] = []
  let run: Expression[] | undefined
  for (const part of parts) {
    if (typeof part === 'string') {
      literals[runs.length] = part
      run = undefined
    } else if (run === undefined) {
      run = [part]
      runs.push(run)
      literals.push('')
    } else {
      addToRun(run, part)
    }
  }
  const firstOpen = runs.findIndex((expressions) => expressions.some(isOpen))
  return {
    literals: literals.map((literal) => createNeedle(upperCasePercents(literal))),
    runs: runs.map(createRun),
    pivot: firstOpen === -1 ? runs.length - 1 : firstOpen,
  }
}

/** `{?a}{&b}` is read as `{?a,b}`, so that its names may come in any order. */
function addToRun(run: Expression[], expression: Expression): void {
  const last = run.at(-1)
  if (last === undefined || last.operator.separator !== '&' || expression.operator.lead !== '&') {
    run.push(expression)
    return
  }
  run[run.length - 1] = { operator: last.operator, variables: [...last.variables, ...expression.variables] }
}

function createRun(expressions: readonly Expression[]): Run {
  const nextByLead: ReadonlyMap<string, number>[] = [new Map()]
  for (let index = expressions.length - 1; index >= 0; index--) {
    const lead = expressions[index]?.operator.lead
    const later = nextByLead[0]
    nextByLead.unshift(lead ? new Map(later).set(lead, index) : new Map(later))
  }
  return { expressions, nextByLead }
}

/** Whether the text of an expression can hold the delimiters of its component. */
function isOpen({ operator, variables }: Expression): boolean {
  if (operator.keepsReserved || operator.separator === '&') return true
  return operator.separator === '/' && (variables.length > 1 || variables.some((variable) => variable.isExploded))
}

/** A text to look for, with what Knuth, Morris and Pratt need to know of it in both directions. */
interface Needle {
  readonly text: string
  readonly forward: Direction
  readonly backward: Direction
}

interface Direction {
  readonly text: string
  /** For each prefix: how long its longest proper prefix is that is also its suffix. */
  readonly borders: Int32Array
}

export function createNeedle(text: string): Needle {
  return { text, forward: createDirection(text), backward: createDirection(Array.from(text).reverse().join('')) }
}

/** Where the needle first starts within `[start, end)`; -1 where it does not occur. */
export function findFirst(needle: Needle, text: string, start: number, end: number): number {
  const taken = search(needle.forward, text, start, 1, end - start)
  return taken === -1 ? -1 : start + taken - needle.text.length
}

/** Where the needle last starts within `[start, end)`; -1 where it does not occur. */
export function findLast(needle: Needle, text: string, start: number, end: number): number {
  const taken = search(needle.backward, text, end - 1, -1, end - start)
  return taken === -1 ? -1 : end - taken
}

/** How many characters had to be read until the needle was complete; -1 when `count` were not enough. */
function search(needle: Direction, text: string, from: number, step: 1 | -1, count: number): number {
  let matched = 0
  for (let taken = 0; taken < count; taken++) {
    const code = text.charCodeAt(from + taken * step)
    matched = advance(needle, matched, code)
    if (matched === needle.text.length) return taken + 1
  }
  return -1
}

function createDirection(text: string): Direction {
  const direction = { text, borders: new Int32Array(text.length) }
  for (let length = 1; length < text.length; length++) {
    direction.borders[length] = advance(direction, direction.borders[length - 1] ?? 0, text.charCodeAt(length))
  }
  return direction
}

function advance({ text, borders }: Direction, matched: number, code: number): number {
  let length = matched
  while (length > 0 && text.charCodeAt(length) !== code) length = borders[length - 1] ?? 0
  return text.charCodeAt(length) === code ? length + 1 : length
}
