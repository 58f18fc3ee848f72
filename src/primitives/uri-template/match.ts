// Matches a URI against a template in linear time, with no regular expression made from either.
import { LONE_SURROGATE, NOT_ASCII } from '../characters.ts'
import { findFirst, findLast } from './search.ts'
import type { Run, Section, Sections } from './sections.ts'
import { decodePercents, upperCasePercents } from './text.ts'
import { Captures, readValues, type UriTemplateMatch } from './values.ts'

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
