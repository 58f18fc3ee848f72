// The arguments of a call, as they are typed: `a=1`, `a:=json`, `a=@file`, `a.b=1`, and `--args` with all of them.
import type { JSONObject } from 'mcpwire/types'
import { EXIT } from '../terminal/exit-codes.ts'
import { Failure, usageFailure } from '../terminal/failure.ts'
import { suggest } from '../terminal/nearest.ts'
import { isPlainObject } from '../terminal/primitives.ts'
import { showLine } from '../terminal/terminal-text.ts'
import { readValue } from './read-value.ts'
import { propertiesOf, resolveRef, type Schema, takesOtherNames, typesOf } from './schema-types.ts'

export interface WrittenArguments {
  /** `key=value`, any number of them. */
  readonly pairs: readonly string[]
  /** All of them as one JSON object, `@file`, or `-` for stdin. */
  readonly whole?: string | undefined
}

export interface ReadArgumentsOptions {
  /** The JSON Schema of all arguments. */
  readonly schema: Schema
  /** For messages: how the tool is called. */
  readonly signature: string
}

const MAX_FILE_BYTES = 16 * 1024 * 1024

/** One pair, taken apart. */
interface Pair {
  path: string[]
  text: string
  isJSON: boolean
  /** As it was typed: the text itself, `@file` or `@-`. */
  typed: string
}

export async function readArguments(written: WrittenArguments, options: ReadArgumentsOptions): Promise<JSONObject> {
  const given =
    written.whole === undefined ? {} : parseWhole(await readSource(written.whole, '--args', true), written.whole)
  const pairs: Pair[] = []
  for (const word of written.pairs) pairs.push(await readPair(word, options.schema))
  const result = given as Record<string, unknown>
  for (const [key, group] of groupByKey(pairs)) setMember(result, key, group, options)
  return result as JSONObject
}

async function readPair(word: string, schema: Schema): Promise<Pair> {
  const at = word.indexOf('=')
  if (at < 1 || word.slice(0, at) === ':') {
    throw invalid(`"${showLine(word)}" is not of the form key=value.`, 'Write key=value, key:=json or key=@file.')
  }
  const isJSON = word[at - 1] === ':'
  const key = word.slice(0, isJSON ? at - 1 : at)
  const typed = word.slice(at + 1)
  const hasWholeName = propertiesOf(schema, schema).has(key)
  const path = hasWholeName ? [key] : key.split('.')
  if (path.some((part) => part === '')) throw invalid(`The key of "${showLine(word)}" has an empty part.`)
  return { path, text: await readSource(typed, key, false), isJSON, typed }
}

/** The text itself, or of `@file`, or of stdin. */
async function readSource(text: string, what: string, takesDash: boolean): Promise<string> {
  if (text === '@-' || (takesDash && text === '-')) return (await readStdin()).replace(/\r?\n$/, '')
  if (!text.startsWith('@')) return text
  const path = text.slice(1)
  const { decodeText, readContents } = await loadFiles()
  const contents = await readContents(path, MAX_FILE_BYTES)
  if (contents === undefined) {
    throw invalid(
      `The file ${showLine(path)} of ${nameOf(what)} does not exist.`,
      takesDash ? 'Check the path.' : `For text that begins with @, write ${showLine(what)}:='"@…"'.`,
    )
  }
  return decodeText(path, contents.bytes)
}

async function readStdin(): Promise<string> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of process.stdin) {
    chunks.push(chunk as Buffer)
    length += (chunk as Buffer).length
    if (length > MAX_FILE_BYTES) throw invalid(`stdin has more than ${MAX_FILE_BYTES} bytes.`)
  }
  return (await loadFiles()).decodeText('stdin', Buffer.concat(chunks))
}

/** Most calls read no file. */
function loadFiles() {
  return import('../files/regular-file.ts')
}

function parseWhole(text: string, typed: string): JSONObject {
  const value = parseJSON(text, '--args', typed)
  if (!isPlainObject(value)) throw invalid('--args is not a JSON object.', 'Example: --args \'{"city":"Oslo"}\'')
  return value as JSONObject
}

function parseJSON(text: string, what: string, typed: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch (cause) {
    throw invalid(`${asStart(nameOf(what))} is not JSON: ${showLine((cause as Error).message)}`, whereToLook(typed))
  }
}

/** An option, or an argument of the tool. */
function nameOf(what: string): string {
  return what.startsWith('--') ? what : `the argument "${showLine(what)}"`
}

function asStart(text: string): string {
  return text.replace(/^the/, 'The')
}

function whereToLook(typed: string): string {
  if (typed === '-' || typed === '@-') return 'Check what stdin has.'
  return typed.startsWith('@') ? `Check the file ${showLine(typed.slice(1))}.` : 'Check the quotes of the shell.'
}

/** Pairs by their first key, in the order of their first mention. */
function groupByKey(pairs: readonly Pair[]): Map<string, Pair[]> {
  const groups = new Map<string, Pair[]>()
  for (const pair of pairs) {
    const [key = ''] = pair.path
    groups.set(key, [...(groups.get(key) ?? []), pair])
  }
  return groups
}

interface Place extends ReadArgumentsOptions {
  /** The whole schema, for references. */
  readonly root?: unknown
  /** `address.` within an object. */
  readonly prefix?: string
}

function setMember(target: Record<string, unknown>, key: string, pairs: readonly Pair[], place: Place): void {
  const { schema, root = schema, prefix = '', signature } = place
  const name = `${prefix}${key}`
  const properties = propertiesOf(schema, root)
  if (properties.size > 0 && !properties.has(key) && !takesOtherNames(schema)) {
    const known = [...properties.keys()].map((each) => `${prefix}${each}`)
    throw invalid(
      `There is no argument "${showLine(name)}".${suggest(name, known, showLine)}`,
      `Its arguments are: ${signature}`,
    )
  }
  const own = resolveRef(properties.get(key) ?? {}, root)
  const nested = pairs.filter(({ path }) => path.length > 1)
  const direct = pairs.filter(({ path }) => path.length === 1)
  if (nested.length > 0 && direct.length > 0) {
    throw invalid(`"${showLine(name)}" is given both as a whole and by its parts.`)
  }
  if (nested.length > 0) {
    const inner = Object.hasOwn(target, key) && isPlainObject(target[key]) ? { ...target[key] } : {}
    const rest = groupByKey(nested.map(({ path, ...pair }) => ({ ...pair, path: path.slice(1) })))
    for (const [part, group] of rest) setMember(inner, part, group, { ...place, schema: own, root, prefix: `${name}.` })
    define(target, key, inner)
    return
  }
  define(target, key, readDirect(name, direct, own, root, signature))
}

/** Own, whatever its name is: `__proto__` is a key like any other. */
function define(target: Record<string, unknown>, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, enumerable: true, writable: true, configurable: true })
}

function readDirect(name: string, pairs: readonly Pair[], schema: Schema, root: unknown, signature: string): unknown {
  const isList = typesOf(schema).includes('array')
  if (isList) {
    const items = pairs.map((pair) => readItem(name, pair, schema, root, signature, pairs.length === 1))
    const [only] = items
    return items.length === 1 && Array.isArray(only?.whole) ? only.whole : items.map(({ item }) => item)
  }
  const [first, second] = pairs
  if (second !== undefined && typesOf(schema).length > 0)
    throw invalid(`The argument "${showLine(name)}" is given twice.`)
  const values = pairs.map((pair) => readOne(name, pair, schema, root, signature))
  return first === undefined || second === undefined ? values[0] : values
}

interface ReadItem {
  item?: unknown
  /** A JSON array that is the whole list. */
  whole?: unknown
}

/** One of several values of a list, or the list as JSON. */
function readItem(
  name: string,
  pair: Pair,
  schema: Schema,
  root: unknown,
  signature: string,
  isOnly: boolean,
): ReadItem {
  if (isOnly && (pair.isJSON || pair.text.trimStart().startsWith('['))) {
    const whole = pair.isJSON ? parseJSON(pair.text, name, pair.typed) : tryJSON(pair.text)
    if (Array.isArray(whole)) return { whole }
    if (pair.isJSON) return { item: whole }
  }
  return { item: readOne(name, pair, resolveRef(schema['items'] ?? {}, root), root, signature) }
}

function readOne(
  name: string,
  { text, isJSON, typed }: Pair,
  schema: Schema,
  root: unknown,
  signature: string,
): unknown {
  if (isJSON) return parseJSON(text, name, typed)
  const read = readValue(text, schema, root)
  if ('value' in read) return read.value
  throw invalid(`The argument "${showLine(name)}" ${read.problem}.`, `Its arguments are: ${signature}`)
}

function tryJSON(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

/** Nothing was called. */
export function invalid(message: string, hint?: string): Failure {
  if (hint === undefined) return usageFailure(message)
  return new Failure(message, { slug: 'invalid-arguments', exitCode: EXIT.usage, hint })
}
