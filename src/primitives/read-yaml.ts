// Reads YAML as JSON: the core schema of YAML 1.2 and no more. `no` and dates stay text, and tags, anchors, aliases and keys that
// are not strings are errors, so that every reader gets the same value and nothing is expanded.
import { FAILSAFE_SCHEMA, type LoaderState, load, Type, YAMLException } from 'js-yaml'

const MAX_DEPTH = 64

/** What is wrong with a YAML text, and where. */
export class YAMLError extends Error {
  /** The line of the text, from 1 on. */
  readonly line: number

  constructor(message: string, line: number) {
    super(message)
    this.line = line
  }
}

/** The value of one YAML document, `null` for an empty one. Throws `YAMLError` for what is no JSON, or could be read in two ways. */
export function readYAML(text: string): unknown {
  try {
    return release(load(text, { schema: CORE, maxDepth: MAX_DEPTH, listener: watch })) ?? null
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

  constructor(value: unknown, line: number) {
    this.value = value
    this.line = line
  }

  get [Symbol.toStringTag](): string {
    return 'Held'
  }

  toString(): string {
    throw new YAMLError('a key is not a string. Put it in quotes', this.line)
  }
}

function watch(event: 'open' | 'close', state: LoaderState): void {
  if (event === 'open') {
    refuseProperties(state)
  } else if (typeof state.result !== 'string' && !(state.result instanceof Held)) {
    const line = state.line + 1
    if (typeof state.result === 'number' && !Number.isFinite(state.result)) {
      throw new YAMLError('a number has no JSON form', line)
    }
    state.result = new Held(state.result, line)
  }
}

const SPACE_AND_COMMENTS = /(?:[ \t\r\n]|#[^\r\n]*)*/y
const PROPERTIES: ReadonlyMap<string, string> = new Map([
  ['!', 'a tag'],
  ['&', 'an anchor'],
  ['*', 'an alias'],
])

/** No value starts with one of these characters, but the properties of a node do. */
function refuseProperties({ input, position, line }: LoaderState): void {
  SPACE_AND_COMMENTS.lastIndex = position
  const skipped = SPACE_AND_COMMENTS.exec(input)?.[0] ?? ''
  const property = PROPERTIES.get(input.charAt(position + skipped.length))
  if (property === undefined) return
  throw new YAMLError(`${property} is not allowed`, line + 1 + (skipped.match(/\r\n?|\n/g)?.length ?? 0))
}

function release(node: unknown): unknown {
  const value = node instanceof Held ? node.value : node
  if (Array.isArray(value)) return value.map(release)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, release(member)]))
}
