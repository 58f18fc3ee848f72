// Parses an RFC 6570 template, once, and reports exactly where it is wrong.

import { NOT_ASCII } from '../characters.ts'
import { withHelp } from '../help.ts'

/** What the operator of an expression decides (RFC 6570, appendix A). */
export interface Operator {
  /** Written before the first value; a reader knows the expression by it. */
  readonly lead: string
  readonly separator: string
  /** Values are written as `name=value`. */
  readonly isNamed: boolean
  /** What follows a name whose value is empty. */
  readonly afterEmptyName: string
  /** Reserved characters stay as they are; everywhere else they are percent-encoded. */
  readonly keepsReserved: boolean
}

export interface Variable {
  readonly name: string
  /** `*`: a list is written item by item. */
  readonly isExploded: boolean
  /** `:n`: only so many characters of the value. */
  readonly prefixLength: number | undefined
}

export interface Expression {
  readonly operator: Operator
  readonly variables: readonly Variable[]
}

/** A template is literal text, as an expansion writes it, and expressions. */
export type TemplatePart = string | Expression

/** The text is no URI template that can be used; `position` is the index of the first character at fault. */
export class UriTemplateError extends Error {
  /** The page about this error in the package. */
  declare readonly help?: string
  /** Where in the template the mistake is, counted in characters from 0. */
  readonly position: number

  constructor(problem: string, position: number) {
    super(`Invalid URI template at position ${position}: ${problem}`)
    this.name = 'UriTemplateError'
    this.position = position
    withHelp('bad-uri-template', this)
  }
}

const MAX_TEMPLATE_LENGTH = 8192
/** Bounds the expressions too, since none is without a variable. */
const MAX_VARIABLES = 256

const SIMPLE: Operator = { lead: '', separator: ',', isNamed: false, afterEmptyName: '', keepsReserved: false }
const OPERATORS: ReadonlyMap<string, Operator> = new Map([
  ['+', { ...SIMPLE, keepsReserved: true }],
  ['#', { ...SIMPLE, lead: '#', keepsReserved: true }],
  ['.', { ...SIMPLE, lead: '.', separator: '.' }],
  ['/', { ...SIMPLE, lead: '/', separator: '/' }],
  [';', { ...SIMPLE, lead: ';', separator: ';', isNamed: true }],
  ['?', { ...SIMPLE, lead: '?', separator: '&', isNamed: true, afterEmptyName: '=' }],
  ['&', { ...SIMPLE, lead: '&', separator: '&', isNamed: true, afterEmptyName: '=' }],
])

const NO_LITERAL = /[^!-~\u{A0}-\u{D7FF}\u{E000}-\u{10FFFF}]|["<>\\^`|]|%(?![0-9A-Fa-f]{2})/u
const NAME = /^(?:\w|%[0-9A-Fa-f]{2})+(?:\.(?:\w|%[0-9A-Fa-f]{2})+)*$/
const PREFIX_LENGTH = /^[1-9][0-9]{0,3}$/

/** Throws a `UriTemplateError` for what RFC 6570 does not allow, and for a template past our limits. */
export function parseTemplate(template: string): TemplatePart[] {
  if (template.length > MAX_TEMPLATE_LENGTH) {
    throw new UriTemplateError(`a template has at most ${MAX_TEMPLATE_LENGTH} characters`, MAX_TEMPLATE_LENGTH)
  }
  const parts: TemplatePart[] = []
  let variables = 0
  let position = 0
  while (position < template.length) {
    const opening = indexOrEnd(template, '{', position)
    if (opening > position) parts.push(parseLiteral(template.slice(position, opening), position))
    if (opening === template.length) break
    const closing = template.indexOf('}', opening)
    if (closing === -1) throw new UriTemplateError('the expression is not closed', opening)
    const expression = parseExpression(template.slice(opening + 1, closing), opening + 1)
    variables += expression.variables.length
    if (variables > MAX_VARIABLES)
      throw new UriTemplateError(`a template has at most ${MAX_VARIABLES} variables`, opening)
    parts.push(expression)
    position = closing + 1
  }
  return parts
}

function parseLiteral(text: string, position: number): string {
  const closing = text.indexOf('}')
  if (closing !== -1) throw new UriTemplateError("a '}' closes nothing", position + closing)
  const misplaced = text.search(NO_LITERAL)
  if (misplaced !== -1) throw new UriTemplateError('this character must be percent-encoded', position + misplaced)
  return text.replace(NOT_ASCII, encodeURIComponent)
}

function parseExpression(text: string, position: number): Expression {
  if (text === '') throw new UriTemplateError('the expression is empty', position)
  const operator = OPERATORS.get(text.charAt(0))
  if (operator !== undefined) return { operator, variables: parseVariables(text.slice(1), position + 1) }
  if ('=,!@|'.includes(text.charAt(0))) throw new UriTemplateError('this operator is reserved', position)
  return { operator: SIMPLE, variables: parseVariables(text, position) }
}

function parseVariables(text: string, position: number): Variable[] {
  let at = position
  return text.split(',').map((specification) => {
    const variable = parseVariable(specification, at)
    at += specification.length + 1
    return variable
  })
}

function parseVariable(text: string, position: number): Variable {
  const isExploded = text.endsWith('*')
  const colon = text.indexOf(':')
  const name = isExploded ? text.slice(0, -1) : text.slice(0, colon === -1 ? text.length : colon)
  if (!NAME.test(name)) {
    throw new UriTemplateError('a variable name has letters, digits, underscores and single inner dots', position)
  }
  if (isExploded || colon === -1) return { name, isExploded, prefixLength: undefined }
  const length = text.slice(colon + 1)
  if (!PREFIX_LENGTH.test(length)) throw new UriTemplateError('a prefix has 1 to 9999 characters', position + colon + 1)
  return { name, isExploded, prefixLength: Number(length) }
}

function indexOrEnd(text: string, character: string, from: number): number {
  const index = text.indexOf(character, from)
  return index === -1 ? text.length : index
}

/** The first characters of a text, counted as Unicode does: a surrogate pair is one and is never cut. */
export function takeCharacters(text: string, count: number): string {
  if (text.length <= count) return text
  return Array.from(text.slice(0, 2 * count))
    .slice(0, count)
    .join('')
}

/** The text with upper-case digits in its percent-encoded bytes, the form in which two of them compare. */
export function upperCasePercents(text: string): string {
  return text.includes('%') ? text.replace(/%[0-9A-Fa-f]{2}/g, (triplet) => triplet.toUpperCase()) : text
}

/** The text with its percent-encoded bytes decoded, once; `undefined` where they are not valid UTF-8. */
export function decodePercents(text: string): string | undefined {
  if (!text.includes('%')) return text
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
