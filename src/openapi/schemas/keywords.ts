// The keywords of a schema that hold no other schemas, each taken over only where its value is one that JSON Schema allows.
import { isPlainObject } from '../../primitives/json/objects.ts'
import { dangerOf } from '../../schema/pattern-danger.ts'
import type { OpenAPIVersion } from '../document/version.ts'

type Members = Record<string, unknown>

const TYPES: ReadonlySet<unknown> = new Set(['string', 'number', 'integer', 'boolean', 'array', 'object', 'null'])
const COUNTS = [
  ...['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties'],
  ...['minContains', 'maxContains'],
] as const
const FLAGS = ['uniqueItems', 'deprecated', 'readOnly', 'writeOnly'] as const
const TEXTS = ['title', 'contentMediaType', 'contentEncoding'] as const
const MAX_TEXT = 1_024
const MAX_KNOWN_PATTERNS = 4_096

/** Copies what is usable. `onDropped` is told what was not, where that changes which values fit. */
export function copyKeywords(
  from: Members,
  to: Members,
  version: OpenAPIVersion,
  onDropped: (what: string) => void,
): void {
  copyTypes(from, to, version)
  for (const key of TEXTS) if (typeof from[key] === 'string') to[key] = from[key]
  if (typeof from['description'] === 'string' && from['description'] !== '') {
    to['description'] = cutText(from['description'], MAX_TEXT)
  }
  for (const key of COUNTS) if (isCount(from[key])) to[key] = from[key]
  for (const key of FLAGS) if (from[key] === true) to[key] = true
  copyNumbers(from, to)
  copyFormat(from, to)
  copyPattern(from, to, onDropped)
  if (Object.hasOwn(from, 'default')) to['default'] = from['default']
  if (version !== '3.0' && Object.hasOwn(from, 'const')) to['const'] = from['const']
  if (Array.isArray(from['examples'])) to['examples'] = from['examples']
  else if (Object.hasOwn(from, 'example')) to['examples'] = [from['example']]
  copyDependencies(from, to)
}

/** At the end of a sentence where there is one in the last half, else between words. */
export function cutText(text: string, max: number): string {
  if (text.length <= max) return text
  const head = text.slice(0, max - 1)
  const sentence = Math.max(head.lastIndexOf('. '), head.lastIndexOf('.\n'), head.lastIndexOf('\n\n'))
  if (sentence > max / 2) return head.slice(0, sentence + 1).trimEnd()
  const word = head.lastIndexOf(' ')
  return `${head
    .slice(0, word > max / 2 ? word : undefined)
    .replace(/[\ud800-\udbff]$/, '')
    .trimEnd()}…`
}

function isCount(value: unknown): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0
}

function copyTypes(from: Members, to: Members, version: OpenAPIVersion): void {
  const given = Array.isArray(from['type']) ? from['type'] : [from['type']]
  // Swagger's `file` is left over in documents that were converted.
  const types = [...new Set(given.map((type) => (type === 'file' ? 'string' : type)).filter((type) => TYPES.has(type)))]
  const isNullable = from['nullable'] === true && version === '3.0'
  if (isNullable && types.length > 0 && !types.includes('null')) types.push('null')
  if (types.length > 0) to['type'] = types.length === 1 ? types[0] : types
  const { enum: values } = from
  if (!Array.isArray(values) || values.length === 0) return
  to['enum'] = isNullable && !values.includes(null) ? [...values, null] : values
}

/** In 3.0 an exclusive bound is a flag beside the bound. */
function copyNumbers(from: Members, to: Members): void {
  for (const [bound, exclusive] of [
    ['minimum', 'exclusiveMinimum'],
    ['maximum', 'exclusiveMaximum'],
  ] as const) {
    const value = from[bound]
    const edge = from[exclusive]
    if (edge === true && typeof value === 'number') to[exclusive] = value
    else if (typeof value === 'number') to[bound] = value
    if (typeof edge === 'number') to[exclusive] = edge
  }
  const { multipleOf } = from
  if (typeof multipleOf === 'number' && multipleOf > 0) to['multipleOf'] = multipleOf
}

function copyFormat(from: Members, to: Members): void {
  const { format } = from
  if (typeof format !== 'string' || format === '') return
  if (format === 'binary' || format === 'byte') to['contentEncoding'] = 'base64'
  else to['format'] = format
}

const problems = new Map<string, boolean>()

/** Whether a pattern can be matched in bounded time. Many documents use the same few over and over. */
export function isUsablePattern(source: string): boolean {
  const known = problems.get(source)
  if (known !== undefined) return known
  if (problems.size >= MAX_KNOWN_PATTERNS) problems.clear()
  let isUsable = source.length <= MAX_TEXT
  if (isUsable) {
    try {
      new RegExp(source, 'u')
      isUsable = dangerOf(source) === undefined
    } catch {
      isUsable = false
    }
  }
  problems.set(source, isUsable)
  return isUsable
}

function copyPattern(from: Members, to: Members, onDropped: (what: string) => void): void {
  const { pattern } = from
  if (typeof pattern !== 'string') return
  if (isUsablePattern(pattern)) to['pattern'] = pattern
  else onDropped('a pattern that cannot be checked')
}

function copyDependencies(from: Members, to: Members): void {
  const { dependentRequired } = from
  if (!isPlainObject(dependentRequired)) return
  const entries = Object.entries(dependentRequired).filter(([, names]) => isListOfNames(names))
  if (entries.length > 0) to['dependentRequired'] = Object.fromEntries(entries)
}

export function isListOfNames(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((name) => typeof name === 'string') && new Set(value).size === value.length
}
