// Adds to an explanation what came, where its words leave that out. Only for whoever sent it, and only a little of it.
import { isPlainObject } from '../primitives/objects.ts'
import { count, type Issue, labelOf, quote, typeName } from '../schema/issue.ts'
import { ownMember } from '../wire/own.ts'
import { soundsDelicate } from './mirrored-secrets.ts'

/** Words that say what came, or that nothing did. */
const TELLS = /\b(?:got|received|was|missing|unknown|unrecognized)\b/i

/** The issue, with what the arguments have in its place: `size: expected one of "S", "M", got "XXL"`. */
export function tellReceived(issue: Issue, args: unknown): Issue {
  const { message, path, keyword } = issue
  // The arguments as a whole always are an object.
  if (path.length === 0) return issue
  const value = valueAt(args, path)
  const shown = path.some((key) => soundsDelicate(String(key))) ? typeName(value) : show(value)
  const ending = `, got ${typeName(value)}`
  if ((keyword === 'enum' || keyword === 'const') && message.endsWith(ending)) {
    return { ...issue, message: `${message.slice(0, -ending.length)}, got ${shown}` }
  }
  const words = message.slice(labelOf(path).length).replace(/"(?:[^"\\]|\\.)*"/g, '')
  return TELLS.test(words) ? issue : { ...issue, message: `${message} (got ${shown})` }
}

function valueAt(args: unknown, path: Issue['path']): unknown {
  let value = args
  for (const key of path) value = Array.isArray(value) ? value[Number(key)] : ownMember(value, String(key))
  return value
}

function show(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (typeof value === 'string') return quote(value)
  if (Array.isArray(value)) return `an array of ${count(value.length, 'item')}`
  return isPlainObject(value) ? 'an object' : String(value)
}
