// The text of a configuration file: JSON as people write it, with comments and trailing commas, and nothing looser than that.
import { createScanner, type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser'
import { brokenAt } from '../../files/broken-file.ts'

export type { Node }
export { brokenAt }

export interface ConfigDocument {
  /** For messages. */
  readonly path: string
  readonly text: string
  /** An object. */
  readonly root: Node
}

/** The parser calls itself for each level; hosts nest a handful. */
const MAX_DEPTH = 100

const PROBLEMS: Partial<Record<string, string>> = {
  InvalidSymbol: 'this is not JSON',
  InvalidNumberFormat: 'a number is malformed',
  PropertyNameExpected: 'a property name in double quotes is missing',
  ValueExpected: 'a value is missing',
  ColonExpected: 'a colon is missing',
  CommaExpected: 'a comma is missing',
  CloseBraceExpected: 'a closing brace is missing',
  CloseBracketExpected: 'a closing bracket is missing',
  EndOfFileExpected: 'something follows the end of the object',
  UnexpectedEndOfComment: 'a comment does not end',
  UnexpectedEndOfString: 'a string does not end',
  UnexpectedEndOfNumber: 'a number does not end',
  InvalidUnicode: 'an escape in a string is malformed',
  InvalidEscapeCharacter: 'an escape in a string is malformed',
  InvalidCharacter: 'a string contains a control character',
}

/** Parses or fails with the place of the first fault. A text of nothing but comments and space counts as an empty object. */
export function parseConfig(path: string, text: string): ConfigDocument {
  rejectDepth(path, text)
  const errors: ParseError[] = []
  const root = parseTree(text, errors, { allowTrailingComma: true, allowEmptyContent: true })
  const [first] = errors.sort((a, b) => a.offset - b.offset)
  if (first !== undefined) throw brokenAt({ path, text }, first.offset, describeParseError(first, text))
  if (root === undefined) return parseConfig(path, withEmptyObject(text))
  if (root.type !== 'object') throw brokenAt({ path, text }, root.offset, 'the top level is not an object')
  rejectDuplicates({ path, text, root }, root)
  return { path, text, root }
}

/** The value of a property, by its own name only. */
export function memberOf(object: Node | undefined, key: string): Node | undefined {
  return propertyOf(object, key)?.children?.[1]
}

export function propertyOf(object: Node | undefined, key: string): Node | undefined {
  if (object?.type !== 'object') return undefined
  return object.children?.find((property) => property.children?.[0]?.value === key)
}

export function keysOf(object: Node | undefined): string[] {
  return object?.type === 'object'
    ? (object.children ?? []).map((property) => String(property.children?.[0]?.value))
    : []
}

/** The object under a key, if there is one; anything else there fails. */
export function serversUnder(document: ConfigDocument, key: string): Node | undefined {
  const servers = memberOf(document.root, key)
  if (servers === undefined || servers.type === 'object') return servers
  throw brokenAt(document, servers.offset, `'${key}' is not an object`)
}

/** A node as a plain value. `fromEntries` makes `__proto__` a property like any other. */
export function toValue(node: Node): unknown {
  if (node.type === 'array') return (node.children ?? []).map(toValue)
  if (node.type !== 'object') return node.value
  return Object.fromEntries(
    (node.children ?? []).flatMap(({ children: [key, value] = [] }) =>
      key && value ? [[String(key.value), toValue(value)]] : [],
    ),
  )
}

function withEmptyObject(text: string): string {
  const comments = text.trimEnd()
  return comments === '' ? '{}\n' : `${comments}\n{}\n`
}

function describeParseError(error: ParseError, text: string): string {
  const what = PROBLEMS[printParseErrorCode(error.error)] ?? 'it is not JSON'
  // The end of the error tells a string that was cut off from one that lacks its quote in mid-file.
  const isCut = text.slice(error.offset + error.length).trim() === '' && !what.startsWith('something')
  return isCut ? `${what}, and the file ends there, as if only a part of it had been written` : what
}

function rejectDepth(path: string, text: string): void {
  const scanner = createScanner(text, true)
  let depth = 0
  for (scanner.scan(); scanner.getTokenOffset() < text.length; scanner.scan()) {
    const start = text.charAt(scanner.getTokenOffset())
    if (start === '{' || start === '[') depth += 1
    else if (start === '}' || start === ']') depth -= 1
    if (depth > MAX_DEPTH) {
      throw brokenAt({ path, text }, scanner.getTokenOffset(), `it is nested deeper than ${MAX_DEPTH} levels`)
    }
  }
}

/** Programs do not agree on which of two counts, so an edit could change the one that nobody reads. */
function rejectDuplicates(document: ConfigDocument, node: Node): void {
  const seen = new Set<unknown>()
  for (const child of node.children ?? []) {
    if (child.type === 'property') {
      const key = child.children?.[0]?.value
      if (seen.has(key)) throw brokenAt(document, child.offset, 'this object has the key twice')
      seen.add(key)
    }
    rejectDuplicates(document, child)
  }
}
