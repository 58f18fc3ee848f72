// A typed word as the value that a schema wants: `5` is a number where a number is wanted, and text where text is.
import { showLine } from '../terminal/terminal-text.ts'
import { alternativesOf, choicesOf, resolveRef, type Schema, typesOf } from './schema-types.ts'
import { showType } from './signature.ts'

export type ReadValue = { readonly value: unknown } | { readonly problem: string }

const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i

/** `root` is the whole schema, for references in the one of this value. */
export function readValue(text: string, schema: unknown, root: unknown): ReadValue {
  const resolved = resolveRef(schema, root)
  const alternatives = alternativesOf(resolved, root)
  // What is text for one and something else for another is the something else: `5` of `string | number` is a number.
  for (const each of [...alternatives].sort((a, b) => Number(wantsText(a)) - Number(wantsText(b)))) {
    const read = readAs(text, each)
    if ('value' in read) return read
  }
  return { problem: `must be of type ${showType(resolved, root, 1)}, not ${showLine(JSON.stringify(text))}` }
}

function wantsText(schema: Schema): boolean {
  return typesOf(schema).includes('string')
}

function readAs(text: string, schema: Schema): ReadValue {
  const choices = choicesOf(schema)
  if (choices !== undefined) {
    const found = choices.find((choice) => choice === text || JSON.stringify(choice) === text)
    return found === undefined ? { problem: '' } : { value: found }
  }
  const types = typesOf(schema)
  if (types.length === 0) return { value: fromJSON(text) ?? text }
  const read = [...types]
    .sort((a, b) => Number(a === 'string') - Number(b === 'string'))
    .map((type) => readType(text, type))
    .find((each) => each !== undefined)
  return read ?? { problem: '' }
}

function readType(text: string, type: string): { value: unknown } | undefined {
  switch (type) {
    case 'string':
      return { value: text }
    case 'number':
      return NUMBER.test(text) && Number.isFinite(Number(text)) ? { value: Number(text) } : undefined
    case 'integer':
      return NUMBER.test(text) && Number.isInteger(Number(text)) ? { value: Number(text) } : undefined
    case 'boolean':
      if (/^(?:true|yes|y)$/i.test(text)) return { value: true }
      return /^(?:false|no|n)$/i.test(text) ? { value: false } : undefined
    case 'null':
      return text === 'null' || text === '' ? { value: null } : undefined
    case 'array':
    case 'object': {
      const value = fromJSON(text)
      const isFit = type === 'array' ? Array.isArray(value) : isObject(value)
      return isFit ? { value } : undefined
    }
    default:
      return { value: fromJSON(text) ?? text }
  }
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** `undefined` for what is no JSON. */
function fromJSON(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}
