// Checks at registration: names and uris, patterns that can block the process, and secrets that would be sent in headers.

import { CONTROL_CHARACTER } from '../../primitives/characters.ts'
import { withHelp } from '../../primitives/help.ts'
import { loading } from '../../primitives/loading.ts'
import { escapePointer, quote } from '../../schema/json-schema.ts'
import { isPromptName, isToolName, MAX_PROMPT_NAME, TOOL_NAME_RULE } from '../../wire/component-names.ts'
import type { HeaderAnnotation } from '../../wire/headers/header-annotations.ts'
import type { Host } from '../handlers/host.ts'

const ABSOLUTE_URI = /^[A-Za-z][A-Za-z0-9+.-]*:\S*$/

/** Throws `RangeError` for names that no tool can have. */
export function checkToolName(name: string): void {
  if (isToolName(name)) return
  throw withHelp('bad-name', new RangeError(`A tool can't be named ${showName(name)}. ${TOOL_NAME_RULE}`))
}

/** Throws `RangeError` for names that no prompt can have. */
export function checkPromptName(name: string): void {
  if (isPromptName(name)) return
  throw withHelp(
    'bad-name',
    new RangeError(`A prompt can't be named ${showName(name)}. Use 1 to ${MAX_PROMPT_NAME} printable characters.`),
  )
}

/** Spec, Resources: a uri is absolute, as in RFC 3986. */
export function checkResourceUri(uri: string): void {
  if (typeof uri === 'string' && ABSOLUTE_URI.test(uri) && !CONTROL_CHARACTER.test(uri)) return
  throw withHelp(
    'bad-uri',
    new RangeError(`A resource can't have the uri ${showName(uri)}. Use an absolute uri, as in "notes://today".`),
  )
}

const SCHEME_PART = /^[A-Za-z0-9+.-]*$/
const PART_OF_TEMPLATE = /\{([+#./;?&]?)[^}]*\}|[^{}]+/g

/**
 * Spec, Resources: a template expands to an absolute uri. Throws `RangeError` if it never can. The scheme may be part of a value,
 * as in `{+uri}` or `{scheme}://{id}`. Expects a template that has been parsed.
 */
export function checkUriTemplate(text: string): void {
  const mayBeAbsolute = canStartWithScheme(text) && !/\s/.test(text) && !CONTROL_CHARACTER.test(text)
  if (mayBeAbsolute) return
  throw withHelp(
    'bad-uri-template',
    new RangeError(
      `A resource can't have the uri template ${showName(text)}. Use a template of absolute uris, as in "notes://{id}".`,
    ),
  )
}

/** Reads the parts while they can belong to a scheme, up to the `:` after it. */
function canStartWithScheme(text: string): boolean {
  let isEmpty = true
  for (const [part, operator] of text.matchAll(PART_OF_TEMPLATE)) {
    // The values of all other expressions have their `:` encoded.
    if (operator === '+') return true
    const isLiteral = operator === undefined
    const colon = isLiteral ? part.indexOf(':') : -1
    const head = isLiteral ? part.slice(0, colon === -1 ? undefined : colon) : operator
    if (!SCHEME_PART.test(head) || (isEmpty && head !== '' && !/^[A-Za-z]/.test(head))) return false
    isEmpty &&= isLiteral && head === ''
    if (colon !== -1) return !isEmpty
  }
  return false
}

function showName(name: unknown): string {
  return typeof name === 'string' ? quote(name) : typeof name
}

/** Keywords of JSON Schema whose values are data, even where these look like schemas. */
export const DATA_KEYWORDS: ReadonlySet<string> = new Set(['const', 'default', 'enum', 'examples'])
/** Many tools share patterns, for example those of ids. */
const MAX_KNOWN = 256
const known = new Map<string, string | undefined>()

/** Reports each pattern of the schema that is rejected in a JSON Schema because matching it can take exponential time. */
export function reportSlowPatterns({ server }: Host, owner: string, schema: object): void {
  const path: string[] = []
  const found: { readonly source: string; readonly place: string }[] = []
  findPatterns(schema, path, (source) => {
    found.push({ source, place: ['#', ...path.map(escapePointer)].join('/') })
  })
  if (found.length === 0) return
  const reporting = loading(import('../../schema/pattern-danger.ts')).then(({ dangerOf }) => {
    for (const { source, place } of found) {
      const danger = patternDanger(source, dangerOf)
      if (danger === undefined) continue
      const message =
        `The pattern ${quote(source)} at ${place} in the input of ${owner} ${danger}, so that one text from a caller can ` +
        'block the whole process. Simplify the pattern.'
      server.faults.report({ kind: 'configuration-warning', message })
    }
  })
  server.startsAfter(reporting)
}

function patternDanger(source: string, dangerOf: (source: string) => string | undefined): string | undefined {
  if (known.has(source)) return known.get(source)
  if (known.size >= MAX_KNOWN) known.clear()
  const danger = dangerOf(source)
  known.set(source, danger)
  return danger
}

/** Calls `onFound` for each pattern of the author. Patterns beside a `format` are the library's own. */
function findPatterns(schema: object, path: string[], onFound: (source: string) => void): void {
  for (const key of Object.keys(schema)) {
    const value = (schema as Record<string, unknown>)[key]
    path.push(key)
    if (key === 'pattern' && typeof value === 'string') {
      if (!('format' in schema)) onFound(value)
    } else if (typeof value === 'object' && value !== null && !DATA_KEYWORDS.has(key)) {
      if (key === 'patternProperties') Object.keys(value).forEach(onFound)
      findPatterns(value, path, onFound)
    }
    path.pop()
  }
}

const SENSITIVE_WORDS: ReadonlySet<string> = new Set([
  ...['password', 'passwd', 'pwd', 'passphrase', 'passcode', 'pin', 'otp', 'secret', 'token', 'jwt', 'bearer'],
  ...['credential', 'credentials', 'authorization', 'cookie', 'apikey', 'privatekey', 'signature'],
  ...['ssn', 'iban', 'email', 'phone', 'birthday', 'birthdate', 'passport', 'cvv', 'cvc'],
])
/** Pairs of words that are harmless alone. */
const SENSITIVE_PAIRS: ReadonlySet<string> = new Set([
  ...['api key', 'access key', 'private key', 'signing key', 'encryption key'],
  ...['credit card', 'card number', 'account number', 'social security', 'phone number', 'birth date'],
])

/** The path of the first annotated argument that looks like a secret or personal data, as `login.password`. */
export function findMirroredSecret(annotations: readonly HeaderAnnotation[]): string | undefined {
  const found = annotations.find(({ name, path }) => looksSensitive(name) || path.some(looksSensitive))
  return found?.path.join('.')
}

/** Whether a name looks like that of a secret or of personal data. */
export function looksSensitive(name: string): boolean {
  const words = splitWords(name)
  return words.some(
    (word, index) => SENSITIVE_WORDS.has(word) || SENSITIVE_PAIRS.has(`${words[index - 1] ?? ''} ${word}`),
  )
}

/** `apiKey`, `API_KEY` and `api-key` are the same two words. */
function splitWords(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.toLowerCase())
}
