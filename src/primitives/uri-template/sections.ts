// Prepares a parsed template for matching: by URI component, and in each by the literals that hold its expressions apart.
import type { Expression, TemplatePart } from './parse.ts'
import { createNeedle, type Needle } from './search.ts'
import { upperCasePercents } from './text.ts'

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
