// Reads YAML as JSON: the core schema of YAML 1.2 and no more. `no` and dates stay text, and tags, anchors, aliases and keys that
// are not strings are errors, so that every reader gets the same value and nothing is expanded. Large documents may use anchors,
// and numbers as keys; what their aliases expand to is bounded.
import { FAILSAFE_SCHEMA, type LoaderState, load, Type, YAMLException } from 'js-yaml'

const MAX_DEPTH = 64
/** Values that aliases and merge keys may add, however large the document is. */
const MAX_ADDED = 2_000_000

/** What is wrong with a YAML text, and where. */
export class YAMLError extends Error {
  /** The line of the text, from 1 on. */
  readonly line: number

  constructor(message: string, line: number) {
    super(message)
    this.line = line
  }
}

interface YAMLOptions {
  /** How deep values may nest (default: 64). */
  maxDepth?: number
  /**
   * Allows anchors, aliases, merge keys (`<<`) and keys that are no strings. Expanded, the document may have so many times the
   * values that are written in it (default: all of these are errors).
   */
  maxExpansion?: number
}

/** The value of one YAML document, `null` for an empty one. Throws `YAMLError` for what is no JSON, or could be read in two ways. */
export function readYAML(text: string, { maxDepth = MAX_DEPTH, maxExpansion }: YAMLOptions = {}): unknown {
  try {
    if (maxExpansion === undefined) return release(load(text, { schema: CORE, maxDepth, listener: watch })) ?? null
    return readExpanded(text, maxDepth, maxExpansion)
  } catch (error) {
    if (error instanceof YAMLException) throw new YAMLError(error.reason, (error.mark?.line ?? 0) + 1)
    throw error
  }
}

const NULL = /^(?:null|Null|NULL|~)$/
const BOOLEAN = /^(?:true|True|TRUE|false|False|FALSE)$/
const INTEGER = /^(?:[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+)$/
const FLOAT = /^(?:[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/

/** Of js-yaml's own core schema, numbers go further than the specification: `1_000` and `0b11` are text there. */
const CORE = FAILSAFE_SCHEMA.extend({
  implicit: [
    scalar('null', NULL, () => null),
    scalar('bool', BOOLEAN, (text) => text.toLowerCase() === 'true'),
    scalar('int', INTEGER, Number),
    // `.inf` and `.nan` are no numbers in JavaScript's spelling, nor in JSON's.
    scalar('float', FLOAT, Number),
  ],
})

function scalar(name: string, pattern: RegExp, construct: (text: string) => unknown): Type {
  return new Type(`tag:yaml.org,2002:${name}`, {
    kind: 'scalar',
    // js-yaml asks about empty nodes too, with `null`.
    resolve: (text: string | null) => text !== null && pattern.test(text),
    construct,
  })
}

/** A value that is no string. js-yaml makes a string of every key: of this one it can't. */
class Held {
  readonly value: unknown
  readonly line: number
  readonly #isKey: boolean

  constructor(value: unknown, line: number, isKey = false) {
    this.value = value
    this.line = line
    this.#isKey = isKey
  }

  get [Symbol.toStringTag](): string {
    return 'Held'
  }

  toString(): string {
    if (this.#isKey && typeof this.value !== 'object') return String(this.value)
    throw new YAMLError('a key is not a string. Put it in quotes', this.line)
  }
}

function watch(event: 'open' | 'close', state: LoaderState): void {
  if (event === 'open') refuseProperties(state, PROPERTIES)
  else hold(state, false)
}

function hold(state: LoaderState, isKey: boolean): void {
  if (typeof state.result === 'string' || state.result instanceof Held) return
  const line = state.line + 1
  if (typeof state.result === 'number' && !Number.isFinite(state.result)) {
    throw new YAMLError('a number has no JSON form', line)
  }
  state.result = new Held(state.result, line, isKey)
}

function readExpanded(text: string, maxDepth: number, maxExpansion: number): unknown {
  let written = 0
  const listener = (event: 'open' | 'close', state: LoaderState) => {
    if (event === 'close') {
      hold(state, true)
      return
    }
    written += 1
    refuseProperties(state, TAGS)
  }
  const loaded = load(text, { schema: CORE, maxDepth, listener })
  return new Expansion(maxDepth, Math.min(written * maxExpansion, written + MAX_ADDED)).release(loaded, 0) ?? null
}

const MERGE = '<<'

/** Aliases become copies, so that whoever walks the value meets no more of it than was counted here. */
class Expansion {
  readonly #maxDepth: number
  readonly #max: number
  #count = 0

  constructor(maxDepth: number, max: number) {
    this.#maxDepth = maxDepth
    this.#max = max
  }

  release(node: unknown, depth: number): unknown {
    this.#count += 1
    const value = node instanceof Held ? node.value : node
    if (typeof value !== 'object' || value === null) return value
    const line = node instanceof Held ? node.line : 1
    if (this.#count > this.#max) throw new YAMLError('its aliases expand to too much', line)
    if (depth >= this.#maxDepth) throw new YAMLError(`it nests deeper than ${this.#maxDepth} levels`, line)
    if (Array.isArray(value)) return value.map((item) => this.release(item, depth + 1))
    const entries = Object.entries(value).map(([key, member]) => [key, this.release(member, depth + 1)] as const)
    if (!Object.hasOwn(value, MERGE)) return Object.fromEntries(entries)
    const all = merged(entries)
    this.#count += all.length
    if (this.#count > this.#max) throw new YAMLError('its aliases expand to too much', line)
    return Object.fromEntries(all)
  }
}

/** The members of what `<<` names come first, so that those beside it replace them. */
function merged(entries: readonly (readonly [string, unknown])[]): (readonly [string, unknown])[] {
  const given = entries.find(([key]) => key === MERGE)?.[1]
  const sources = (Array.isArray(given) ? given : [given]).filter(
    (source) => typeof source === 'object' && source !== null,
  )
  return [
    ...sources.reverse().flatMap((source) => Object.entries(source as object)),
    ...entries.filter(([key]) => key !== MERGE),
  ]
}

const SPACE_AND_COMMENTS = /(?:[ \t\r\n]|#[^\r\n]*)*/y
const PROPERTIES: ReadonlyMap<string, string> = new Map([
  ['!', 'a tag'],
  ['&', 'an anchor'],
  ['*', 'an alias'],
])

const TAGS: ReadonlyMap<string, string> = new Map([['!', 'a tag']])

/** No value starts with one of these characters, but the properties of a node do. */
function refuseProperties({ input, position, line }: LoaderState, refused: ReadonlyMap<string, string>): void {
  SPACE_AND_COMMENTS.lastIndex = position
  const skipped = SPACE_AND_COMMENTS.exec(input)?.[0] ?? ''
  const property = refused.get(input.charAt(position + skipped.length))
  if (property === undefined) return
  throw new YAMLError(`${property} is not allowed`, line + 1 + (skipped.match(/\r\n?|\n/g)?.length ?? 0))
}

function release(node: unknown): unknown {
  const value = node instanceof Held ? node.value : node
  if (Array.isArray(value)) return value.map(release)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, release(member)]))
}
