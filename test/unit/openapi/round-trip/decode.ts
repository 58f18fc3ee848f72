// A request as the specification reads it: from the text on the wire back to values, by style, place and media type.
import type { Document, Media, Parameter, Schema } from './document.ts'
import { objectOf } from './document.ts'

/** The raw parts of a request that parameters take theirs from. What is taken is gone, so that nothing remains unexplained. */
export interface Parts {
  readonly path: Readonly<Record<string, string>>
  /** Names and values as they were sent. */
  query: (readonly [name: string, value: string | undefined])[]
  readonly headers: Readonly<Record<string, unknown>>
  cookies: (readonly [name: string, value: string])[]
}

/** The values of the path; `undefined` where it is another one. */
export function matchPath(template: string, path: string): Record<string, string> | undefined {
  const names: string[] = []
  const [withoutQuery = ''] = template.split(/[?#]/)
  const pattern = withoutQuery
    .split(/(\{[^}]+\})/)
    .map((part) => {
      if (!part.startsWith('{')) return decodeURI(part).replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
      names.push(part.slice(1, -1))
      return '(.+?)'
    })
    .join('')
  const found = new RegExp(`^${pattern}$`).exec(path)
  return found === null ? undefined : Object.fromEntries(names.map((name, index) => [name, found[index + 1] ?? '']))
}

export function pairsOf(text: string, separator: string): (readonly [string, string | undefined])[] {
  return text
    .split(separator)
    .filter((pair) => pair !== '')
    .map((pair) => {
      const mark = pair.indexOf('=')
      return mark === -1 ? [pair, undefined] : [pair.slice(0, mark), pair.slice(mark + 1)]
    })
}

type Shape = 'array' | 'object' | 'scalar'

/** The values that a parameter can mean: one, or several where its schema allows different kinds of values. */
export function readParameter(document: Document, parameter: Parameter, parts: Parts): unknown[] {
  if (parameter.in === 'querystring') return readWholeQuery(document, parameter, parts)
  const before = { query: parts.query, cookies: parts.cookies }
  const after = { query: parts.query, cookies: parts.cookies }
  const readings = shapesOf(document, parameter.schema).flatMap((shape) => {
    Object.assign(parts, before)
    const value = readAs(document, parameter, shape, parts)
    if (value === undefined) return []
    Object.assign(after, { query: parts.query, cookies: parts.cookies })
    return [value]
  })
  Object.assign(parts, after)
  return readings
}

function readAs(document: Document, parameter: Parameter, shape: Shape, parts: Parts): unknown {
  const { name, style, explode, schema, mediaType } = parameter
  const isPlain = parameter.in === 'header' || style === 'cookie'
  const decode = (text: string) => (isPlain ? text : decodeURIComponent(text))
  const texts = parameter.in === 'path' || parameter.in === 'header' ? oneText(parameter, parts) : undefined
  const content = (text: string) => readContent(document, mediaType as string, schema, decode(text))
  if (texts !== undefined || parameter.in === 'path' || parameter.in === 'header') {
    if (texts === undefined) return undefined
    return mediaType === undefined ? readText(document, parameter, shape, texts, decode) : content(texts)
  }
  const holder = parameter.in === 'query' ? 'query' : 'cookies'
  if (mediaType !== undefined) {
    const [text] = take(parts, holder, (key) => decode(key) === name)
    return text === undefined ? undefined : content(text[1] ?? '')
  }
  if (style === 'deepObject')
    return readDeep(
      document,
      name,
      schema,
      take(parts, holder, (key) => isDeep(decode(key), name)),
    )
  if (explode && shape === 'object') {
    const members = memberNames(document, schema)
    const own = take(parts, holder, (key) => members === undefined || members.includes(decode(key)))
    if (own.length === 0) return undefined
    return objectFrom(
      document,
      schema,
      own.map(([key, value]) => [decode(key), decode(value ?? '')] as const),
    )
  }
  const found = take(parts, holder, (key) => decode(key) === name)
  if (found.length === 0) return undefined
  if (explode && shape === 'array')
    return found.map(([, value]) => scalar(document, itemsOf(document, schema), decode(value ?? '')))
  return readText(document, parameter, shape, found[0]?.[1] ?? '', decode)
}

function oneText({ in: location, name }: Parameter, { path, headers }: Parts): string | undefined {
  if (location === 'path') return path[name]
  const header = headers[name.toLowerCase()]
  return typeof header === 'string' ? header : undefined
}

function take(parts: Parts, holder: 'query' | 'cookies', isOwn: (key: string) => boolean) {
  const pairs = parts[holder] as (readonly [string, string | undefined])[]
  Object.assign(parts, { [holder]: pairs.filter(([key]) => !isOwn(key)) })
  return pairs.filter(([key]) => isOwn(key))
}

/** One text with everything in it, by the table of styles. */
function readText(
  document: Document,
  { name, style, explode, schema }: Parameter,
  shape: Shape,
  given: string,
  decode: (text: string) => string,
): unknown {
  const prefix = style === 'label' ? '.' : style === 'matrix' ? ';' : ''
  if (!given.startsWith(prefix)) return undefined
  let text = given.slice(prefix.length)
  const items = itemsOf(document, schema)
  if (style === 'matrix') {
    const pairs = pairsOf(text, ';')
    if (explode && shape === 'object') {
      return objectFrom(
        document,
        schema,
        pairs.map(([key, value]) => [decode(key), decode(value ?? '')] as const),
      )
    }
    if (pairs.some(([key]) => key !== name)) return undefined
    if (explode && shape === 'array') return pairs.map(([, value]) => scalar(document, items, decode(value ?? '')))
    text = pairs[0]?.[1] ?? ''
  }
  if (shape === 'scalar') return scalar(document, schema, decode(text))
  const parts = text.split(delimiterOf(style, explode))
  if (shape === 'array') return parts.map((part) => scalar(document, items, decode(part)))
  const pairs = explode
    ? parts.map((part) => part.split('=') as [string, string])
    : Array.from(
        { length: parts.length / 2 },
        (_, index) => [parts[index * 2], parts[index * 2 + 1]] as [string, string],
      )
  return objectFrom(
    document,
    schema,
    pairs.map(([key, value]) => [decode(key), decode(value)] as const),
  )
}

function delimiterOf(style: string, explode: boolean): string {
  if (style === 'label' && explode) return '.'
  return { spaceDelimited: '%20', pipeDelimited: '%7C' }[style] ?? ','
}

const isDeep = (key: string, name: string) => key === name || key.startsWith(`${name}[`)

/** `a[x][y]` and `a[0]`, which the specification leaves open and this program documents. */
function readDeep(
  document: Document,
  name: string,
  schema: Schema,
  pairs: (readonly [string, string | undefined])[],
): unknown {
  if (pairs.length === 0) return undefined
  const root: Schema = {}
  for (const [key, value] of pairs) {
    // The brackets are syntax; what is encoded between them is a name.
    const steps = [...key.slice(key.indexOf('[')).matchAll(/\[([^\]]*)\]/g)].map(([, step]) =>
      decodeURIComponent(step ?? ''),
    )
    let holder = root
    for (const step of steps.slice(0, -1)) {
      if (!Object.hasOwn(holder, step)) holder[step] = {}
      holder = holder[step] as Schema
    }
    holder[steps.at(-1) ?? name] = decodeURIComponent(value ?? '')
  }
  return typed(document, schema, root)
}

/** Texts become what the schema says, at every depth. */
function typed(document: Document, schema: Schema, value: unknown): unknown {
  if (typeof value === 'string') return scalar(document, schema, value)
  const shape = shapesOf(document, schema)[0]
  if (shape === 'array')
    return Object.values(value as Schema).map((item) => typed(document, itemsOf(document, schema), item))
  return Object.fromEntries(
    Object.entries(value as Schema).map(([key, member]) => [
      key,
      typed(document, memberOf(document, schema, key), member),
    ]),
  )
}

function objectFrom(document: Document, schema: Schema, pairs: readonly (readonly [string, string])[]): Schema {
  return Object.fromEntries(pairs.map(([key, text]) => [key, scalar(document, memberOf(document, schema, key), text)]))
}

/** The value of a text: itself where the schema takes that, else the number or truth value that it writes. */
export function scalar(document: Document, schema: Schema, text: string): unknown {
  const candidates: unknown[] = [text]
  if (text !== '' && !Number.isNaN(Number(text))) candidates.push(Number(text))
  if (text === 'true' || text === 'false') candidates.push(text === 'true')
  return candidates.find((candidate) => document.fits(schema, candidate)) ?? text
}

export function readContent(document: Document, mediaType: string, schema: Schema, text: string): unknown {
  if (/json/.test(mediaType)) return JSON.parse(text)
  if (!mediaType.startsWith('application/x-www-form')) return scalar(document, schema, text)
  return readForm(document, { schema, encoding: {} }, text)
}

function readWholeQuery(document: Document, { mediaType = '', schema }: Parameter, parts: Parts): unknown[] {
  const text = parts.query.map(([name, value]) => (value === undefined ? name : `${name}=${value}`)).join('&')
  parts.query = []
  if (text === '') return []
  return [readContent(document, mediaType, schema, /json/.test(mediaType) ? decodeURIComponent(text) : text)]
}

/** A form, each property by its encoding; without one, what has parts of its own is JSON. */
export function readForm(
  document: Document,
  { schema, encoding }: Pick<Media, 'schema' | 'encoding'>,
  text: string,
): Schema {
  const parts: Parts = { path: {}, query: pairsOf(text, '&'), headers: {}, cookies: [] }
  const value: Schema = {}
  const names = [
    ...new Set([...(memberNames(document, schema) ?? []), ...parts.query.map(([name]) => decodeURIComponent(name))]),
  ]
  for (const name of names) {
    const { style, explode, contentType, allowReserved } = objectOf(encoding[name])
    const member = memberOf(document, schema, name)
    const isJSON = style === undefined && explode === undefined && allowReserved === undefined
    const own = parts.query.filter(([key]) => decodeURIComponent(key) === name)
    const isWritten = own.length === 1 && isJSONOf(shapesOf(document, member)[0], decodeURIComponent(own[0]?.[1] ?? ''))
    const asJSON = isJSON && (/json/.test(String(contentType)) || isWritten)
    const parameter: Parameter = {
      ...{ name, in: 'query', style: (style ?? 'form') as string, isRequired: false, schema: member },
      explode: (explode ?? (style ?? 'form') === 'form') as boolean,
      ...(asJSON && { mediaType: 'application/json' }),
    }
    const [reading] = readParameter(document, parameter, parts)
    if (reading !== undefined) value[name] = reading
  }
  return value
}

/** Whether a text is the JSON of such a value: the text of one item may begin like it. */
function isJSONOf(shape: Shape | undefined, text: string): boolean {
  try {
    const value: unknown = JSON.parse(text)
    return Array.isArray(value) ? shape === 'array' : shape === 'object' && typeof value === 'object'
  } catch {
    return false
  }
}

/** What kinds of values a schema takes, found in its types and in the schemas that it consists of. */
export function shapesOf(document: Document, schema: Schema, depth = 0): Shape[] {
  const { type, properties, items, additionalProperties, allOf, anyOf, oneOf } = document.follow(schema)
  const types = (Array.isArray(type) ? type : [type]).filter((name) => name !== undefined && name !== 'null')
  const own = types.map((name): Shape => (name === 'array' || name === 'object' ? name : 'scalar'))
  if (own.length > 0) return [...new Set(own)]
  if (items !== undefined) return ['array']
  if (properties !== undefined || typeof additionalProperties === 'object') return ['object']
  const parts = [allOf, anyOf, oneOf].flatMap((list) => (Array.isArray(list) && depth < 5 ? list : []))
  const inner = parts.flatMap((part) => shapesOf(document, objectOf(part), depth + 1))
  return inner.length > 0 ? [...new Set(inner)] : ['scalar']
}

function itemsOf(document: Document, schema: Schema): Schema {
  return objectOf(document.follow(schema)['items'])
}

/** `undefined` where an object may have any members. */
function memberNames(document: Document, schema: Schema): string[] | undefined {
  const { properties, allOf, anyOf, oneOf } = document.follow(schema)
  const parts = [allOf, anyOf, oneOf].flatMap((list) => (Array.isArray(list) ? list : []))
  const names = [
    ...Object.keys(objectOf(properties)),
    ...parts.flatMap((part) => memberNames(document, objectOf(part)) ?? []),
  ]
  return names.length === 0 ? undefined : names
}

export function memberOf(document: Document, schema: Schema, name: string): Schema {
  const { properties, additionalProperties, allOf, anyOf, oneOf } = document.follow(schema)
  const own = objectOf(properties)[name]
  if (own !== undefined) return objectOf(own)
  for (const part of [allOf, anyOf, oneOf].flatMap((list) => (Array.isArray(list) ? list : []))) {
    const found = memberOf(document, objectOf(part), name)
    if (Object.keys(found).length > 0) return found
  }
  return objectOf(additionalProperties)
}
