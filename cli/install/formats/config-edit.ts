// Changes single properties in the text of a configuration file; comments, order, indentation and line ends stay as they are.
import { isDeepStrictEqual } from 'node:util'
import { createScanner } from 'jsonc-parser'
import { Failure } from '../../terminal/failure.ts'
import { type ConfigDocument, memberOf, type Node, parseConfig, propertyOf, toValue } from './config-text.ts'

export interface ConfigEdit {
  /** Names of properties from the top down. */
  path: readonly [string, ...string[]]
  /** `undefined` removes the property. */
  value: unknown
}

interface Style {
  lineEnd: string
  indent: string
}

/** The document with the edits made, one after the other. Objects on the way that are missing are added. */
export function editConfig(document: ConfigDocument, edits: readonly ConfigEdit[]): ConfigDocument {
  let edited = document
  let expected = toValue(document.root)
  for (const edit of edits) {
    edited = parseConfig(document.path, editText(edited, edit))
    expected = withEdit(expected, edit.path, asRead(edit.value))
  }
  // These files belong to others: better no change than one that has touched anything else.
  if (!isDeepStrictEqual(toValue(edited.root), expected)) {
    throw new Failure(`${document.path} has a layout that cannot be edited safely. Nothing was changed.`, {
      hint: 'Change the file by hand.',
    })
  }
  return edited
}

function editText({ text, root }: ConfigDocument, { path, value }: ConfigEdit): string {
  let parent = root
  for (const [index, key] of path.entries()) {
    const rest = path.slice(index + 1)
    const node = memberOf(parent, key)
    if (node?.type === 'object' && rest.length > 0) {
      parent = node
      continue
    }
    if (value === undefined) return node === undefined || rest.length > 0 ? text : remove(text, parent, key)
    const wrapped = rest.reduceRight<unknown>((inner, name) => Object.fromEntries([[name, inner]]), value)
    return node === undefined ? insert(text, parent, key, wrapped) : replace(text, node, wrapped)
  }
  return text
}

function replace(text: string, node: Node, value: unknown): string {
  const json = isOneLine(text) ? JSON.stringify(value) : format(value, indentAt(text, node.offset), styleOf(text))
  return text.slice(0, node.offset) + json + text.slice(endOf(node))
}

function insert(text: string, object: Node, key: string, value: unknown): string {
  const children = object.children ?? []
  const [first, last] = [children[0], children.at(-1)]
  const close = endOf(object) - 1
  const name = `${JSON.stringify(key)}: `
  const style = styleOf(text)
  const outer = indentAt(text, object.offset)
  // What stands before the closing brace may be a comment about the last property, which the new one must not take over.
  const tail = text.slice(0, close).trimEnd().length
  if (first === undefined || last === undefined) {
    if (isOneLine(text) && object.parent !== undefined) return splice(text, close, close, name + JSON.stringify(value))
    const inner = outer + style.indent
    const line = style.lineEnd + inner + name + format(value, inner, style)
    return splice(text, tail, close, line + style.lineEnd + outer)
  }
  const comma = commaBetween(text, endOf(last), close)
  if (isOneLine(text.slice(object.offset, close))) {
    const at = comma === undefined ? endOf(last) : comma + 1
    return splice(text, at, at, `${comma === undefined ? ', ' : ' '}${name}${JSON.stringify(value)}`)
  }
  const inner = startsLine(text, first.offset) ? indentAt(text, first.offset) : outer + style.indent
  const line = style.lineEnd + inner + name + format(value, inner, style)
  const longer = splice(text, tail, tail, comma === undefined ? line : `${line},`)
  return comma === undefined ? splice(longer, endOf(last), endOf(last), ',') : longer
}

function remove(text: string, object: Node, key: string): string {
  const property = propertyOf(object, key)
  const children = object.children ?? []
  if (property === undefined) return text
  const { offset } = property
  const previous = children[children.indexOf(property) - 1]
  const next = commaBetween(text, endOf(property), endOf(object) - 1)
  let shorter: string
  let at = offset
  if (next !== undefined) {
    shorter = splice(splice(text, next, next + 1, ''), offset, endOf(property), '')
  } else {
    shorter = splice(text, offset, endOf(property), '')
    const before = previous && commaBetween(text, endOf(previous), offset)
    if (before !== undefined) {
      shorter = splice(shorter, before, before + 1, '')
      at -= 1
    }
  }
  return withoutBlank(shorter, at)
}

/** What a removed property leaves of its line: nothing, if it had the line to itself. */
function withoutBlank(text: string, at: number): string {
  const start = text.lastIndexOf('\n', at - 1) + 1
  const end = text.indexOf('\n', at)
  if (end !== -1 && text.slice(start, end).trim() === '') return splice(text, start, end + 1, '')
  const blank = /^[ \t]*/.exec(text.slice(at))?.[0].length ?? 0
  return splice(text, at, at + blank, '')
}

function commaBetween(text: string, start: number, end: number): number | undefined {
  const scanner = createScanner(text, true)
  scanner.setPosition(start)
  scanner.scan()
  const offset = scanner.getTokenOffset()
  return offset < end && text[offset] === ',' ? offset : undefined
}

function styleOf(text: string): Style {
  return {
    lineEnd: text.includes('\r\n') ? '\r\n' : '\n',
    indent: /\n([ \t]+)"/.exec(text)?.[1] ?? '  ',
  }
}

function format(value: unknown, indent: string, style: Style): string {
  return JSON.stringify(value, undefined, style.indent).replaceAll('\n', style.lineEnd + indent)
}

function indentAt(text: string, offset: number): string {
  return /^[ \t]*/.exec(text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset))?.[0] ?? ''
}

function startsLine(text: string, offset: number): boolean {
  return text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset).trim() === ''
}

function isOneLine(text: string): boolean {
  return !text.trimEnd().includes('\n')
}

function endOf(node: Node): number {
  return node.offset + node.length
}

function splice(text: string, start: number, end: number, inserted: string): string {
  return text.slice(0, start) + inserted + text.slice(end)
}

/** A value as it comes back from a file. */
function asRead(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value))
}

function withEdit(value: unknown, [key, ...rest]: readonly string[], next: unknown): unknown {
  if (key === undefined) return next
  const members = new Map(typeof value === 'object' && value !== null ? Object.entries(value) : [])
  if (next === undefined && !members.has(key)) return value
  const member = withEdit(members.get(key), rest, next)
  if (member === undefined) members.delete(key)
  else members.set(key, member)
  return Object.fromEntries(members)
}
