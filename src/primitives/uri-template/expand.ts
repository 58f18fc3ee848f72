// Writes the values of variables into a template (RFC 6570, section 3).
import { typeError } from '../help.ts'
import { describeKind } from '../options.ts'
import { type Expression, type Operator, parseTemplate, takeCharacters, type Variable } from './parse.ts'

/** What a variable may hold: a string, a list, or an associative array. Undefined members do not count. */
export type UriTemplateValue = string | readonly string[] | { readonly [key: string]: string | undefined }

/** The values of the variables of a URI template, by name. A variable without a value is left out. */
export interface UriTemplateVariables {
  readonly [name: string]: UriTemplateValue | undefined
}

/** The two forms that every value is brought into: a string, or items that may have keys. */
type Normalized = string | { key: string | undefined; value: string }[]

const LONE_SURROGATES = /[\u{D800}-\u{DFFF}]/gu
const LEFT_BY_ENCODE_URI_COMPONENT = /[!'()*]/g
const NEITHER_RESERVED_NOR_UNRESERVED = /%(?![0-9A-Fa-f]{2})|[^\w\-.~:/?#[\]@!$&'()*+,;=%]+/gu

/**
 * Expands a URI template (RFC 6570, all levels) with the values of its variables: the URI of a resource, from the
 * `uriTemplate` of a resource template. Variables that are absent, and empty lists, are left out. Lone surrogates become U+FFFD.
 * Throws `UriTemplateError` for what is no template, and `TypeError` for a value that is no string, array or object of strings.
 */
export function expandUriTemplate(text: string, variables: UriTemplateVariables): string {
  const parts = parseTemplate(text)
  return parts.map((part) => (typeof part === 'string' ? part : expandExpression(part, variables))).join('')
}

function expandExpression({ operator, variables: wanted }: Expression, variables: UriTemplateVariables): string {
  const pieces: string[] = []
  for (const variable of wanted) {
    const value = normalize(variable, variables)
    if (value !== undefined) pieces.push(expandVariable(operator, variable, value))
  }
  return pieces.length === 0 ? '' : operator.lead + pieces.join(operator.separator)
}

function normalize({ name, prefixLength }: Variable, variables: UriTemplateVariables): Normalized | undefined {
  const value: unknown = Object.hasOwn(variables, name) ? variables[name] : undefined
  if (value === undefined || value === null) return undefined
  if (typeof value === 'string') return value
  const what = `The URI template variable '${name}'`
  if (typeof value !== 'object') {
    throw typeError('wrong-argument', `${what} must be a string, an array or an object, not ${describeKind(value)}.`)
  }
  if (prefixLength !== undefined) {
    throw typeError(
      'wrong-argument',
      `${what} must be a string, not ${describeKind(value)}, because the template takes a prefix of it.`,
    )
  }
  const isList = Array.isArray(value)
  const items: { key: string | undefined; value: string }[] = []
  for (const [key, item] of Object.entries<unknown>(value as Record<string, unknown>)) {
    if (item === undefined || item === null) continue
    if (typeof item !== 'string')
      throw typeError('wrong-argument', `${what} must hold strings only, not ${describeKind(item)}.`)
    items.push({ key: isList ? undefined : key, value: item })
  }
  return items.length === 0 ? undefined : items
}

function expandVariable(operator: Operator, variable: Variable, value: Normalized): string {
  const write = (text: string) => encode(text, operator.keepsReserved)
  if (typeof value === 'string') {
    const text = takeCharacters(value, variable.prefixLength ?? value.length)
    return operator.isNamed ? nameAndValue(operator, variable.name, write(text)) : write(text)
  }
  if (!variable.isExploded) {
    const list = value.flatMap((item) => (item.key === undefined ? [item.value] : [item.key, item.value]))
    const text = list.map(write).join(',')
    return operator.isNamed ? nameAndValue(operator, variable.name, text) : text
  }
  return value.map((item) => expandItem(operator, variable, item.key, item.value, write)).join(operator.separator)
}

function expandItem(
  operator: Operator,
  variable: Variable,
  key: string | undefined,
  value: string,
  write: (text: string) => string,
): string {
  if (operator.isNamed) return nameAndValue(operator, key === undefined ? variable.name : write(key), write(value))
  return key === undefined ? write(value) : `${write(key)}=${write(value)}`
}

function nameAndValue(operator: Operator, name: string, text: string): string {
  return text === '' ? name + operator.afterEmptyName : `${name}=${text}`
}

function encode(text: string, keepsReserved: boolean): string {
  // A lone surrogate has no UTF-8 form; it is written as U+FFFD.
  const wellFormed = text.replace(LONE_SURROGATES, '\uFFFD')
  if (keepsReserved) return wellFormed.replace(NEITHER_RESERVED_NOR_UNRESERVED, encodeURIComponent)
  return encodeURIComponent(wellFormed).replace(LEFT_BY_ENCODE_URI_COMPONENT, percentEncode)
}

function percentEncode(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`
}
