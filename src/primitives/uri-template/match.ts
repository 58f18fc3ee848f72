// Matches a URI against a template in linear time, with no regular expression made from either.
import { LONE_SURROGATE, NOT_ASCII } from '../characters.ts'
import {
  decodePercents,
  type Expression,
  type Operator,
  takeCharacters,
  upperCasePercents,
  type Variable,
} from './parse.ts'
import { findFirst, findLast, type Run, type Section, type Sections } from './sections.ts'

/** A longer URI matches nothing. Counted in its ASCII form. */
const MAX_URI_LENGTH = 65_536

const PRINTABLE_ASCII = /^[ -~]*$/

/** The values of the variables, or `undefined` where the template cannot have written this URI. Never throws. */
export function matchTemplate(sections: Sections, uri: string): UriTemplateMatch | undefined {
  const text = toComparableUri(uri)
  if (text === undefined) return undefined
  const { path, query, fragment } = sections
  // A component that the template does not have stays with the one before it, where `{+path}` may hold it.
  const fragmentStart = fragment === undefined ? text.length : indexOrEnd(text, '#', text.length)
  const queryStart = query === undefined ? fragmentStart : indexOrEnd(text, '?', fragmentStart)
  const captures = new Captures()
  if (!readSection(path, text.slice(0, queryStart), captures)) return undefined
  if (query !== undefined && !readSection(query, text.slice(queryStart, fragmentStart), captures)) return undefined
  if (fragment !== undefined && !readSection(fragment, text.slice(fragmentStart), captures)) return undefined
  return captures.toMatch()
}

/** The URI in ASCII and with upper-case percent-encoding; `undefined` where that is not valid or the URI too long. */
function toComparableUri(uri: string): string | undefined {
  if (uri.length > MAX_URI_LENGTH) return undefined
  const ascii = PRINTABLE_ASCII.test(uri) ? uri : toAscii(uri)
  if (ascii === undefined || ascii.length > MAX_URI_LENGTH || decodePercents(ascii) === undefined) return undefined
  return upperCasePercents(ascii)
}

function toAscii(uri: string): string | undefined {
  return LONE_SURROGATE.test(uri) ? undefined : uri.replace(NOT_ASCII, encodeURIComponent)
}

/**
 * Cuts the text at the literals and reads what lies between. Each run before the pivot ends where the literal after it
 * first occurs, each run after the pivot begins where the literal before it last occurs; nothing is tried twice.
 */
function readSection({ literals, runs, pivot }: Section, text: string, captures: Captures): boolean {
  const head = literals[0]?.text ?? ''
  const tail = literals[runs.length]?.text ?? ''
  if (runs.length === 0) return text === head
  if (text.length < head.length + tail.length || !text.startsWith(head) || !text.endsWith(tail)) return false

  const spans: string[] = []
  let start = head.length
  let end = text.length - tail.length
  for (const [index, needle] of literals.slice(1, pivot + 1).entries()) {
    const at = findFirst(needle, text, start, end)
    if (at === -1) return false
    spans[index] = text.slice(start, at)
    start = at + needle.text.length
  }
  for (let index = runs.length - 1; index > pivot; index--) {
    const needle = literals[index]
    const at = needle === undefined ? -1 : findLast(needle, text, start, end)
    if (needle === undefined || at === -1) return false
    spans[index] = text.slice(at + needle.text.length, end)
    end = at
  }
  spans[pivot] = text.slice(start, end)
  return runs.every((run, index) => readRun(run, spans[index] ?? '', captures))
}

/**
 * Divides a text between neighbours: a character that is the lead of a later expression begins that expression. Of
 * two without a lead, as in `{a}{b}`, the first takes everything.
 */
function readRun({ expressions, nextByLead }: Run, text: string, captures: Captures): boolean {
  if (expressions.length === 1) return readOne(0, text)
  let current = expressions[0]?.operator.lead === '' ? 0 : -1
  let start = 0
  for (let at = 0; at < text.length; at++) {
    const next = nextByLead[current + 1]?.get(text.charAt(at))
    if (next === undefined) {
      if (current === -1) return false
      continue
    }
    if (!readOne(current, text.slice(start, at))) return false
    current = next
    start = at
  }
  return readOne(current, text.slice(start))

  function readOne(index: number, span: string): boolean {
    const expression = expressions[index]
    return expression === undefined ? span === '' : readValues(expression, span, captures)
  }
}

function indexOrEnd(text: string, mark: string, end: number): number {
  const index = text.indexOf(mark)
  return index === -1 || index > end ? end : index
}

/** The values that a URI gives the variables of a template: a list where the variable is exploded, else a string. */
export interface UriTemplateMatch {
  [name: string]: string | string[]
}

interface Capture {
  readonly value: string | string[]
  /** How many characters of the whole value this can be; infinite where there is no prefix modifier. */
  readonly length: number
}

/** Collects values, and sees to it that a variable that occurs twice has one value. */
class Captures {
  readonly #captures = new Map<string, Capture>()

  /** False when the variable already has a value that this one contradicts. */
  add({ name, prefixLength }: Variable, value: string | string[]): boolean {
    const added = { value, length: prefixLength ?? Number.POSITIVE_INFINITY }
    const known = this.#captures.get(name)
    if (known === undefined || known.length < added.length) this.#captures.set(name, added)
    return known === undefined || (known.length < added.length ? isPartOf(known, added) : isPartOf(added, known))
  }

  toMatch(): UriTemplateMatch {
    // Without a prototype, so that no variable name means anything but itself.
    const match: UriTemplateMatch = Object.create(null)
    for (const [name, { value }] of this.#captures) match[name] = value
    return match
  }
}

/** Whether the expression can have written `text`, its lead included; then the values are among the captures. */
function readValues(expression: Expression, text: string, captures: Captures): boolean {
  const { lead, separator, isNamed } = expression.operator
  if (lead !== '' && text === '') return true
  if (!text.startsWith(lead)) return false
  const pieces = text.slice(lead.length).split(separator)
  return isNamed ? readNamed(expression, pieces, captures) : readInOrder(expression, pieces, captures)
}

/** Values without names: an exploded variable leaves a piece for each one after it, the last takes what is left. */
function readInOrder({ operator, variables }: Expression, pieces: string[], captures: Captures): boolean {
  let taken = 0
  for (const [index, variable] of variables.entries()) {
    if (taken === pieces.length) return true
    const variablesAfter = variables.length - 1 - index
    const takesMany = variable.isExploded || variablesAfter === 0
    const end = takesMany ? Math.max(taken + 1, pieces.length - variablesAfter) : taken + 1
    if (!capture(operator, variable, pieces.slice(taken, end), captures)) return false
    taken = end
  }
  return true
}

/** Named values come in any order, the first of a name counts, and a query may hold names that are not ours. */
function readNamed({ operator, variables }: Expression, pieces: string[], captures: Captures): boolean {
  const found = new Map<string, string[]>()
  for (const { name } of variables) found.set(upperCasePercents(name), [])
  for (const piece of pieces) {
    const equals = piece.indexOf('=')
    const texts = found.get(equals === -1 ? piece : piece.slice(0, equals))
    if (texts !== undefined) texts.push(equals === -1 ? '' : piece.slice(equals + 1))
    else if (!isQuery(operator)) return false
  }
  return variables.every((variable) => {
    const texts = found.get(upperCasePercents(variable.name)) ?? []
    if (texts.length === 0) return true
    return capture(operator, variable, variable.isExploded ? texts : texts.slice(0, 1), captures)
  })
}

function capture(operator: Operator, variable: Variable, pieces: string[], captures: Captures): boolean {
  if (variable.isExploded) {
    const items = decodeItems(operator, pieces)
    return items !== undefined && captures.add(variable, items)
  }
  const value = decodeValue(operator, pieces.join(operator.separator))
  if (value === undefined) return false
  const { prefixLength } = variable
  if (prefixLength !== undefined && takeCharacters(value, prefixLength) !== value) return false
  return captures.add(variable, value)
}

function decodeItems(operator: Operator, pieces: string[]): string[] | undefined {
  // Nothing at all, where there is not even a lead, is a list without items.
  if (operator.lead === '' && pieces.length === 1 && pieces[0] === '') return []
  const items: string[] = []
  for (const piece of pieces) {
    const item = decodeValue(operator, piece)
    if (item === undefined) return undefined
    items.push(item)
  }
  return items
}

function decodeValue(operator: Operator, text: string): string | undefined {
  return hasForeignDelimiter(operator, text) ? undefined : decodePercents(text)
}

/** Whether the text runs into another component of the URI than the one the operator writes in. */
function hasForeignDelimiter(operator: Operator, text: string): boolean {
  if (operator.keepsReserved) return false
  return isQuery(operator) ? text.includes('#') : /[/?#]/.test(text)
}

function isQuery(operator: Operator): boolean {
  return operator.separator === '&'
}

function isPartOf(part: Capture, whole: Capture): boolean {
  if (typeof part.value === 'string' && typeof whole.value === 'string') {
    return takeCharacters(whole.value, part.length) === part.value
  }
  const { value } = whole
  if (typeof part.value === 'string' || typeof value === 'string') return false
  return part.value.length === value.length && part.value.every((item, index) => item === value[index])
}
