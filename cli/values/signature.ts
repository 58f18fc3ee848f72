// Signatures of tools and prompts in the notation of TypeScript: `order(item: "book" | "pen", count?: integer, to: {…})`.
import type { Prompt, Tool } from 'mcpwire'
import { showLine } from '../terminal/terminal-text.ts'
import {
  alternativesOf,
  choicesOf,
  propertiesOf,
  requiredOf,
  resolveRef,
  type Schema,
  typesOf,
} from './schema-types.ts'

const MAX_CHOICES = 6
const MAX_TYPE_LENGTH = 120

export interface SignatureOptions {
  /** How many levels of objects are written out (default: 0, `{…}`). */
  depth?: number
}

export function signatureOf({ name, inputSchema }: Tool, options: SignatureOptions = {}): string {
  return `${showLine(name)}(${parametersOf(inputSchema as Schema, inputSchema, options.depth ?? 0)})`
}

export function promptSignature({ name, arguments: list = [] }: Prompt): string {
  const names = list.map((each) => `${showLine(each.name)}${each.required === true ? '' : '?'}: string`)
  return `${showLine(name)}(${names.join(', ')})`
}

function parametersOf(schema: Schema, root: unknown, depth: number): string {
  const required = requiredOf(schema)
  return [...propertiesOf(schema, root)]
    .map(([name, property]) => `${showName(name)}${required.has(name) ? '' : '?'}: ${showType(property, root, depth)}`)
    .join(', ')
}

/** The type of one value, for people. */
export function showType(schema: unknown, root: unknown, depth = 0): string {
  const shown = showLine(typeText(resolveRef(schema, root), root, depth))
  return shown.length > MAX_TYPE_LENGTH ? `${shown.slice(0, MAX_TYPE_LENGTH - 1)}…` : shown
}

function typeText(schema: Schema, root: unknown, depth: number): string {
  const alternatives = alternativesOf(schema, root)
  if (alternatives.length > 1 || alternatives[0] !== schema) {
    return union(alternatives.map((each) => typeText(each, root, depth)))
  }
  const choices = choicesOf(schema)
  if (choices !== undefined) return union(choices.map((value) => JSON.stringify(value) ?? 'null'))
  const types = typesOf(schema)
  if (types.length > 1) return union(types.map((type) => typeText({ ...schema, type }, root, depth)))
  const [type] = types
  if (type === 'array') return arrayText(schema, root, depth)
  const isObject = type === 'object' || (type === undefined && Object.hasOwn(schema, 'properties'))
  if (isObject) return objectText(schema, root, depth)
  return type ?? 'any'
}

function objectText(schema: Schema, root: unknown, depth: number): string {
  if (depth < 1) return '{…}'
  const members = parametersOf(schema, root, depth - 1)
  return members === '' ? '{…}' : `{ ${members} }`
}

function arrayText(schema: Schema, root: unknown, depth: number): string {
  const { items, prefixItems } = schema
  if (Array.isArray(prefixItems)) return `[${prefixItems.map((item) => showType(item, root, depth)).join(', ')}]`
  const item = typeText(resolveRef(items ?? {}, root), root, depth)
  return item.includes(' | ') ? `(${item})[]` : `${item}[]`
}

function union(parts: readonly string[]): string {
  const different = [...new Set(parts)]
  const shown = different.slice(0, MAX_CHOICES).join(' | ')
  return different.length > MAX_CHOICES ? `${shown} | …` : shown === '' ? 'any' : shown
}

function showName(name: string): string {
  const shown = showLine(name)
  return /^[\p{L}_$][\p{L}\p{N}_$.-]*$/u.test(shown) ? shown : JSON.stringify(shown)
}
