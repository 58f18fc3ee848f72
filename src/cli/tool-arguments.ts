// Arguments as they are written on a command line, as the tool wants them.
import type { JSONObject } from 'mcpwire/types'
import { isPlainObject } from '../primitives/objects.ts'
import { usageFailure } from './failure.ts'

export interface WrittenArguments {
  /** `key=value`, any number of them. */
  arg?: readonly string[]
  /** All of them as one JSON object. */
  args?: string | undefined
}

/** `schemaOf` is asked only where a value could be meant in two ways. */
export async function toToolArguments(
  written: WrittenArguments,
  schemaOf: () => Promise<{ properties?: Record<string, unknown> } | undefined>,
): Promise<JSONObject> {
  const given = written.args === undefined ? {} : parseObject(written.args)
  const pairs = written.arg ?? []
  if (pairs.length === 0) return given
  const properties = (await schemaOf())?.properties ?? {}
  const named = splitPairs(pairs).map(([key, text]) => {
    const schema = Object.hasOwn(properties, key) ? properties[key] : undefined
    return [key, isText(schema, text) ? text : parseValue(text)] as const
  })
  return { ...given, ...Object.fromEntries(named) } as JSONObject
}

/** The arguments of a prompt are all texts. */
export function toPromptArguments(written: WrittenArguments): Record<string, string> {
  const given = Object.entries(written.args === undefined ? {} : parseObject(written.args))
  const texts = given.map(([key, value]) => [key, typeof value === 'string' ? value : JSON.stringify(value)] as const)
  return Object.fromEntries([...texts, ...splitPairs(written.arg ?? [])])
}

function splitPairs(pairs: readonly string[]): [key: string, text: string][] {
  return pairs.map((pair) => {
    const at = pair.indexOf('=')
    if (at < 1) throw usageFailure(`--arg ${pair} is not of the form key=value`)
    return [pair.slice(0, at), pair.slice(at + 1)]
  })
}

function parseObject(text: string): JSONObject {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw usageFailure(`--args is not JSON: ${(cause as Error).message}`)
  }
  if (!isPlainObject(value)) throw usageFailure('--args must be a JSON object, as in \'{"city":"Oslo"}\'')
  return value as JSONObject
}

/** Numbers, `true`, lists and objects are written as JSON; all else is text. */
function parseValue(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** Where the tool wants text, or text or nothing, `12` and `true` are texts. */
function isText(schema: unknown, text: string): boolean {
  if (!isPlainObject(schema)) return false
  const types = [schema['type']].flat()
  if (text === 'null' && types.includes('null')) return false
  return types.includes('string') && types.every((type) => type === 'string' || type === 'null')
}
