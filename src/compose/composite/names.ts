// The names that components get where several sources stand behind one server.
import { rangeError, typeError } from '../../primitives/help.ts'
import { assertCount, checkKeys, describeKind, type KnownKeys } from '../../primitives/options.ts'
import { sha256 } from '../../primitives/sha256.ts'
import { quote } from '../../schema/json-schema.ts'

/** What stands between a namespace and a name. */
export type NameSeparator = '_' | '__' | '-' | '.'

/** How the components of several sources are named. */
export interface NamingOptions {
  /** Between namespace and name (default: `_`). Some model APIs take no `.` in names. */
  separator?: NameSeparator | undefined
  /** Characters of a tool's or prompt's name, 16 to 128 (default: 64, the limit of most model APIs). Longer ones end in a digest. */
  maxLength?: number | undefined
  /**
   * `keep` leaves URIs as they are, so that links in results go on working (default). `prefix` puts the namespace into each of them:
   * `notes://today` becomes `notes://ns/today`.
   */
  resources?: 'keep' | 'prefix' | undefined
  /**
   * What happens to a tool or prompt whose name another source has already: `omit` leaves the newer one out and reports it
   * (default), `prefix` gives it the name of its source in front.
   */
  onCollision?: 'omit' | 'prefix' | undefined
  /** Tells clients where each component comes from, in `_meta['mcpwire/source']` (default: `false`). */
  origin?: boolean | undefined
}

export const NAMING_KEYS: KnownKeys<NamingOptions> = {
  separator: 'string',
  maxLength: true,
  resources: 'string',
  onCollision: 'string',
  origin: 'boolean',
}

export interface Naming {
  readonly separator: NameSeparator
  readonly maxLength: number
  readonly resources: 'keep' | 'prefix'
  readonly onCollision: 'omit' | 'prefix'
  readonly origin: boolean
}

const SEPARATORS: readonly unknown[] = ['_', '__', '-', '.']
/** Spec, Tools: the characters of a name. */
const NAMESPACE = /^[A-Za-z0-9_.-]+$/
const MAX_NAMESPACE = 48
const MIN_LENGTH = 16
const MAX_LENGTH = 128
const DIGEST_LENGTH = 6

/** The options with their defaults. Throws `TypeError` and `RangeError` for wrong ones. */
export function readNaming(owner: string, options: NamingOptions = {}): Naming {
  checkKeys(`${owner}: naming`, options, NAMING_KEYS)
  const { separator = '_', maxLength = 64, resources = 'keep', onCollision = 'omit', origin = false } = options
  requireOneOf(owner, 'separator', separator, SEPARATORS)
  requireOneOf(owner, 'resources', resources, ['keep', 'prefix'])
  requireOneOf(owner, 'onCollision', onCollision, ['omit', 'prefix'])
  assertCount('naming.maxLength', maxLength, MIN_LENGTH)
  if (maxLength > MAX_LENGTH)
    throw rangeError('wrong-option', `The option naming.maxLength of ${owner} is at most ${MAX_LENGTH}.`)
  return { separator, maxLength, resources, onCollision, origin }
}

function requireOneOf(owner: string, option: string, value: unknown, allowed: readonly unknown[]): void {
  if (allowed.includes(value)) return
  const list = allowed.map((one) => `'${one}'`).join(', ')
  throw rangeError(
    'wrong-option',
    `The option naming.${option} of ${owner} must be one of ${list}, not ${JSON.stringify(value)}.`,
  )
}

/** Throws for what can't be a namespace. `owner` says where it was given. */
export function checkNamespace(owner: string, namespace: unknown): void {
  if (typeof namespace !== 'string')
    throw typeError('bad-name', `The namespace of ${owner} must be a string, not ${describeKind(namespace)}.`)
  if (NAMESPACE.test(namespace) && namespace.length <= MAX_NAMESPACE) return
  const allowed = `1 to ${MAX_NAMESPACE} letters, digits, "_", "-" and "."`
  throw rangeError('bad-name', `The namespace ${quote(namespace)} of ${owner} can't be used. It takes ${allowed}.`)
}

/** The whole name, of any length. */
export function joinName(namespace: string | undefined, name: string, { separator }: Naming): string {
  return namespace === undefined ? name : `${namespace}${separator}${name}`
}

/** The name itself if it is short enough; else its start and a digest of the whole: the same one after every restart. */
export function cutName(name: string, maxLength: number): string {
  if (name.length <= maxLength) return name
  const start = name.slice(0, maxLength - DIGEST_LENGTH - 1)
  // Half of a surrogate pair is no text.
  const whole = /[\uD800-\uDBFF]$/.test(start) ? start.slice(0, -1) : start
  return `${whole}_${digestOf(name)}`
}

const BASE_32 = 'abcdefghijklmnopqrstuvwxyz234567'

function digestOf(name: string): string {
  let [bits, digest] = [0n, '']
  for (const byte of sha256(new TextEncoder().encode(name)).subarray(0, 4)) bits = (bits << 8n) | BigInt(byte)
  for (let at = 0; at < DIGEST_LENGTH; at += 1) digest += BASE_32[Number((bits >> BigInt(27 - 5 * at)) & 31n)]
  return digest
}
